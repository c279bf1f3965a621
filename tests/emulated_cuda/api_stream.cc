// Streams, events, capture, graphs.
#include <memory>
#include <utility>

#include "tests/emulated_cuda/driver.h"

using swage::emulated_cuda::Driver;

EMULATED_CUDA_API cuStreamCreate(CUstream* stream, unsigned flags) {
  EMULATED_CUDA_ENTER(kContext);
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  *stream = new EmulatedStream();
  (*stream)->blocking = flags != CU_STREAM_NON_BLOCKING;
  driver.streams.insert(*stream);
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

EMULATED_CUDA_API cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  EMULATED_CUDA_ENTER(kContext);
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = 0;
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
    // Joins the capture: both streams add to one graph, in the order of the calls.
    if (driver.graphs.count(event->captured) == 0 && stream->capture != event->captured) {
      stream->capture = event->captured;
    }
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
  if (driver.events.erase(event) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete event;
  return CUDA_SUCCESS;
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

struct EmulatedGraphUpdateResult {
  int result;
  void* error_node;
  void* error_from_node;
};

// 0 is success, 1 an error: the shape of the graph changed.
EMULATED_CUDA_API cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                                       EmulatedGraphUpdateResult* result) {
  EMULATED_CUDA_ENTER(kContext);
  if (driver.graphs.count(graph) == 0 || driver.graph_execs.count(exec) == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  const bool same = exec->work.size() == graph->work.size();
  if (result != nullptr) *result = {same ? 0 : 1, nullptr, nullptr};
  if (same) exec->work = graph->work;
  return same ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
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
  if (driver.graph_execs.erase(exec) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete exec;
  return CUDA_SUCCESS;
}

EMULATED_CUDA_API cuGraphDestroy(CUgraph graph) {
  EMULATED_CUDA_ENTER(kInitialised);
  if (driver.graphs.erase(graph) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete graph;
  return CUDA_SUCCESS;
}
