"""A test of your own: the questions of `yoke new`, answered by arguments."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, Optional

from . import errors
from .experiment import Experiment, load


def _program() -> str:
    """`yoke`: of the build folder this module lies in, or in the path."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "yoke")
    found = beside if os.path.isfile(beside) and os.access(beside, os.X_OK) else shutil.which("yoke")
    if not found:
        raise errors.UnsupportedError("the program `yoke` is not in the path, and it answers the questions of a new test")
    return found


def _words(answers: dict[str, Any]) -> list[str]:
    words = []
    for name, value in answers.items():
        several = isinstance(value, (list, tuple))
        words += ["--" + name.replace("_", "-"), ", ".join(str(v) for v in value) if several else str(value)]
    return words


def new(folder: "str | os.PathLike[str]", *, example: Optional[str] = None, **answers: Any) -> Experiment:
    """A new folder with an experiment, its data files and a README; the experiment, loaded.

    answers: the options of `yoke new`, with `_` for `-`: `yoke.new("frame", storeys=4, period="0.6 s",
    specimen="brace")`. Nothing is asked; what is left out has a default. example: copies that example instead. Raises
    `CheckFailed` if no actuator of the table gives a usable test, and `InputError` for answers that make no sense or a
    folder that exists.
    """
    path = os.fspath(folder)
    words = [_program(), "new", path, "--defaults", "--json", *_words(answers)]
    if example is not None:
        words = [_program(), "new", path, "--from", example, "--json", *_words(answers)]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    said = done.stderr.strip().split(": ", 1)[-1]
    if done.returncode == 4:
        raise errors.CheckFailed(said)
    if done.returncode:
        raise errors.InputError(said or f"`yoke new` ended with code {done.returncode}")
    made = json.loads(done.stdout)
    if example is None:
        return load(made["file"])
    names = sorted(name for name in os.listdir(path) if name.endswith(".yaml"))
    return load(os.path.join(path, example + ".yaml" if example + ".yaml" in names else names[0]))
