# One program from two units that are compiled for different instruction sets, as happens where an engine and its
# plug-in bring their own flags. Linked in both orders, for the linker keeps the first of two equal functions.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  return()
endif()

# No pliant_dev: with PLIANT_NATIVE its -march would come last and win.
foreach(unit IN ITEMS generic native)
  add_library(mixed_march_${unit} OBJECT simulation/mixed_march/unit.cpp)
  target_compile_definitions(mixed_march_${unit} PRIVATE UNIT=${unit})
  target_link_libraries(mixed_march_${unit} PRIVATE pliant::pliant)
endforeach()
target_compile_options(mixed_march_generic PRIVATE -march=x86-64)
target_compile_options(mixed_march_native PRIVATE -march=native)

function(pliant_add_mixed_march_test first second)
  set(program mixed_march_${first}_first)
  add_executable(${program} simulation/mixed_march/main.cpp
    $<TARGET_OBJECTS:mixed_march_${first}> $<TARGET_OBJECTS:mixed_march_${second}>)
  target_link_libraries(${program} PRIVATE pliant::pliant)
  add_test(NAME simulation/${program} COMMAND ${program})
  set_tests_properties(simulation/${program} PROPERTIES LABELS simulation)
endfunction()
pliant_add_mixed_march_test(generic native)
pliant_add_mixed_march_test(native generic)
