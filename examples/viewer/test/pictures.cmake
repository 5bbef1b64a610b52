# Runs the viewer without a screen at the start of a fall and after it, and with rigid links before and after one of
# them is dragged, and compares the pictures.
set(ENV{LIBGL_ALWAYS_SOFTWARE} 1)
function(show picture)
  execute_process(
    COMMAND ${xvfb_run} -a -s "-screen 0 1280x1024x24" ${viewer} --screenshot ${folder}/${picture}.ppm ${ARGN}
    COMMAND_ECHO STDOUT RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the viewer ends with ${result}")
  endif()
endfunction()
show(1 --frames 1)
show(30 --frames 30)
show(chain --frames 1 chain)
show(dragged --frames 20 --drag 0.5 0.25 0.75 0.25 chain)
execute_process(COMMAND ${compare} ${folder}/1.ppm ${folder}/30.ppm RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the pictures are not those of a falling ball")
endif()
execute_process(COMMAND ${compare} links ${folder}/chain.ppm ${folder}/dragged.ppm RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the pictures are not those of a chain that is dragged")
endif()
