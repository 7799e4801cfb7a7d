# `yoke run` waits for it: a copy of the parts that it needs starts faster than the shared library.
set(${app}_STARTS_QUICKLY ON)
# As in `yoke`: the loader looks up the names of OpenBLAS in it first.
if(OPENBLAS_LIBRARY)
  target_link_options(${app} PRIVATE LINKER:--push-state,--no-as-needed ${LAPACK_LIBRARY} ${BLAS_LIBRARY} ${OPENBLAS_LIBRARY}
                                     LINKER:--pop-state)
endif()
