# One helper per kind of target, so that all targets look alike. All lists are kept sorted
# (scripts/check_includes looks), and a source that no list names is an error there.

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

# The folders whose tests CI also runs under ASan and UBSan (scripts/test); the rest of the tests
# run under the sanitizers with --full.
set(SWAGE_CORE_FOLDERS "^(base|compiler/(evaluator|ir|learn|math))$")

add_custom_target(swage_core_tests)
add_custom_target(swage_fuzzers)
add_custom_target(swage_demo)

# The ctest label of this folder's tests: its path under tests/, then the word `core` for the core
# and `full` if asked. One string, because gtest_discover_tests loses a list; `ctest -L core` and
# `-LE full` match words in it just as well.
function(swage_test_label out full)
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  set(label ${folder})
  if(folder MATCHES "${SWAGE_CORE_FOLDERS}")
    string(APPEND label " core")
  endif()
  if(full)
    string(APPEND label " full")
  endif()
  set(${out} ${label} PARENT_SCOPE)
endfunction()

# swage_test(<name> SRCS a_test.cc ... [DEPS ...] [FULL])
# One GoogleTest binary per folder under tests/; every TEST is one ctest entry, run in the
# repository root. FULL: long tests, in a binary of their own, run by scripts/test --full only.
function(swage_test name)
  cmake_parse_arguments(ARG "FULL" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest GTest::gtest_main
                        $<LINK_LIBRARY:WHOLE_ARCHIVE,swage_no_disk_cache>)
  swage_test_label(label "${ARG_FULL}")
  if(label MATCHES " core")
    add_dependencies(swage_core_tests ${name})
  endif()
  set(timeout 300)
  if(SWAGE_SANITIZE MATCHES "thread")
    set(timeout 1200)  # the emulated GPU takes several times as long
  endif()
  # A folder's short and long binary may share sources; of two tests of one name ctest would give
  # both the label of the later one.
  set(prefix "")
  if(ARG_FULL)
    set(timeout 7200)
    set(prefix full.)
  endif()
  gtest_discover_tests(${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_TIMEOUT 60
                       TEST_PREFIX "${prefix}" PROPERTIES TIMEOUT ${timeout} LABELS "${label}")
endfunction()

# swage_uses_emulator(<target> [CUBLASLT])
# The target opens the emulated driver (tests/emulated_cuda), which it finds at EMULATED_LIBCUDA; with
# CUBLASLT also the emulated library of matrix products, at EMULATED_LIBCUBLASLT.
function(swage_uses_emulator target)
  cmake_parse_arguments(ARG "CUBLASLT" "" "" ${ARGN})
  add_dependencies(${target} emulated_libcuda)
  target_compile_definitions(${target} PRIVATE EMULATED_LIBCUDA="$<TARGET_FILE:emulated_libcuda>")
  if(ARG_CUBLASLT)
    add_dependencies(${target} emulated_cublaslt)
    target_compile_definitions(${target} PRIVATE EMULATED_LIBCUBLASLT="$<TARGET_FILE:emulated_cublaslt>")
  endif()
endfunction()

# What a program over libswage.so needs in its environment to run under the address sanitizer:
# codegen/cpu/host_target.cc says it too, but the shared library does not show that.
set(SWAGE_ASAN_ENVIRONMENT ASAN_OPTIONS=allow_user_poisoning=0)
# The environment of such a program whose GPU is the emulated one.
set(SWAGE_EMULATOR_ENVIRONMENT
    "SWAGE_LIBCUDA=$<TARGET_FILE:emulated_libcuda>" SWAGE_LIBCUBLASLT=off ${SWAGE_ASAN_ENVIRONMENT})

# swage_fuzzer(<name> SRCS ... [DEPS ...] [CORPUS folder ...] [EXT .hlo])
# A fuzzer with libFuzzer's entry LLVMFuzzerTestOneInput. In a SWAGE_FUZZ build ctest runs it for
# SWAGE_FUZZ_SECONDS from the corpus. In every other build the same source is linked with
# tests/fuzz/standalone_driver.cc, which replays the corpus and then a fixed sequence of mutations
# of it for at most ten seconds. EXT keeps only files of that ending.
function(swage_fuzzer name)
  cmake_parse_arguments(ARG "" "EXT" "SRCS;DEPS;CORPUS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  add_dependencies(swage_fuzzers ${name})
  if(SWAGE_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set(seeds ${CMAKE_CURRENT_BINARY_DIR}/${name}.seeds)
    set(found ${CMAKE_CURRENT_BINARY_DIR}/${name}.found)
    file(MAKE_DIRECTORY ${seeds} ${found})
    foreach(folder IN LISTS ARG_CORPUS)
      file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*${ARG_EXT})
      foreach(file IN LISTS files)
        file(SHA1 ${file} hash)
        configure_file(${file} ${seeds}/${hash} COPYONLY)
      endforeach()
    endforeach()
    math(EXPR timeout "${SWAGE_FUZZ_SECONDS} + 300")
    add_test(NAME fuzz.${name}
             COMMAND ${name} -max_total_time=${SWAGE_FUZZ_SECONDS} -timeout=30 -rss_limit_mb=4096
                     -print_final_stats=1 -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/ ${found} ${seeds})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS "fuzz" TIMEOUT ${timeout})
  else()
    target_link_libraries(${name} PRIVATE swage_fuzz_driver)
    add_test(NAME fuzz.${name}
             COMMAND ${name} --runs=20000 --seconds=10 --ext=${ARG_EXT} ${ARG_CORPUS})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS "fuzz" TIMEOUT 300
                         WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
endfunction()

# swage_sample(<name> [ARGS ...])
# The program samples/<name>/<name>.cc, built as a user would build it: against the shared library
# and <swage/...>. It goes to build/samples/<name>; ctest runs it with ARGS and wants exit code 0.
function(swage_sample name)
  cmake_parse_arguments(ARG "" "" "ARGS" ${ARGN})
  add_executable(sample_${name} ${CMAKE_SOURCE_DIR}/samples/${name}/${name}.cc)
  set_target_properties(sample_${name} PROPERTIES OUTPUT_NAME ${name}
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/samples)
  target_link_libraries(sample_${name} PRIVATE swage::swage)
  add_dependencies(swage_demo sample_${name})
  if(SWAGE_BUILD_TESTS)
    add_test(NAME sample.${name} COMMAND sample_${name} ${ARG_ARGS} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(sample.${name} PROPERTIES LABELS "samples" TIMEOUT 300
                         ENVIRONMENT ${SWAGE_ASAN_ENVIRONMENT})
  endif()
endfunction()

# swage_bench(<name> SRCS a_bench.cc ... [DEPS ...] [SMOKE regex])
# One Google Benchmark binary, build/bench/<name>. ctest only looks whether it runs, and runs only
# the benchmarks that SMOKE matches.
function(swage_bench name)
  cmake_parse_arguments(ARG "" "SMOKE" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} benchmark::benchmark benchmark::benchmark_main)
  if(SWAGE_BUILD_TESTS)
    add_test(NAME bench.${name} COMMAND ${name} --benchmark_min_time=0.001 "--benchmark_filter=${ARG_SMOKE}"
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(bench.${name} PROPERTIES LABELS "bench" TIMEOUT 300)
  endif()
endfunction()
