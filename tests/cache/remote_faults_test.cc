// The remote tier against servers that are none: every call ends, as a miss, with a counter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "base/log.h"
#include "cache/remote_tier.h"
#include "tests/cache/fake_server.h"

namespace swage::cache {
namespace {

using codegen::EntryKind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

constexpr Hash128 kHash = {1, 2};
constexpr milliseconds kLong{30'000};

RemoteTier::Options Options(const std::string& url, milliseconds timeout = kLong) {
  return {.address = *RedisAddress::Parse(url),
          .key = *MacKey::FromBytes(std::string(MacKey::kBytes, 'k')),
          .connect_timeout = timeout,
          .command_timeout = timeout,
          .store_timeout = timeout};
}

// What the tier makes of a server that answers every command with `reply` and hangs up.
RemoteStats AfterReply(const std::string& reply) {
  FakeServer server([&](FakeServer::Client& client) {
    if (!client.ReadSome().empty()) client.Write(reply);
  });
  RemoteTier remote(Options(server.url()));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  return remote.stats();
}

TEST(RemoteFaultsTest, EveryWrongReplyHasItsCause) {
  const std::string huge = std::to_string(int64_t{1} << 62);
  const std::pair<std::string, RemoteFault> cases[] = {
      {"", RemoteFault::kClosed},
      {"$", RemoteFault::kClosed},
      {"$10\r\nabc", RemoteFault::kClosed},
      {"$" + huge + "\r\nabc", RemoteFault::kClosed},
      {"+OK", RemoteFault::kClosed},
      {"HTTP/1.1 400 Bad Request\r\n\r\n", RemoteFault::kProtocol},
      {std::string(100, '\0'), RemoteFault::kProtocol},
      {std::string(100'000, '\xff'), RemoteFault::kProtocol},
      {"$x\r\n", RemoteFault::kProtocol},
      {"$-2\r\n", RemoteFault::kProtocol},
      {"$99999999999999999999\r\n", RemoteFault::kProtocol},
      {"+OK\r\n", RemoteFault::kProtocol},
      {":1\r\n", RemoteFault::kProtocol},
      {"*0\r\n", RemoteFault::kProtocol},
      {"*1\r\n$1\r\na\r\n", RemoteFault::kProtocol},
      {"*2147483647\r\n", RemoteFault::kProtocol},
      {"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", RemoteFault::kProtocol},
      {"$1\r\na\r\n$1\r\nb\r\n", RemoteFault::kProtocol},
      {"$-1\r\n$-1\r\n", RemoteFault::kProtocol},
      {"+" + std::string(1'000'000, 'x'), RemoteFault::kProtocol},
      {"-NOAUTH Authentication required.\r\n", RemoteFault::kAuth},
      {"-NOPERM no\r\n", RemoteFault::kAuth},
      {"-WRONGTYPE no\r\n", RemoteFault::kWrongType},
      {"-LOADING Redis is loading the dataset in memory\r\n", RemoteFault::kErrorReply},
      {"-\r\n", RemoteFault::kErrorReply},
      {"$0\r\n\r\n", RemoteFault::kUnsigned},
      {"$5\r\nhello\r\n", RemoteFault::kUnsigned},
      {"$48\r\nswageMC1" + std::string(40, 'x') + "\r\n", RemoteFault::kWrongMac},
  };
  for (const auto& [reply, fault] : cases) {
    const RemoteStats stats = AfterReply(reply);
    EXPECT_EQ(stats.fault(fault), 1) << reply.substr(0, 40) << ": " << stats;
    int64_t all = 0;
    for (const int64_t count : stats.faults) all += count;
    EXPECT_EQ(all, 1) << reply.substr(0, 40) << ": " << stats;
  }
}

TEST(RemoteFaultsTest, AReplyInSmallPiecesIsWhole) {
  const RemoteTier::Options options = Options("redis://127.0.0.1:1");
  const std::string name = RemoteTier::KeyName(EntryKind::kKernel, kHash);
  const std::string sealed = Seal(options.key, name, "bytes");
  FakeServer server([&](FakeServer::Client& client) {
    client.ReadSome();
    for (const char c : "$" + std::to_string(sealed.size()) + "\r\n" + sealed + "\r\n") {
      client.Write({&c, 1});
    }
    client.Wait();
  });
  RemoteTier remote(Options(server.url()));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), "bytes");
}

TEST(RemoteFaultsTest, AnEndlessReplyIsCutOff) {
  for (const std::string head : {"$999999999999\r\n", "$5000000\r\n"}) {
    FakeServer server([&](FakeServer::Client& client) {
      client.ReadSome();
      client.Write(head);
      while (client.Write(std::string(65536, 'x'))) {
      }
    });
    RemoteTier::Options options = Options(server.url());
    options.max_value_bytes = 1'000'000;
    RemoteTier remote(options);
    EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
    EXPECT_EQ(remote.stats().fault(RemoteFault::kTooLarge), 1) << remote.stats();
  }
}

TEST(RemoteFaultsTest, ATrickleEndsAtTheTimeOut) {
  FakeServer server([](FakeServer::Client& client) {
    client.ReadSome();
    client.Write("$1000\r\n");
    // Each byte comes well within the time that is left when it does.
    while (client.Write("x")) std::this_thread::sleep_for(milliseconds(1));
  });
  RemoteTier remote(Options(server.url(), milliseconds(50)));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kTimeout), 1) << remote.stats();
}

TEST(RemoteFaultsTest, ASilentServerIsAskedThreeTimesThenLeftAlone) {
  FakeServer server([](FakeServer::Client& client) { client.Wait(); });
  RemoteTier::Options options = Options(server.url(), milliseconds(10));
  options.breaker.first_pause = seconds(1000);
  RemoteTier remote(options);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kTimeout), 3);
  EXPECT_EQ(remote.stats().skipped, 997);
}

