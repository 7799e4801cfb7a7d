"""The wheel of the Python module, with libyoke.so.0 inside. `make wheel` calls it; YOKE_LIBRARY is the build folder."""

import os
import re
import shutil

from setuptools import setup

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("YOKE_LIBRARY") or os.path.join(os.path.dirname(HERE), "build")
os.environ["YOKE_LIBRARY"] = BUILD
os.environ["YOKE_BUILD"] = "1"

with open(os.path.join(os.path.dirname(HERE), "CMakeLists.txt"), encoding="utf-8") as cmake:
    VERSION = re.search(r"project\(yoke VERSION ([0-9.]+)", cmake.read()).group(1)

LIBRARY = os.path.join(HERE, "yoke", "libyoke.so.0")
shutil.copyfile(os.path.realpath(os.path.join(BUILD, "libyoke.so.0")), LIBRARY)
try:
    setup(name="yoke", version=VERSION, description="Hybrid simulation: models coupled with specimens on a rig",
          license="BSD-3-Clause", packages=["yoke"], package_data={"yoke": ["py.typed", "libyoke.so.0"]},
          python_requires=">=3.9", install_requires=["numpy", "cffi"], setup_requires=["cffi"],
          cffi_modules=["build_yoke.py:ffibuilder"], zip_safe=False,
          options={"bdist_wheel": {"py_limited_api": "cp39"}})
finally:
    os.remove(LIBRARY)
