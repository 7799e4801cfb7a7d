# HTTP and WebSocket; without it the program says what is missing.
if(CIVETWEB_INCLUDE AND CIVETWEB_LIBRARY)
  target_compile_definitions(${app}-parts PRIVATE YOKE_CIVETWEB)
  target_include_directories(${app}-parts SYSTEM PRIVATE ${CIVETWEB_INCLUDE})
  list(APPEND ${app}_LIBRARIES ${CIVETWEB_LIBRARY})
endif()

# The examples that the dashboard can run.
set(LEARN_FILES "")
foreach(file free-vibration-compensation/free-vibration spring-specimen/spring-specimen paced-split-mass/paced-split-mass)
  list(APPEND LEARN_FILES ${CMAKE_SOURCE_DIR}/examples/${file}.yaml)
endforeach()
set(LEARN_TABLE ${CMAKE_BINARY_DIR}/generated/learn_files.c)
add_custom_command(OUTPUT ${LEARN_TABLE} COMMAND ${CMAKE_COMMAND} "-DFILES=${LEARN_FILES}" -DTABLE=yk_learn_files
                   -DOUTPUT=${LEARN_TABLE} -P ${CMAKE_SOURCE_DIR}/cmake/assets.cmake DEPENDS ${LEARN_FILES} cmake/assets.cmake
                   COMMENT "Embedding examples" VERBATIM)
target_sources(${app}-parts PRIVATE ${LEARN_TABLE})
