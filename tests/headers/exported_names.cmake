# Compares the names of pliant and pliant::simd that <pliant/pliant.hpp> declares with the list exported_names.txt.
# Clang lists them: they are what it offers to complete `pliant::`. Members of classes, names in detail and operators
# are not in the list. Arguments: compiler (a clang++), include_folder, eigen_folder, list, folder (for files of this
# test), and write=ON to write the list instead.
cmake_minimum_required(VERSION 3.24)

set(names)
foreach(namespace IN ITEMS pliant pliant::simd)
  set(source ${folder}/complete.cpp)
  set(line "auto name = ${namespace}::")
  file(WRITE ${source} "#include <pliant/pliant.hpp>\n${line}\n;\n")
  string(LENGTH "${line}" column)
  math(EXPR column "${column} + 1")
  execute_process(
    COMMAND ${compiler} -std=c++20 -fsyntax-only -I ${include_folder} -isystem ${eigen_folder} ${source}
      -Xclang -code-completion-at=${source}:2:${column}
    OUTPUT_VARIABLE completions ERROR_VARIABLE errors)
  string(REGEX MATCHALL "COMPLETION: [A-Za-z_][A-Za-z_0-9]*" completions "${completions}")
  list(LENGTH completions count)
  if(errors OR count LESS 10)
    message(FATAL_ERROR "${compiler} does not list the names of ${namespace}:\n${errors}")
  endif()
  list(TRANSFORM completions REPLACE "COMPLETION: " "${namespace}::")
  list(APPEND names ${completions})
endforeach()
list(REMOVE_DUPLICATES names)
list(SORT names)

if(write)
  list(JOIN names "\n" text)
  file(WRITE ${list} "${text}\n")
  return()
endif()

file(STRINGS ${list} expected)
set(added ${names})
list(REMOVE_ITEM added ${expected})
set(missing ${expected})
list(REMOVE_ITEM missing ${names})
if(added OR missing)
  list(JOIN added "\n  " added)
  list(JOIN missing "\n  " missing)
  message(FATAL_ERROR "The names that pliant.hpp declares are not those of ${list}.
Not in the list:
  ${added}
A name that programs do not need belongs to pliant::detail::<folder> (docs/architecture.md, \"Public and internal\").
In the list, but not declared:
  ${missing}
Programs may use such a name: say in CHANGELOG.md what replaces it.
If the changes are intended, this command writes the list:
  cmake -D write=ON -D compiler=${compiler} -D include_folder=${include_folder} -D eigen_folder=${eigen_folder} \\
    -D list=${list} -D folder=${folder} -P ${CMAKE_CURRENT_LIST_FILE}")
endif()
