"""Makes yoke._yoke: the interface for programs (yoke/yoke.h) for Python, by CFFI in API mode.

The declarations are cut out of the public headers by the C preprocessor, so that nothing is typed twice.

usage: build_yoke.py OUTPUT.c    writes the C source of the module; CMake compiles it
"""

import os
import re
import subprocess
import sys

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.environ.get("YOKE_INCLUDE", os.path.join(os.path.dirname(HERE), "include"))
HEADERS = ("status.h", "units.h", "yoke.h", "arrays.h", "motion.h", "expression.h")

# What blocks.c calls and offers.
BLOCKS = """
extern "Python" double py_law_force(void *handle, double d, double w, double h, intptr_t old, intptr_t next);
extern "Python" void py_law_tangent(void *handle, double d, double w, double h, intptr_t old, double *pair);
extern "Python" double py_law_stored(void *handle, double d);
extern "Python" void py_law_rest(void *handle, double d, intptr_t state);
extern "Python" void py_forget(void *handle, intptr_t memory);
extern "Python" void py_system_force(void *handle, intptr_t self, double t, intptr_t u, intptr_t v, intptr_t r);
extern "Python" void py_system_tangent(void *handle, intptr_t self, double t, intptr_t u, intptr_t v, intptr_t K,
                                        intptr_t C);
extern "Python" void py_system_rest(void *handle, intptr_t self, intptr_t u);
extern "Python" void py_system_commit(void *handle, intptr_t self, double t, intptr_t u, intptr_t v);
extern "Python" void py_system_keep(void *handle, intptr_t self, int k);
extern "Python" double py_signal_value(void *handle, double t);
extern "Python" void py_controller_reset(void *handle, intptr_t self, double x, double tick);
extern "Python" double py_controller_command(void *handle, intptr_t self, double t, double command, double measured);
extern "Python" void py_controller_clipped(void *handle, intptr_t self, double sent);
extern "Python" void py_compensator_reset(void *handle, intptr_t self, double x, double step, int stages);
extern "Python" double py_compensator_command(void *handle, intptr_t self, double t, double x, double v, double a,
                                              double delay);
extern "Python" void py_compensator_learn(void *handle, intptr_t self, double measured);
extern "Python" int py_rig_exchange(void *handle, intptr_t self, int rest, intptr_t command, size_t n, double *out);
extern "Python" void py_rig_close(void *handle, intptr_t self);
extern "Python" void py_rig_cut(void *handle, intptr_t self);

struct py_block;
struct py_block *py_block_new(int family, const char *name, void *handle, unsigned has, size_t memory, size_t n,
                              const char *names, const double *mass);
void py_block_free(struct py_block *block);
struct yk_component *py_components(size_t count, struct py_block *const *blocks);
"""


def declarations() -> str:
    """What the headers of the interface declare, without macros, attributes and what they include."""
    text = subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c11", "-E", "-I", INCLUDE, "-x", "c", "-"],
        input="#include <yoke/yoke.h>\n#include <yoke/arrays.h>\n#include <yoke/motion.h>\n#include <yoke/expression.h>\n", capture_output=True, text=True, check=True).stdout
    kept, keep = [], False
    for line in text.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            keep = any(mark.group(1).endswith("/yoke/" + name) for name in HEADERS)
        elif keep:
            kept.append(line)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", "\n".join(kept))
    # functions of variable arguments and those that return structs for printf are for C
    return re.sub(r"enum yk_status yk_fail\w*\([^;]*\.\.\.\)\s*;", "", text)


def builder() -> cffi.FFI:
    ffi = cffi.FFI()
    ffi.cdef(declarations())
    ffi.cdef(BLOCKS)
    with open(os.path.join(HERE, "blocks.c"), encoding="utf-8") as blocks:
        source = blocks.read()
    # the functions that Python provides must be declared before blocks.c uses them
    externs = "\n".join("static " + " ".join(e.split()) for e in re.findall(r'extern "Python" ([^;]*;)', BLOCKS))
    ffi.set_source("yoke._yoke", "#include <stdint.h>\n#include <stddef.h>\n#include <math.h>\n" + externs + "\n" + source,
                   include_dirs=[INCLUDE], libraries=["yoke-identify", "yoke-motion", "yoke-expression", "yoke", "jansson", "m"],
                   library_dirs=[d for d in [os.environ.get("YOKE_LIBRARY")] if d],
                   extra_compile_args=["-std=gnu11", "-D_GNU_SOURCE", "-O2"],
                   extra_link_args=["-Wl,-rpath,$ORIGIN"], py_limited_api=True)
    return ffi


ffibuilder = builder() if "YOKE_BUILD" in os.environ or __name__ == "__main__" else None

if __name__ == "__main__":
    ffibuilder.emit_c_code(sys.argv[1])
