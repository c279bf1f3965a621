#include "base/fork_gate.h"

#include <pthread.h>

#include <chrono>
#include <new>
#include <shared_mutex>

namespace swage {
namespace {

// A fork from inside a section (a log callback that forks) would wait for itself; it goes on then.
constexpr std::chrono::seconds kPatience(30);

std::shared_timed_mutex* gate = nullptr;
bool closed = false;  // by the fork under way

std::shared_timed_mutex& Gate() {
  static std::shared_timed_mutex* const made = [] {
    gate = new std::shared_timed_mutex;
    ::pthread_atfork([] { closed = gate->try_lock_for(kPatience); },
                     [] {
                       if (closed) gate->unlock();
                     },
                     // The child's thread has another number than the one that closed it.
                     [] { new (gate) std::shared_timed_mutex; });
    return gate;
  }();
  return *made;
}

}  // namespace

CompileSection::CompileSection() { Gate().lock_shared(); }
CompileSection::~CompileSection() { Gate().unlock_shared(); }

}  // namespace swage