TEST(RemoteFaultsTest, ConnectionsThatAreResetAreClosedOnes) {
  FakeServer server([](FakeServer::Client& client) {
    client.ReadSome();
    client.CloseWithReset();
  });
  RemoteTier::Options options = Options(server.url());
  options.breaker.failures = 1000;
  RemoteTier remote(options);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
    remote.Put(EntryKind::kKernel, kHash, std::string(1'000'000, 'x'));
  }
  EXPECT_TRUE(remote.Flush(kLong));
  EXPECT_EQ(remote.stats().fault(RemoteFault::kClosed), 40) << remote.stats();
}

TEST(RemoteFaultsTest, ClosedSocketsRaiseNoSignal) {
  ASSERT_NE(::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  FakeServer server([](FakeServer::Client& client) { client.CloseWithReset(); });
  RemoteTier remote(Options(server.url()));
  for (int i = 0; i < 3; ++i) remote.Put(EntryKind::kKernel, kHash, std::string(10'000'000, 'x'));
  EXPECT_TRUE(remote.Flush(kLong));
  // A reset that comes very soon belongs to the connection's making.
  const RemoteStats stats = remote.stats();
  EXPECT_EQ(stats.fault(RemoteFault::kClosed) + stats.fault(RemoteFault::kConnect), 3) << stats;
}

TEST(RemoteFaultsTest, AnUnknownHostIsNotResolved) {
  RemoteTier remote(Options("redis://no-such-host.invalid:6379"));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kResolve), 1) << remote.stats();
}

TEST(RemoteFaultsTest, AHostNameIsResolved) {
  FakeServer server([](FakeServer::Client& client) {
    while (!client.ReadSome().empty()) client.Write("$-1\r\n");
  });
  const std::string port = server.url().substr(server.url().rfind(':'));
  RemoteTier remote(Options("redis://localhost" + port));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().misses, 1) << remote.stats();
}

TEST(RemoteFaultsTest, PortsThatNobodyListensOnAreConnectFaults) {
  std::string url;
  {
    FakeServer server([](FakeServer::Client&) {});
    url = server.url();
  }
  RemoteTier remote(Options(url));
  EXPECT_EQ(remote.Get(EntryKind::kKernel, kHash), std::nullopt);
  RemoteTier local(Options("unix:/nonexistent/socket"));
  EXPECT_EQ(local.Get(EntryKind::kKernel, kHash), std::nullopt);
  EXPECT_EQ(remote.stats().fault(RemoteFault::kConnect), 1) << remote.stats();
  EXPECT_EQ(local.stats().fault(RemoteFault::kConnect), 1) << local.stats();
}

TEST(RemoteFaultsTest, AFullQueueDropsTheNewestAndCountsIt) {
  FakeServer server([](FakeServer::Client& client) { client.Wait(); });
  RemoteTier::Options options = Options(server.url());
  options.queue = {.bytes = 1000, .entries = 5};
  RemoteTier remote(options);
  for (int i = 0; i < 20; ++i) remote.Put(EntryKind::kKernel, kHash, "small");
  // One may be on its way already.
  EXPECT_GE(remote.stats().dropped_full, 14);
  EXPECT_LE(remote.stats().dropped_full, 15);
  const int64_t before = remote.stats().dropped_full;
  remote.Put(EntryKind::kKernel, kHash, std::string(1001, 'x'));
  EXPECT_EQ(remote.stats().dropped_full, before + 1);
  EXPECT_FALSE(remote.Flush(milliseconds(1)));
}

TEST(RemoteFaultsTest, DestructionDoesNotWaitForADeadServer) {
  FakeServer server([](FakeServer::Client& client) { client.Wait(); });
  const auto start = steady_clock::now();
  {
    RemoteTier::Options options = Options(server.url(), milliseconds(600'000));
    RemoteTier remote(options);
    for (int i = 0; i < 100; ++i) remote.Put(EntryKind::kKernel, kHash, "bytes");
    EXPECT_FALSE(remote.Flush(milliseconds(30)));
  }
  EXPECT_LT(steady_clock::now() - start, seconds(100));
}

TEST(RemoteFaultsTest, EachCauseWarnsAtMostOncePerProcess) {
  std::atomic<int> warnings{0};
  std::string last;
  SetLogCallback([&](LogLevel level, std::string_view text) {
    if (level != LogLevel::kWarn || text.find("remote cache") == std::string_view::npos) return;
    ++warnings;
    last = text;
  });
  for (int i = 0; i < 5; ++i) {
    AfterReply("-ODD \x1b[31m" + std::string(1000, 'x') + "\r\n");
  }
  SetLogCallback(nullptr);
  ASSERT_LE(warnings, 1);
  if (warnings == 0) return;  // an earlier test of this process had it
  EXPECT_THAT(last, HasSubstr("redis://127.0.0.1:"));
  EXPECT_THAT(last, HasSubstr("(error_reply)"));
  EXPECT_THAT(last, HasSubstr("ODD ?[31mxxx"));
  EXPECT_LT(last.size(), 500u);
}

}  // namespace
}  // namespace swage::cache
