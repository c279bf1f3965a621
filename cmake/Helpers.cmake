# One helper per kind of target, so that all targets look alike.

# swage_library(<name> SRCS a.cc ... [DEPS ...] [LLVM])
# A static library swage_<name>. Include paths are relative to the repository root.
# LLVM adds LLVM's headers (only codegen/ may ask for it).
function(swage_library name)
  cmake_parse_arguments(ARG "LLVM" "" "SRCS;DEPS" ${ARGN})
  if(ARG_SRCS)
    add_library(swage_${name} STATIC ${ARG_SRCS})
    set(scope PUBLIC)
  else()
    add_library(swage_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(swage_${name} ${scope} ${CMAKE_SOURCE_DIR})
  target_link_libraries(swage_${name} ${scope} ${ARG_DEPS})
  if(ARG_LLVM)
    target_include_directories(swage_${name} SYSTEM ${scope} ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(swage_${name} ${scope} ${LLVM_DEFINITIONS_LIST})
  endif()
endfunction()

# swage_test(<name> SRCS a_test.cc ... [DEPS ...])
# One GoogleTest binary per folder under tests/; every TEST is one ctest entry.
function(swage_test name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300)
endfunction()
