# What a compiler can do against a mistake that a stranger's file would use: guards on the stack, checked copies, pages of
# the stack touched in order, landing places for jumps, a program at no fixed address, and tables of the loader that are
# read-only. In builds for use alone: sanitizers do the same and more, and debug builds are not optimised. The cost is below
# 2 % (docs/performance.md); `tests/e2e/hardening.sh` finds each of them in the program and the library.
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

set(HARDENING "")
if(CMAKE_BUILD_TYPE MATCHES "^Rel" AND NOT SANITIZERS AND NOT YOKE_FUZZ)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "YOKE_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has}) # -fcf-protection is for x86, -mbranch-protection for arm64
    if(${has})
      list(APPEND HARDENING ${flag})
    endif()
  endforeach()
  if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
    list(APPEND HARDENING -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  else()
    list(APPEND HARDENING -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
endif()

# What runs in the loop and sees numbers alone has no guard on the stack and no landing places for jumps, only the mark for
# a shadow stack, which costs nothing: its functions are small and many, and these would be 6 % of the instructions of a
# tick. Readers of files, messages and words have all of it.
if(HARDENING)
  file(GLOB_RECURSE NUMERICS CONFIGURE_DEPENDS src/linalg/*.c src/integrator/*.c src/coupling/*.c src/transfer/*.c
       src/substructure/*.c src/state/*.c src/engine/*.c src/rig/virtual/*.c src/model/law/*.c src/model/signal/*.c)
  list(FILTER NUMERICS EXCLUDE REGEX "/engine/(telemetry|console|peer|journal|describe|summary|recorded)\\.c")
  set_property(SOURCE ${NUMERICS} APPEND PROPERTY COMPILE_OPTIONS -fno-stack-protector)
  if("-fcf-protection" IN_LIST HARDENING)
    set_property(SOURCE ${NUMERICS} APPEND PROPERTY COMPILE_OPTIONS -fcf-protection=return)
  endif()
endif()

# harden(TARGET...): of what is installed; tests are as they are.
function(harden)
  foreach(target ${ARGN})
    if(TARGET ${target} AND HARDENING)
      get_target_property(kind ${target} TYPE)
      target_compile_options(${target} PRIVATE ${HARDENING})
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      if(kind MATCHES "EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY")
        target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now)
      endif()
    endif()
  endforeach()
endfunction()
