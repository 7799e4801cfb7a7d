# The search of `--tune`.
if(NLOPT_INCLUDE AND NLOPT_LIBRARY)
  target_compile_definitions(${app}-parts PRIVATE YOKE_NLOPT)
  target_include_directories(${app}-parts SYSTEM PRIVATE ${NLOPT_INCLUDE})
  list(APPEND ${app}_LIBRARIES ${NLOPT_LIBRARY})
endif()
# HDF5, for yoke/columns.h.
list(APPEND ${app}_LIBRARIES ${FILE_LIBRARIES})
