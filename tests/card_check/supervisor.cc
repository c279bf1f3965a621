#include "tests/card_check/supervisor.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

namespace swage::card {
namespace {

using Clock = std::chrono::steady_clock;

// After so many processes that died, a card is not worth asking further.
constexpr int kMaxProcesses = 16;

// From a worker to its supervisor, a line each: "b" when a case begins; the verdict's letter and
// the fields of its line when it ends.
bool Send(int pipe, const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t count = write(pipe, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    rest.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

Outcome RunOne(const Case& one, Context& context) {
  const Status opened = context.Open();
  if (opened.ok()) return one.run(context);
  Outcome outcome = Outcome::Failed(opened);
  if (opened.code() == absl::StatusCode::kUnavailable) outcome.verdict = Verdict::kNoDriver;
  return outcome;
}

// Runs the cases from `first` on, until the context is of no more use.
[[noreturn]] void Work(const std::vector<Case>& cases, size_t first, Context& context, int pipe) {
  for (size_t i = first; i < cases.size(); ++i) {
    if (!Send(pipe, "b\n")) break;
    const Outcome outcome = RunOne(cases[i], context);
    if (!Send(pipe, std::string(1, static_cast<char>(outcome.verdict)) + outcome.fields.fields() +
                        "\n")) {
      break;
    }
    if (!context.is_open() || !context.device().Usable().ok()) break;
  }
  _exit(0);  // destructors of a context that is broken, or of the driver, have nothing to say
}

// A forked process that runs cases.
class Worker {
 public:
  Worker(const std::vector<Case>& cases, size_t first, Context& context) {
    std::array<int, 2> ends = {-1, -1};
    if (pipe(ends.data()) != 0) return;
    std::fflush(stdout);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      Work(cases, first, context, ends[1]);
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  ~Worker() {
    if (pipe_ >= 0) close(pipe_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool started() const { return process_ > 0; }

  enum class Event { kLine, kEnd, kTimeout };
  Event Next(std::string* line, double seconds) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(seconds));
    for (;;) {
      if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
        *line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return Event::kLine;
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return Event::kTimeout;
      pollfd wait = {.fd = pipe_, .events = POLLIN, .revents = 0};
      if (poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
      std::array<char, 4096> bytes;
      const ssize_t count = read(pipe_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Event::kEnd;
      buffer_.append(bytes.data(), static_cast<size_t>(count));
    }
  }

  // Waits for its end, and says how it ended.
  std::string Join(bool kill_it) {
    if (kill_it) kill(process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
      return std::string("the process ended by signal ") + strsignal(WTERMSIG(status));
    }
    return "the process ended with code " + std::to_string(WEXITSTATUS(status));
  }

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  std::string buffer_;
};

class Supervisor {
 public:
  Supervisor(const std::vector<Case>& cases, const Bundle& bundle, const CheckOptions& options)
      : cases_(cases), options_(options), context_(bundle, options) {}

  int Run() {
    for (int processes = 0; next_ < cases_.size() && !no_driver_ && lost_ == 0; ++processes) {
      if (processes == kMaxProcesses) {
        stopped_ = "too many processes of the check died";
        break;
      }
      RunWorker();
    }
    if (lost_ == 0) PrintSummary();
    if (lost_ != 0) {
      std::fprintf(stderr, "card_check: cannot write its lines: %s\n", std::strerror(lost_));
      return kExitUsage;
    }
    if (no_driver_) return kExitNoDriver;
    return failed_.empty() && stopped_.empty() ? kExitFine : kExitFailed;
  }

 private:
  // Until a worker ends, or has to.
  void RunWorker() {
    Worker worker(cases_, next_, context_);
    if (!worker.started()) {
      Report(Outcome::Failed(Internal("[card check] no new process: ", std::strerror(errno))));
      return;
    }
    bool running = false;
    std::string line;
    for (;;) {
      const Worker::Event event = worker.Next(&line, options_.case_seconds);
      if (event == Worker::Event::kLine && line == "b") {
        running = true;
      } else if (event == Worker::Event::kLine && !line.empty() && next_ < cases_.size()) {
        running = false;
        Outcome outcome{static_cast<Verdict>(line[0]), {}};
        outcome.fields.AddFields(line.substr(1));
        Report(outcome);
        if (lost_ != 0) {
          worker.Join(/*kill_it=*/true);
          return;
        }
      } else {
        const bool late = event == Worker::Event::kTimeout;
        const std::string end = worker.Join(late);
        if (running) {
          Report(Outcome::Failed(
              Internal("[card check] ",
                       late ? absl::StrCat("no answer for ", options_.case_seconds, " s") : end)));
        }
        return;
      }
    }
  }

  // The case `next_` is over.
  void Report(const Outcome& outcome) {
    const std::string& name = cases_[next_++].name;
    JsonLine line(name);
    line.Add("result", VerdictName(outcome.verdict)).AddFields(outcome.fields.fields());
    Print(line);
    switch (outcome.verdict) {
      case Verdict::kOk:
        ++ok_;
        break;
      case Verdict::kRecorded:
        ++recorded_;
        break;
      case Verdict::kSkipped:
        ++skipped_;
        break;
      case Verdict::kNoDriver:
        no_driver_ = true;
        std::fprintf(stderr, "card_check: no driver\n");
        break;
      default:
        failed_.push_back(name);
    }
  }

  void PrintSummary() {
    JsonLine line("summary");
    line.Add("result", no_driver_                            ? "no driver"
                       : failed_.empty() && stopped_.empty() ? "ok"
                                                             : "failed")
        .Add("ok", ok_)
        .Add("recorded", recorded_)
        .Add("skipped", skipped_)
        .Add("failed", failed_.size())
        .Add("not_run", cases_.size() - next_);
    if (!stopped_.empty()) line.Add("why", stopped_);
    std::string names;
    for (size_t i = 0; i < failed_.size() && i < 20; ++i) names += (i > 0 ? " " : "") + failed_[i];
    if (!names.empty()) line.Add("failed_cases", names);
    line.Add("seconds", context_.SecondsSinceStart());
    Print(line);
  }

  void Print(const JsonLine& line) {
    const bool printed = std::puts(line.Text().c_str()) >= 0;
    if ((!printed || std::fflush(stdout) != 0) && lost_ == 0) lost_ = errno;
  }

  const std::vector<Case>& cases_;
  const CheckOptions& options_;
  Context context_;  // never opened here: each worker opens its copy
  size_t next_ = 0;
  int ok_ = 0, recorded_ = 0, skipped_ = 0;
  std::vector<std::string> failed_;
  std::string stopped_;
  bool no_driver_ = false;
  int lost_ = 0;  // the errno with which a line could not be written
};

}  // namespace

int RunCases(const std::vector<Case>& cases, const Bundle& bundle, const CheckOptions& options) {
  return Supervisor(cases, bundle, options).Run();
}

}  // namespace swage::card
