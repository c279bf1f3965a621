// File: cache/remote_fault.h
//
// Why the remote tier did not get or keep an entry; each cause has a counter of its own.
#ifndef SWAGE_CACHE_REMOTE_FAULT_H_
#define SWAGE_CACHE_REMOTE_FAULT_H_

#include <string_view>

namespace swage::cache {

enum class RemoteFault {
  kResolve,     // the host's name has no address, or none in time
  kConnect,     // refused, unreachable, no such socket
  kTimeout,     // connected, but no whole answer in time
  kClosed,      // the connection ended in the middle
  kProtocol,    // what came back is not Redis's protocol, or no answer to the question
  kAuth,        // a password is missing, wrong, or may not do this
  kErrorReply,  // any other error that the server answered
  kWrongType,   // the key holds something else than a string
  kTooLarge,    // an entry beyond the bound
  kUnsigned,    // an entry without a seal
  kWrongMac,    // sealed with another key or for another entry, or changed on the way
  kNoThread,    // the system gave no thread for what happens in the background
};
inline constexpr int kNumRemoteFaults = static_cast<int>(RemoteFault::kNoThread) + 1;

constexpr std::string_view RemoteFaultName(RemoteFault fault) {
  constexpr std::string_view kNames[kNumRemoteFaults] = {
      "resolve",     "connect",    "timeout",   "closed",   "protocol",  "auth",
      "error_reply", "wrong_type", "too_large", "unsigned", "wrong_mac", "no_thread"};
  return kNames[static_cast<int>(fault)];
}

}  // namespace swage::cache

#endif  // SWAGE_CACHE_REMOTE_FAULT_H_
