# Writes generated/version.h when the revision is another than the one in it; runs with every build.
set(YOKE_REVISION "unknown")
set(archived "$Format:%H$") # `git archive` writes the revision here
if(archived MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${archived} 0 12 YOKE_REVISION)
endif()
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE found
                  RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(YOKE_REVISION ${found})
  endif()
endif()
configure_file(${SOURCE}/src/base/version.h.in ${OUTPUT} @ONLY)
