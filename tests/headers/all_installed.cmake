# Every header of the source tree is in the install tree.
cmake_minimum_required(VERSION 3.24)

file(GLOB_RECURSE headers RELATIVE ${include_folder} ${include_folder}/*)
foreach(header IN LISTS headers)
  if(NOT EXISTS ${installed_folder}/${header})
    message(SEND_ERROR "${header} is not installed")
  endif()
endforeach()
