# `make yardsticks`: programs to compare with, in build/yardsticks; those whose libraries are installed. Not installed.
add_custom_target(yardsticks)
set(PEERS ${CMAKE_SOURCE_DIR}/bench/peers)

# add_yardstick(NAME SOURCE...): a program of the target
function(add_yardstick name)
  add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/yardsticks)
  target_compile_options(${name} PRIVATE -Wno-unused-function) # a header with all that they share
  target_include_directories(${name} PRIVATE include) # for the linter
  target_link_libraries(${name} PRIVATE m)
  add_dependencies(yardsticks ${name})
endfunction()

add_yardstick(chain_step ${PEERS}/chain_step.c)
add_yardstick(solid bench/solid.c)

find_library(CHOLMOD_LIBRARY cholmod)
if(CHOLMOD_LIBRARY)
  add_yardstick(cholmod_step bench/cholmod_step.c apps/timing/large.c apps/timing/measure.c apps/timing/modal.c
                apps/timing/models.c)
  target_include_directories(cholmod_step PRIVATE apps)
  target_include_directories(cholmod_step SYSTEM PRIVATE ${KLU_INCLUDE})
  target_link_libraries(cholmod_step PRIVATE yoke-lib ${CHOLMOD_LIBRARY})
else()
  message(STATUS "No CHOLMOD (Debian: libsuitesparse-dev): no yardstick for sparse steps")
endif()

find_package(MPI QUIET COMPONENTS C)
pkg_check_modules(PETSC QUIET PETSc)
if(PETSC_FOUND AND MPI_C_FOUND)
  add_yardstick(petsc_step ${PEERS}/petsc_step.c)
  target_include_directories(petsc_step SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS})
  target_link_libraries(petsc_step PRIVATE ${PETSC_LINK_LIBRARIES} MPI::MPI_C)
else()
  message(STATUS "No PETSc (Debian: libpetsc-real-dev): no comparison with TSALPHA2")
endif()

find_path(SUNDIALS_INCLUDE arkode/arkode_arkstep.h)
set(SUNDIALS_LIBRARIES "")
foreach(part arkode nvecserial sunlinsolklu sunmatrixsparse)
  find_library(SUNDIALS_${part} sundials_${part})
  list(APPEND SUNDIALS_LIBRARIES ${SUNDIALS_${part}})
endforeach()
if(SUNDIALS_INCLUDE AND SUNDIALS_sunlinsolklu AND SUNDIALS_arkode)
  add_yardstick(sundials_step ${PEERS}/sundials_step.c)
  target_include_directories(sundials_step SYSTEM PRIVATE ${SUNDIALS_INCLUDE} ${KLU_INCLUDE})
  target_link_libraries(sundials_step PRIVATE ${SUNDIALS_LIBRARIES} ${KLU_LIBRARY})
else()
  message(STATUS "No SUNDIALS (Debian: libsundials-dev): no comparison with ARKODE")
endif()
