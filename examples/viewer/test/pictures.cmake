# Runs the viewer without a screen at the start of a fall and after it, and compares the pictures.
foreach(frames IN ITEMS 1 30)
  set(ENV{LIBGL_ALWAYS_SOFTWARE} 1)
  execute_process(
    COMMAND ${xvfb_run} -a -s "-screen 0 1280x1024x24" ${viewer} --frames ${frames} --screenshot ${folder}/${frames}.ppm
    COMMAND_ECHO STDOUT RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the viewer ends with ${result}")
  endif()
endforeach()
execute_process(COMMAND ${compare} ${folder}/1.ppm ${folder}/30.ppm RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the pictures are not those of a falling ball")
endif()
