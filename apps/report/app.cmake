# `yoke run` waits for the page: a copy of the few parts that it needs starts five times as fast as the shared library.
set(${app}_STARTS_QUICKLY ON)
