#include "base/background_thread.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <utility>

namespace swage {

std::optional<std::thread> StartBackgroundThread(std::function<void()> body) {
  // A thread begins with the signal mask of the one that starts it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return std::nullopt;
  std::optional<std::thread> thread;
  try {
    thread.emplace(std::move(body));
  } catch (const std::system_error&) {
    thread.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace swage
