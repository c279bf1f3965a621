# What a build can choose. Everything else is fixed here once for every target.
option(SWAGE_BUILD_BENCH "Build the benchmarks" ON)
option(SWAGE_BUILD_TESTS "Build the tests" ON)
option(SWAGE_FUZZ "Build the fuzzers for libFuzzer (needs clang); otherwise they replay and mutate their corpus" OFF)
set(SWAGE_FUZZ_SECONDS 60 CACHE STRING "How long ctest runs each fuzzer in a SWAGE_FUZZ build")
set(SWAGE_SANITIZE "" CACHE STRING "Sanitizers for every target: address, undefined, thread or a comma list")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Checks of internal invariants stay on in release builds, so NDEBUG is not defined.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

# Links with LLVM in them need about 1 GB each.
set_property(GLOBAL PROPERTY JOB_POOLS link=2)
set(CMAKE_JOB_POOL_LINK link)

# x86-64-v3 is the floor (fma is required), and no contraction: every operation rounds once.
add_compile_options(-march=x86-64-v3 -ffp-contract=off -Wall -Wextra -Werror=switch -Wno-unused-parameter
                    -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-semantic-interposition)
endif()
if(SWAGE_SANITIZE)
  # -O1: half the compile time of -O2, and stacks that can be read.
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")
  add_compile_options(-fsanitize=${SWAGE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${SWAGE_SANITIZE})
endif()
if(SWAGE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SWAGE_FUZZ needs clang; got ${CMAKE_CXX_COMPILER_ID}. Use cmake --preset fuzz.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address)
endif()

# Keys of what is kept on disk hold the identity of the build (base/build_id.h).
add_link_options(-Wl,--build-id=sha1)

find_program(SWAGE_CCACHE ccache)
if(SWAGE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${SWAGE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SWAGE_CCACHE})
endif()
find_program(SWAGE_LLD NAMES ld.lld-19 ld.lld HINTS /usr/lib/llvm-19/bin)
if(SWAGE_LLD)
  # g++ looks for a program named ld.lld, which only lld's own folder has for sure.
  file(REAL_PATH ${SWAGE_LLD} lld)
  cmake_path(GET lld PARENT_PATH lld)
  add_link_options(-B${lld} -fuse-ld=lld -Wl,--gc-sections)
endif()
