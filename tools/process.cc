#include "tools/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace swage::tools {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

// Both ends of a pipe, which the programs that this one starts do not inherit by themselves.
class Pipe {
 public:
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    Close(0);
    Close(1);
  }
  Status Open() {
    if (::pipe2(ends_, O_CLOEXEC) == 0) return OkStatus();
    return ResourceExhausted("[process] no pipe: ", strerror(errno));
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void Close(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

StatusOr<pid_t> Spawn(const std::string& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment, const Pipe& out,
                      const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr,
                                  Pointers(arguments).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return NotFound("[process] ", program, " does not start: ", strerror(error));
}

// Until both pipes are closed at the other end. False when one of them says too much.
bool ReadBoth(const Pipe& out, const Pipe& err, ProcessResult* result) {
  pollfd files[2] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
  std::string* const texts[2] = {&result->out, &result->err};
  std::array<char, 65536> buffer;
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    if (::poll(files, 2, -1) < 0 && errno != EINTR) return true;
    for (int i = 0; i < 2; ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      const ssize_t n = ::read(files[i].fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        files[i].fd = -1;  // poll passes over it
        continue;
      }
      texts[i]->append(buffer.data(), static_cast<size_t>(n));
      if (texts[i]->size() > kMostBytes) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    environment.emplace_back(*entry);
  }
  return environment;
}

StatusOr<ProcessResult> RunProcess(const std::string& program,
                                   const std::vector<std::string>& arguments,
                                   const std::vector<std::string>& environment) {
  Pipe out, err;
  SWAGE_RETURN_IF_ERROR(out.Open());
  SWAGE_RETURN_IF_ERROR(err.Open());
  SWAGE_ASSIGN_OR_RETURN(const pid_t pid, Spawn(program, arguments, environment, out, err));
  out.Close(1);
  err.Close(1);
  ProcessResult result;
  const bool bounded = ReadBoth(out, err, &result);
  if (!bounded) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!bounded) {
    return ResourceExhausted("[process] ", program, " says more than ", kMostBytes, " bytes");
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace swage::tools
