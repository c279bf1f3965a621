// File: cache/background_thread.h
//
// A thread that the program around Swage does not notice: it takes none of the process's signals,
// and when the system has no thread left nothing is thrown.
#ifndef SWAGE_CACHE_BACKGROUND_THREAD_H_
#define SWAGE_CACHE_BACKGROUND_THREAD_H_

#include <functional>
#include <optional>
#include <thread>

namespace swage::cache {

// nullopt when the system refuses.
std::optional<std::thread> StartBackgroundThread(std::function<void()> body);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_BACKGROUND_THREAD_H_
