# What `make install` puts where: program, library, headers, pkg-config file, CMake package, manual page, completion, scripts
# for OpenSees, published cases.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(YOKE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/yoke)

install(TARGETS yoke-lib ${LIBRARIES_BESIDE} EXPORT yokeTargets)
if(TARGET yoke-shared)
  install(TARGETS yoke-shared EXPORT yokeTargets)
endif()
install(DIRECTORY include/yoke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY tools/opensees DESTINATION ${CMAKE_INSTALL_DATADIR}/yoke)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/yoke USE_SOURCE_PERMISSIONS PATTERN out EXCLUDE) # `yoke new` copies them
install(DIRECTORY papers data/actuators DESTINATION ${CMAKE_INSTALL_DATADIR}/yoke)
install(DIRECTORY data/measured DESTINATION ${CMAKE_INSTALL_DATADIR}/yoke/data) # recordings that the cases in papers/measured compare with
install(EXPORT yokeTargets NAMESPACE yoke:: DESTINATION ${YOKE_CMAKE_DIR})
configure_package_config_file(cmake/yokeConfig.cmake.in ${CMAKE_BINARY_DIR}/generated/yokeConfig.cmake
                              INSTALL_DESTINATION ${YOKE_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/yokeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/yokeConfig.cmake ${CMAKE_BINARY_DIR}/generated/yokeConfigVersion.cmake
        DESTINATION ${YOKE_CMAKE_DIR})

# pkg-config: a static library brings what it needs; libraries outside the usual folders bring their path.
foreach(item ${YOKE_LIBRARIES} ${MATIO_LINK_LIBRARIES} ${HDF5_C_LIBRARIES} pthread ${CMAKE_DL_LIBS} m)
  if(IS_ABSOLUTE ${item})
    get_filename_component(folder ${item} DIRECTORY)
    get_filename_component(name ${item} NAME_WE)
    string(REGEX REPLACE "^lib" "" name ${name})
    if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND YOKE_PC_LIBS " -L${folder} -Wl,-rpath,${folder}")
    endif()
    string(APPEND YOKE_PC_LIBS " -l${name}")
  else()
    string(APPEND YOKE_PC_LIBS " -l${item}")
  endif()
endforeach()
if(BUILD_SHARED_LIBS OR TARGET yoke-shared) # `pkg-config --static` names the others
  set(YOKE_PC_LIBS_PRIVATE ${YOKE_PC_LIBS})
  set(YOKE_PC_LIBS "")
