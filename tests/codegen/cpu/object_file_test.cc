#include "codegen/cpu/object_file.h"

#include <gtest/gtest.h>

namespace swage::cpu {
namespace {

TEST(ObjectFileTest, SealedBytesComeBack) {
  for (const std::string& elf : {std::string(),
                                 std::string("\x7f"
                                             "ELF"),
                                 std::string(5000, 'x')}) {
    const std::string sealed = SealObject(elf);
    EXPECT_EQ(*UnsealObject(sealed), elf);
    EXPECT_EQ(sealed, SealObject(elf));
  }
}

TEST(ObjectFileTest, EveryFlippedBitIsSeen) {
  const std::string sealed = SealObject("some object");
  for (size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    std::string changed = sealed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(UnsealObject(changed).status().code(), absl::StatusCode::kDataLoss) << bit;
  }
}

TEST(ObjectFileTest, EveryTruncationAndExtensionIsSeen) {
  const std::string sealed = SealObject("some object");
  for (size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_FALSE(UnsealObject(sealed.substr(0, size)).ok()) << size;
    EXPECT_FALSE(UnsealObject(sealed.substr(size + 1)).ok()) << size;
  }
  EXPECT_FALSE(UnsealObject(sealed + "x").ok());
}

}  // namespace
}  // namespace swage::cpu
