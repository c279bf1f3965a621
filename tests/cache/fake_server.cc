#include "tests/cache/fake_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

namespace swage::cache {
namespace {

constexpr int kPollMs = 10;

}  // namespace

std::string FakeServer::Client::ReadSome() {
  while (!stop_) {
    pollfd entry = {fd_, POLLIN, 0};
    if (::poll(&entry, 1, kPollMs) <= 0) continue;
    char buffer[65536];
    const ssize_t n = ::recv(fd_, buffer, sizeof(buffer), 0);
    return n > 0 ? std::string(buffer, static_cast<size_t>(n)) : std::string();
  }
  return {};
}

bool FakeServer::Client::Write(std::string_view bytes) {
  while (!bytes.empty() && !stop_) {
    pollfd entry = {fd_, POLLOUT, 0};
    if (::poll(&entry, 1, kPollMs) <= 0) continue;
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return !stop_;
}

void FakeServer::Client::Wait() {
  while (!stop_) std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
}

void FakeServer::Client::CloseWithReset() {
  const linger now = {1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

FakeServer::FakeServer(Handler handler) : handler_(std::move(handler)) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  ::bind(fd_, reinterpret_cast<sockaddr*>(&address), length);
  ::listen(fd_, 64);
  ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { Accept(); });
}

FakeServer::~FakeServer() {
  stop_ = true;
  accepting_.join();
  for (std::thread& client : clients_) client.join();
  ::close(fd_);
}

void FakeServer::Accept() {
  while (!stop_) {
    pollfd entry = {fd_, POLLIN, 0};
    if (::poll(&entry, 1, kPollMs) <= 0) continue;
    const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    ++accepted_;
    clients_.emplace_back([this, fd] {
      Client client(fd, stop_);
      handler_(client);
      ::close(fd);
    });
  }
}

}  // namespace swage::cache
