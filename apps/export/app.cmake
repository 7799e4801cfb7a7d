# HDF5 and matio, for yoke/export.h.
list(APPEND ${app}_LIBRARIES ${FILE_LIBRARIES})

# What an exported FMU holds (object/): the numerics, and no symbol but those of FMI.
if(FMI_FOUND AND NOT BUILD_SHARED_LIBS AND NOT SANITIZERS AND NOT YOKE_FUZZ)
  foreach(version 2 3)
    add_library(yoke-fmi${version} MODULE ${folder}/object/instance.c ${folder}/object/fmi${version}.c)
    set_target_properties(yoke-fmi${version} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                          C_VISIBILITY_PRESET hidden LINK_DEPENDS ${folder}/object/exports.map)
    target_include_directories(yoke-fmi${version} SYSTEM PRIVATE ${JANSSON_INCLUDE_DIRS})
    target_link_libraries(yoke-fmi${version} PRIVATE yoke-lib)
    target_link_options(yoke-fmi${version} PRIVATE -Wl,--version-script,${folder}/object/exports.map -Wl,--as-needed
                        -Wl,--gc-sections -Wl,-s -Wl,-z,defs)
    add_dependencies(${app} yoke-fmi${version})
  endforeach()
endif()
