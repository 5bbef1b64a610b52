# What our own tests, examples and benchmarks are built with, and users are not: warnings, sanitizers, tuning.
option(PLIANT_WARNINGS_AS_ERRORS "Stop at the first warning in our own code" ON)
option(PLIANT_NATIVE "Build for the instruction set of this machine" OFF)
set(PLIANT_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")

add_library(pliant_dev INTERFACE)
target_link_libraries(pliant_dev INTERFACE pliant::pliant)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(pliant_dev INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
    $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-sign-conversion>  # part of its -Wconversion, unlike that of GCC
    $<$<BOOL:${PLIANT_WARNINGS_AS_ERRORS}>:-Werror>
    # GCC 12 finds these in its own std::string and intrinsics once they are inlined; the sanitizers are surer.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-maybe-uninitialized;-Wno-uninitialized>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
    $<$<BOOL:${PLIANT_NATIVE}>:-march=native>)
  if(PLIANT_SANITIZE)
    set(sanitizers -fsanitize=${PLIANT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(pliant_dev INTERFACE ${sanitizers})
    target_link_options(pliant_dev INTERFACE ${sanitizers})
  endif()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, ..." FORCE)
endif()
