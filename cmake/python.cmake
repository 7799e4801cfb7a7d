# The Python module, in build/python: `PYTHONPATH=build/python python3 -c "import yoke"`. Optional: it is made where CFFI, numpy
# and the headers of Python are installed.
find_program(YOKE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(YOKE_PYTHON NAMES python3)
set(YOKE_PYTHON_FOUND OFF)
if(YOKE_PYTHON AND TARGET yoke-shared)
  execute_process(COMMAND ${YOKE_PYTHON} -c "import cffi, numpy, sysconfig; print(sysconfig.get_path('include'))"
                  OUTPUT_VARIABLE PYTHON_HEADERS OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND EXISTS ${PYTHON_HEADERS}/Python.h)
    set(YOKE_PYTHON_FOUND ON)
  endif()
endif()
if(NOT YOKE_PYTHON_FOUND)
  message(STATUS "No CFFI, numpy or headers of Python (Debian: python3-cffi, python3-numpy, python3-dev): no Python module")
  return()
endif()

set(PYTHON_FOLDER ${CMAKE_BINARY_DIR}/python/yoke)
set(PYTHON_BINDING ${CMAKE_BINARY_DIR}/generated/_yoke.c)
file(GLOB PYTHON_SOURCES CONFIGURE_DEPENDS python/yoke/*.py python/yoke/*.pyi python/yoke/py.typed)
file(GLOB PUBLIC_HEADERS CONFIGURE_DEPENDS include/yoke/*.h)
add_custom_command(OUTPUT ${PYTHON_BINDING} COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${YOKE_PYTHON}
                   ${CMAKE_SOURCE_DIR}/python/build_yoke.py ${PYTHON_BINDING} DEPENDS python/build_yoke.py python/blocks.c
                   ${PUBLIC_HEADERS} COMMENT "Making the Python binding" VERBATIM)
add_library(yoke-python MODULE ${PYTHON_BINDING})
target_include_directories(yoke-python PRIVATE include)
target_include_directories(yoke-python SYSTEM PRIVATE ${PYTHON_HEADERS})
target_compile_options(yoke-python PRIVATE -Wno-error -w) # generated
target_link_libraries(yoke-python PRIVATE yoke-identifying yoke-motions yoke-expression yoke-shared ${JANSSON_LINK_LIBRARIES} m)
set_target_properties(yoke-python PROPERTIES PREFIX "" OUTPUT_NAME _yoke.abi3 LIBRARY_OUTPUT_DIRECTORY ${PYTHON_FOLDER}
                      BUILD_WITH_INSTALL_RPATH OFF BUILD_RPATH ${CMAKE_BINARY_DIR} INSTALL_RPATH "" C_VISIBILITY_PRESET hidden)
add_custom_command(OUTPUT ${PYTHON_FOLDER}/.copied COMMAND ${CMAKE_COMMAND} -E make_directory ${PYTHON_FOLDER}
                   COMMAND ${CMAKE_COMMAND} -E copy_if_different ${PYTHON_SOURCES} ${PYTHON_FOLDER}
                   COMMAND ${CMAKE_COMMAND} -E touch ${PYTHON_FOLDER}/.copied DEPENDS ${PYTHON_SOURCES} VERBATIM)
add_custom_target(python ALL DEPENDS yoke-python ${PYTHON_FOLDER}/.copied)
