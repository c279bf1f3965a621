# What a build can choose. Everything else is fixed here once for every target.
option(SWAGE_BUILD_TESTS "Build the tests" ON)
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

# x86-64-v3 is the floor (fma is required), and no contraction: every operation rounds once.
add_compile_options(-march=x86-64-v3 -ffp-contract=off -Wall -Wextra -Werror=switch -Wno-unused-parameter
                    -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-semantic-interposition)
endif()
if(SWAGE_SANITIZE)
  add_compile_options(-fsanitize=${SWAGE_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${SWAGE_SANITIZE})
endif()

find_program(SWAGE_CCACHE ccache)
if(SWAGE_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${SWAGE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SWAGE_CCACHE})
endif()
find_program(SWAGE_LLD NAMES ld.lld-19 ld.lld)
if(SWAGE_LLD)
  add_link_options(-fuse-ld=lld -Wl,--gc-sections)
endif()
