# `yoke run` waits for it: a copy of the parts that it needs starts faster than the shared library.
set(${app}_STARTS_QUICKLY ON)
