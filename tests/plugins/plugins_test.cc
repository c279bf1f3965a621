// jit in plugins that are loaded side by side, unloaded, and loaded again at the same addresses.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <swage/swage.h>

#include <string>
#include <thread>

namespace {

using RunFn = float(int, float);
using PlainFn = swage::Tensor(swage::Tensor);

class Plugin {
 public:
  explicit Plugin(const char* path) : path_(path), handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  ~Plugin() {
    dlclose(handle_);
    // Else the tests would prove nothing.
    EXPECT_EQ(dlopen(path_, RTLD_NOW | RTLD_NOLOAD), nullptr) << path_ << " is still there";
  }
  float Run(int way) const { return reinterpret_cast<RunFn*>(dlsym(handle_, "Run"))(way, 100); }
  PlainFn* plain() const { return reinterpret_cast<PlainFn*>(dlsym(handle_, "Plain")); }

 private:
  const char* path_;
  void* handle_;
};

constexpr int kWays = 3;

TEST(PluginsTest, EqualNamesInTwoPluginsAreTwoFunctions) {
  const Plugin three(PLUGIN_3), five(PLUGIN_5);
  for (int way = 0; way < kWays; ++way) {
    EXPECT_EQ(three.Run(way), 103 + 10 * way);
    EXPECT_EQ(five.Run(way), 105 + 10 * way);
    EXPECT_EQ(three.Run(way), 103 + 10 * way);
  }
}

TEST(PluginsTest, APluginInThePlaceOfAnotherIsAnotherOne) {
  for (int i = 0; i < 4; ++i) {
    const int number = i % 2 == 0 ? 3 : 5;
    const Plugin plugin(number == 3 ? PLUGIN_3 : PLUGIN_5);
    for (int way = 0; way < kWays; ++way) EXPECT_EQ(plugin.Run(way), 100 + number + 10 * way);
    // A function of the plugin that the program itself gives to jit.
    EXPECT_EQ(swage::jit(plugin.plain())(swage::scalar(100.f)).item<float>(), 130 + number);
  }
}

TEST(PluginsTest, NothingOfAPluginIsTouchedAfterItsEnd) {
  {
    const Plugin plugin(PLUGIN_3);
    for (int way = 0; way < kWays; ++way) plugin.Run(way);
    // Other threads remember what they called last.
    std::thread([&] { plugin.Run(2); }).join();
  }
  swage::clear_cache();
  swage::set_cache_memory_bytes(0);
  EXPECT_EQ(swage::jit([](swage::Tensor x) { return x + 1; })(swage::scalar(1.f)).item<float>(), 2);
}

TEST(PluginsTest, AStandInOfAPluginThatIsGoneIsForgotten) {
  setenv("SWAGE_ON_MISS", "background", /*overwrite=*/1);
  for (int i = 0; i < 3; ++i) {
    const Plugin plugin(PLUGIN_5);
    EXPECT_EQ(plugin.Run(2), 125);
  }
  unsetenv("SWAGE_ON_MISS");
  swage::clear_cache();
  const Plugin plugin(PLUGIN_3);
  EXPECT_EQ(plugin.Run(2), 123);
}

}  // namespace