endif()
file(RELATIVE_PATH YOKE_PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" YOKE_PC_UP ${YOKE_PC_UP})
configure_file(cmake/yoke.pc.in ${CMAKE_BINARY_DIR}/generated/yoke.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/yoke.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# `program`: all that the installation holds and the Python module, and no test.
add_custom_target(program DEPENDS yoke-lib)
foreach(part yoke-shared python)
  if(TARGET ${part})
    add_dependencies(program ${part})
  endif()
endforeach()
if(TARGET yoke)
  install(TARGETS yoke)
  set(completion ${CMAKE_BINARY_DIR}/generated/completion/yoke)
  add_custom_command(OUTPUT ${completion} COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated/completion
                     COMMAND yoke completion bash > ${completion} DEPENDS yoke VERBATIM)
  add_custom_target(completion ALL DEPENDS ${completion})
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  set(schema ${CMAKE_BINARY_DIR}/experiment.schema.json)
  add_custom_command(OUTPUT ${schema} COMMAND yoke reference --schema > ${schema} DEPENDS yoke VERBATIM)
  add_custom_target(schema ALL DEPENDS ${schema})
  install(FILES ${schema} DESTINATION ${CMAKE_INSTALL_DATADIR}/yoke)
  add_dependencies(program yoke completion schema)
endif()

# The programs of the commands, and where `yoke` finds them.
file(RELATIVE_PATH YOKE_APPS_FOLDER /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBEXECDIR}/yoke)
set_source_files_properties(src/cli/apps.c PROPERTIES COMPILE_DEFINITIONS YOKE_APPS_FOLDER="${YOKE_APPS_FOLDER}")
file(RELATIVE_PATH YOKE_PROGRAM_FOLDER /prefix/${CMAKE_INSTALL_LIBEXECDIR}/yoke /prefix/${CMAKE_INSTALL_BINDIR})
set_source_files_properties(apps/dash/main.c PROPERTIES COMPILE_DEFINITIONS YOKE_PROGRAM_FOLDER="${YOKE_PROGRAM_FOLDER}")
file(RELATIVE_PATH APP_TO_LIB /prefix/${CMAKE_INSTALL_LIBEXECDIR}/yoke /prefix/${CMAKE_INSTALL_LIBDIR})
foreach(app ${APPS})
  # beside the library in the build folder, and where the installation has it; no room for more, see CMakeLists.txt
  set_target_properties(${app} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;$ORIGIN/${APP_TO_LIB}")
  install(TARGETS ${app} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/yoke)
  add_dependencies(program ${app})
endforeach()

if(TARGET yoke-mpi)
  install(TARGETS yoke-mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/yoke)
  add_dependencies(program yoke-mpi)
  file(RELATIVE_PATH YOKE_MPI_FOLDER /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR}/yoke)
  file(RELATIVE_PATH YOKE_MPI_FROM_APP /prefix/${CMAKE_INSTALL_LIBEXECDIR}/yoke /prefix/${CMAKE_INSTALL_LIBDIR}/yoke)
  set_source_files_properties(src/linalg/mpi.c PROPERTIES COMPILE_DEFINITIONS
    "YOKE_MPI_FOLDER=\"${YOKE_MPI_FOLDER}\";YOKE_MPI_FROM_APP=\"${YOKE_MPI_FROM_APP}\"")
endif()

# Where the program and the library find the process of FMUs.
file(RELATIVE_PATH YOKE_FMU_HOST_FOLDER /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBEXECDIR}/yoke)
file(RELATIVE_PATH YOKE_FMU_HOST_FROM_LIB /prefix/${CMAKE_INSTALL_LIBDIR} /prefix/${CMAKE_INSTALL_LIBEXECDIR}/yoke)
set_source_files_properties(src/fmi/fmu_process.c PROPERTIES COMPILE_DEFINITIONS
  "YOKE_FMU_HOST_FOLDER=\"${YOKE_FMU_HOST_FOLDER}\";YOKE_FMU_HOST_FROM_LIB=\"${YOKE_FMU_HOST_FROM_LIB}\"")
if(TARGET yoke-fmu-host)
  install(TARGETS yoke-fmu-host DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/yoke)
  add_dependencies(program yoke-fmu-host)
  if(TARGET yoke-fmi2)
    install(TARGETS yoke-fmi2 yoke-fmi3 DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/yoke)
    add_dependencies(program yoke-fmi2 yoke-fmi3)
  endif()
endif()

find_program(SCDOC scdoc)
if(SCDOC)
  set(manual ${CMAKE_BINARY_DIR}/generated/yoke.1)
  # the commands are described by their tables
  add_custom_command(OUTPUT ${manual} COMMAND ${SCDOC} < ${CMAKE_SOURCE_DIR}/docs/man/yoke.1.scd > ${manual}.frame
                     COMMAND yoke help --manual > ${manual}.commands
                     COMMAND ${CMAKE_COMMAND} -DFRAME=${manual}.frame -DCOMMANDS=${manual}.commands -DOUTPUT=${manual}
                     -P ${CMAKE_SOURCE_DIR}/cmake/manual.cmake
                     DEPENDS docs/man/yoke.1.scd cmake/manual.cmake yoke VERBATIM)
  add_custom_target(manual ALL DEPENDS ${manual})
  add_dependencies(program manual)
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  install(CODE "message(\"-- The manual page yoke(1) is left out: it is made with scdoc, which is not here.\")")
endif()
