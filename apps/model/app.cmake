# HDF5 and matio, for yoke/export.h.
list(APPEND ${app}_LIBRARIES ${FILE_LIBRARIES})
