// File: base/background_thread.h
//
// A thread that the program around Swage does not notice: it takes none of the process's signals,
// and when the system has no thread left nothing is thrown.
#ifndef SWAGE_BASE_BACKGROUND_THREAD_H_
#define SWAGE_BASE_BACKGROUND_THREAD_H_

#include <functional>
#include <optional>
#include <thread>

namespace swage {

// nullopt when the system refuses.
std::optional<std::thread> StartBackgroundThread(std::function<void()> body);

}  // namespace swage

#endif  // SWAGE_BASE_BACKGROUND_THREAD_H_
