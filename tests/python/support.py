"""Shared by the tests of the Python module."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ["YOKE_SOURCE"]
PROGRAM = os.environ["YOKE_PROGRAM"]
EXAMPLES = os.path.join(SOURCE, "examples")


def frame_of_readme():
    """frame.yaml of the README."""
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as page:
        return re.search(r"<!-- file: frame.yaml -->\n```yaml\n(.*?)^```", page.read(), re.S | re.M).group(1)


def example(name):
    return os.path.join(EXAMPLES, name)


SPECIMEN = example("spring-specimen/spring-specimen.yaml")

OSCILLATOR = {
    "title": "one mass", "time": {"step": "1 ms", "end": "1 s"}, "method": {"integrator": "lsrt2"},
    "substructures": {"rig": {"kind": "assembled", "nodes": {"mass": {"mass": "2 kg"}},
                              "elements": [{"kind": "spring", "between": ["ground", "mass.x"], "stiffness": "800 N/m"}],
                              "initial": {"velocity": {"mass.x": 1.0}}}},
}


def with_element(element, method="lsrt2"):
    """The oscillator with another element."""
    model = {**OSCILLATOR, "method": {"integrator": method}}
    rig = {**model["substructures"]["rig"], "elements": [{"between": ["ground", "mass.x"], **element}]}
    model["substructures"] = {"rig": rig}
    return model


class InFolder(unittest.TestCase):
    """A test in an empty working folder, with frame.yaml, specimen.yaml and hills.AT2."""

    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.mkdtemp(prefix="yoke-test-")
        os.chdir(self.folder)
        with open("frame.yaml", "w", encoding="utf-8") as out:
            out.write(frame_of_readme())
        shutil.copy(SPECIMEN, "specimen.yaml")
        shutil.copy(example("ground-motions/hills.AT2"), "hills.AT2")

    def tearDown(self):
        os.chdir(self.before)
        shutil.rmtree(self.folder)


def program(*words):
    """The program, quietly; its result."""
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


def rows(stream):
    """The bytes of a stream, None where there is none."""
    return None if stream is None else stream._rows.tobytes()


def streams(rec):
    return rows(rec), rows(rec.fine), rows(rec.ticks)
