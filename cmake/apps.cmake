# Every folder of apps/ is a program, yoke-NAME, which `yoke NAME` starts. It sees the public headers and its own folder,
# nothing of src/. command.c says what `yoke` itself must know of it, and is compiled into both; NAME is the command it
# defines. app.cmake, where there is one, adds what else the program needs: libraries to ${app}_LIBRARIES, definitions and include
# folders to ${app}-parts, and objects beside the program (object/).
#
# An app links libyoke.so.0, as programs of users do: it starts a little later than `yoke` and has no copy of the library.
# If app.cmake sets ${app}_STARTS_QUICKLY, the app has a copy of the parts that it uses instead, and starts sooner than `yoke`.
set(APPS "")
set(APP_COMMANDS "") # the files command.c
set(APP_LIBRARY yoke-lib)
if(TARGET yoke-shared)
  set(APP_LIBRARY yoke-shared)
endif()

file(GLOB app_commands CONFIGURE_DEPENDS apps/*/command.c)
foreach(table ${app_commands})
  get_filename_component(folder ${table} DIRECTORY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} line REGEX "^const struct yk_command command_[a-z]+ = ")
  string(REGEX REPLACE ".* command_([a-z]+) = .*" "yoke-\\1" app "${line}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.c)
  list(REMOVE_ITEM sources ${folder}/main.c)
  list(FILTER sources EXCLUDE REGEX "${folder}/object/") # of a shared object that app.cmake builds
  add_library(${app}-parts OBJECT ${sources}) # all but main: tests link them, too
  add_executable(${app} ${folder}/main.c $<TARGET_OBJECTS:${app}-parts>)
  foreach(target ${app} ${app}-parts)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include)
    target_include_directories(${target} SYSTEM PRIVATE ${JANSSON_INCLUDE_DIRS})
  endforeach()
  set(${app}_LIBRARIES ${JANSSON_LINK_LIBRARIES}) # what these objects need besides the library
  if(EXISTS ${folder}/app.cmake)
    include(${folder}/app.cmake)
  endif()
  set(library ${APP_LIBRARY})
  if(${app}_STARTS_QUICKLY)
    set(library yoke-lib)
    set_target_properties(${app} PROPERTIES STARTS_QUICKLY ON)
    target_link_options(${app} PRIVATE -Wl,--as-needed)
  endif()
  target_link_libraries(${app} PRIVATE ${LIBRARIES_BESIDE} ${library} ${${app}_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} m)
  get_filename_component(${app}_FOLDER ${folder} NAME)
  list(APPEND APPS ${app})
  list(APPEND APP_COMMANDS ${table})
endforeach()
