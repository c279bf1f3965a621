// File: tests/cache/fake_server.h
//
// A TCP server that does what a test says with each connection, to play a Redis that misbehaves.
//
//   FakeServer server([](FakeServer::Client& client) {
//     client.ReadSome();
//     client.Write("+nonsense");
//   });                        // the connection closes when the function returns
#ifndef SWAGE_TESTS_CACHE_FAKE_SERVER_H_
#define SWAGE_TESTS_CACHE_FAKE_SERVER_H_

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace swage::cache {

class FakeServer {
 public:
  class Client {
   public:
    Client(int fd, const std::atomic<bool>& stop) : fd_(fd), stop_(stop) {}
    // What arrived, "" when the other side is gone or the server stops.
    std::string ReadSome();
    // False when the other side is gone or the server stops.
    bool Write(std::string_view bytes);
    // Until the server stops.
    void Wait();
    // The connection will end with RST instead of FIN.
    void CloseWithReset();
    bool stopped() const { return stop_; }

   private:
    const int fd_;
    const std::atomic<bool>& stop_;
  };
  using Handler = std::function<void(Client&)>;

  explicit FakeServer(Handler handler);
  ~FakeServer();

  std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  int accepted() const { return accepted_; }

 private:
  void Accept();

  const Handler handler_;
  int fd_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> accepted_{0};
  std::vector<std::thread> clients_;  // of accepting_ until it ended
  std::thread accepting_;
};

}  // namespace swage::cache

#endif  // SWAGE_TESTS_CACHE_FAKE_SERVER_H_
