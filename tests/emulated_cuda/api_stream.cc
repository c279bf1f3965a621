// Streams, events, capture, graphs.
#include <algorithm>

#include "tests/emulated_cuda/driver.h"

using swage::emulated_cuda::Driver;

namespace {

// Ends an object whose handle is among the live ones.
template <typename T>
CUresult Destroy(std::unordered_set<T*>& live, T* handle) {
  if (live.erase(handle) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete handle;
  return CUDA_SUCCESS;
}

}  // namespace

EMULATED_CUDA_API cuStreamCreate(CUstream* stream, unsigned flags) {
  EMULATED_CUDA_ENTER(kContext);
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *stream = new EmulatedStream();
  (*stream)->blocking = flags != CU_STREAM_NON_BLOCKING;
  driver.streams.insert(*stream);
  return CUDA_SUCCESS;
}

// Also after an error, so that a program can clean up.
EMULATED_CUDA_API cuStreamDestroy_v2(CUstream stream) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (driver.streams.count(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;
  driver.Drain(stream);
  driver.AbandonCapture(stream);
  for (EmulatedEvent* event : driver.events) {
    if (event->stream == stream) event->stream = nullptr;
  }
  driver.streams.erase(stream);
  delete stream;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuStreamSynchronize(CUstream handle) {
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return stream == &driver.default_stream ? driver.DrainDefault() : driver.Drain(stream);
}

// A query lets some work run, so that polling ends.
EMULATED_CUDA_API cuStreamQuery(CUstream handle) {
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->queue.empty()) return CUDA_SUCCESS;
  const CUresult result = driver.Drain(stream, stream->finished + 1);
  return result != CUDA_SUCCESS ? result : CUDA_ERROR_NOT_READY;
}

EMULATED_CUDA_API cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr || driver.events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (event->captured != nullptr) {
    if (stream == &driver.default_stream) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    // Joins the capture if it still goes on: both streams add to one graph, in the order of the
    // calls.
    const bool goes_on =
        std::any_of(driver.streams.begin(), driver.streams.end(),
                    [&](const EmulatedStream* other) { return other->capture == event->captured; });
    if (goes_on) stream->capture = event->captured;
    return CUDA_SUCCESS;
  }
  if (event->stream == nullptr || event->stream == stream) return CUDA_SUCCESS;
  return driver.Enqueue(stream, [other = event->stream, position = event->position] {
    Driver& now = Driver::Get();
    const bool lives = other == &now.default_stream || now.streams.count(other) > 0;
    return lives ? now.Drain(other, position) : CUDA_SUCCESS;
  });
}

EMULATED_CUDA_API cuLaunchHostFunc(CUstream handle, CUhostFn function, void* data) {
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return driver.Enqueue(stream, [=] {
    function(data);
    return CUDA_SUCCESS;
  });
}

EMULATED_CUDA_API cuEventCreate(CUevent* event, unsigned flags) {
  EMULATED_CUDA_ENTER(kContext);
  if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *event = new EmulatedEvent();
  (*event)->timing = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  driver.events.insert(*event);
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuEventDestroy_v2(CUevent event) {
  EMULATED_CUDA_ENTER(kInitialised);
  return Destroy(driver.events, event);
}

EMULATED_CUDA_API cuEventRecord(CUevent event, CUstream handle) {
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr || driver.events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
  event->captured = stream->capture;
  if (stream->capture != nullptr) return CUDA_SUCCESS;
  const CUresult result = driver.Enqueue(stream, [event] {
    if (Driver::Get().events.count(event) > 0) event->time = std::chrono::steady_clock::now();
    return CUDA_SUCCESS;
  });
  event->stream = stream;
  event->position = stream->enqueued;
  return result;
}

EMULATED_CUDA_API cuEventSynchronize(CUevent event) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (event->captured != nullptr) return CUDA_ERROR_CAPTURED_EVENT;
  return event->stream == nullptr ? CUDA_SUCCESS : driver.Drain(event->stream, event->position);
}

EMULATED_CUDA_API cuEventQuery(CUevent event) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.events.count(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (event->captured != nullptr) return CUDA_ERROR_CAPTURED_EVENT;
  EmulatedStream* const stream = event->stream;
  if (stream == nullptr || stream->finished >= event->position) return CUDA_SUCCESS;
  const CUresult result = driver.Drain(stream, stream->finished + 1);
  return result != CUDA_SUCCESS ? result : CUDA_ERROR_NOT_READY;
}

EMULATED_CUDA_API cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  EMULATED_CUDA_ENTER(kContext);
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (driver.events.count(start) == 0 || driver.events.count(end) == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!start->timing || !end->timing || start->stream == nullptr || end->stream == nullptr)
    return CUDA_ERROR_INVALID_HANDLE;
  if (start->stream->finished < start->position || end->stream->finished < end->position)
    return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.streams.count(stream) == 0) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  stream->capture = new EmulatedGraph();
  stream->capture_origin = true;
  return CUDA_SUCCESS;
}

// Streams that joined the capture leave it: their work is in the graph already.
EMULATED_CUDA_API cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  EMULATED_CUDA_ENTER(kContext);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (driver.streams.count(stream) == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (!stream->capture_origin) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  *graph = stream->capture;
  driver.graphs.insert(*graph);
  stream->capture_origin = false;
  for (EmulatedStream* other : driver.streams) {
    if (other->capture == *graph) other->capture = nullptr;
  }
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *status =
      stream->capture != nullptr ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph,
                                              unsigned long long) {
  EMULATED_CUDA_ENTER(kContext);
  if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (driver.graphs.count(graph) == 0) return CUDA_ERROR_INVALID_HANDLE;
  *exec = new EmulatedGraphExec{graph->work};
  driver.graph_execs.insert(*exec);
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuGraphGetNodes(CUgraph graph, void** nodes, size_t* count) {
  EMULATED_CUDA_ENTER(kContext);
  if (count == nullptr || nodes != nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (driver.graphs.count(graph) == 0) return CUDA_ERROR_INVALID_HANDLE;
  *count = graph->work.size();
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  EMULATED_CUDA_ENTER(kContext);
  EmulatedStream* const stream = driver.Find(handle);
  if (stream == nullptr || driver.graph_execs.count(exec) == 0) return CUDA_ERROR_INVALID_HANDLE;
  return driver.Enqueue(stream, [work = exec->work] {
    for (const EmulatedWork& step : work) {
      if (Driver::Get().sticky == CUDA_SUCCESS) step();
    }
    return CUDA_SUCCESS;
  });
}

EMULATED_CUDA_API cuGraphExecDestroy(CUgraphExec exec) {
  EMULATED_CUDA_ENTER(kInitialised);
  return Destroy(driver.graph_execs, exec);
}

EMULATED_CUDA_API cuGraphDestroy(CUgraph graph) {
  EMULATED_CUDA_ENTER(kInitialised);
  return Destroy(driver.graphs, graph);
}
