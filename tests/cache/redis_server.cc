#include "tests/cache/redis_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

namespace swage::cache {
namespace {

using std::chrono::steady_clock;

int FreePort() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(fd);
  return ntohs(address.sin_port);
}

}  // namespace

RedisServer::RedisServer(Transport transport, std::string password)
    : transport_(transport), password_(std::move(password)) {
  Start();
}

RedisServer::~RedisServer() { Kill(); }

std::string RedisServer::url() const { return Address().ToString(); }

RedisAddress RedisServer::Address() const {
  RedisAddress address;
  if (transport_ == Transport::kUnix) {
    address.unix_path = directory() + "/s";
  } else {
    address.host = "127.0.0.1";
    address.port = port_;
  }
  address.password = password_;
  return address;
}

void RedisServer::Start() {
  // Between the search for a free port and its use another process may take it.
  for (int attempt = 0; attempt < 5; ++attempt) {
    if (transport_ == Transport::kTcp && port_ == 0) port_ = FreePort();
    if (Launch()) return;
    Kill();
  }
  ADD_FAILURE() << "redis-server does not start; scripts/deps installs it";
}

bool RedisServer::Launch() {
  const std::string port = std::to_string(port_);
  const std::string socket = directory() + "/s";
  std::vector<const char*> args = {
      "redis-server",      "--save", "",           "--appendonly", "no",       "--dir",
      directory().c_str(), "--port", port.c_str(), "--bind",       "127.0.0.1"};
  if (transport_ == Transport::kUnix) args.insert(args.end(), {"--unixsocket", socket.c_str()});
  if (!password_.empty()) args.insert(args.end(), {"--requirepass", password_.c_str()});
  args.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::execvp("redis-server", const_cast<char* const*>(args.data()));
    ::_exit(127);
  }
  const auto end = steady_clock::now() + std::chrono::seconds(30);
  while (steady_clock::now() < end) {
    if (Answers()) return true;
    int status;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

bool RedisServer::Answers() const {
  std::unique_ptr<RedisConnection> connection;
  const RedisConnection::Limits limits{steady_clock::now() + std::chrono::seconds(1)};
  if (RedisConnection::Connect(Address(), limits, &connection).has_value()) return false;
  const std::string_view words[] = {"PING"};
  RedisReply reply;
  return !connection->Call(words, limits, &reply).has_value() && reply.text == "PONG";
}

RedisReply RedisServer::Run(const std::vector<std::string_view>& words) {
  std::unique_ptr<RedisConnection> connection;
  const RedisConnection::Limits limits{.deadline = steady_clock::now() + std::chrono::seconds(30),
                                       .max_reply_bytes = size_t{1} << 30};
  RedisReply reply;
  std::optional<RedisError> error = RedisConnection::Connect(Address(), limits, &connection);
  if (!error.has_value()) error = connection->Call(words, limits, &reply);
  if (error.has_value()) ADD_FAILURE() << error->text;
  return reply;
}

void RedisServer::Kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void RedisServer::Freeze() { ::kill(pid_, SIGSTOP); }
void RedisServer::Unfreeze() { ::kill(pid_, SIGCONT); }

}  // namespace swage::cache
