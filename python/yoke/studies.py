"""One experiment with many settings."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, Union

import numpy as np

from . import errors
from .recording import Recording, _need
from .run import _each, _run_one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .experiment import Experiment

Measure = Callable[[Recording], float]


class _Of:
    """A measure of one channel: only that channel is kept."""

    def __init__(self, name: str, compute: Callable[[Recording, str], float], word: str) -> None:
        self.name, self.compute, self.word = name, compute, word

    def __call__(self, recording: Recording) -> float:
        return self.compute(recording, self.name)

    def __repr__(self) -> str:
        return f"yoke.{self.word}({self.name!r})"


def peak(name: str) -> Measure:
    """The largest absolute value of a channel, over all steps."""
    return _Of(name, lambda rec, of: rec.peak[of], "peak")


def rms(name: str) -> Measure:
    """The root mean square of a channel."""
    return _Of(name, lambda rec, of: float(np.sqrt(np.mean(np.square(rec[of])))), "rms")


def final(name: str) -> Measure:
    """The last value of a channel."""
    return _Of(name, lambda rec, of: float(rec[of][-1]), "final")


@dataclass(frozen=True)
class Failure:
    """A run of a study that failed."""

    index: int
    error: BaseException


class Study:
    """Results of a study: `st[name]` (n,) of a measure, `st.inputs[key]` (n,) of a setting."""

    def __init__(self, keys: Sequence[str], rows: Sequence[Mapping[str, Any]], results: Mapping[str, "NDArray[np.float64]"],
                 shape: tuple[int, ...], failures: Sequence[Failure]) -> None:
        #: settings by dotted key (n,)
        self.inputs: dict[str, Any] = {key: np.array([row.get(key) for row in rows]) for key in keys}
        self._results = dict(results)
        self._shape = shape
        #: runs that failed, by index; their results are nan
        self.failures: tuple[Failure, ...] = tuple(failures)

    def __len__(self) -> int:
        return int(np.prod(self._shape))

    def __getitem__(self, name: str) -> "NDArray[np.float64]":
        """The results of a measure (n,)."""
        return self._results[name]

    def keys(self) -> list[str]:
        """Names of the measures."""
        return list(self._results)

    def grid(self, name: str) -> "NDArray[np.float64]":
        """The results of a measure in the shape of the combinations, the first key along the first axis."""
        return self._results[name].reshape(self._shape)

    def to_pandas(self) -> Any:
        """A DataFrame of settings and results. Needs pandas."""
        return _need("pandas").DataFrame({**self.inputs, **self._results})

    def __repr__(self) -> str:
        return f"<yoke.Study: {len(self)} runs of {', '.join(self.inputs)}; {len(self.failures)} failed>"


def study(exp: "Experiment", over: Union[Mapping[str, Sequence[Any]], Sequence[Mapping[str, Any]]],
          measure: Mapping[str, Measure], *, threads: int = 0) -> Study:
    """Runs an experiment with many settings, on virtual rigs, and keeps numbers of each run.

    over: all combinations of {key: values}, of which the first key varies slowest; or a list of {key: value}. measure:
    name to `yoke.peak`, `yoke.rms`, `yoke.final` or a function of the `Recording`. Failed runs are nan, see `failures`.
    """
    if not measure:
        raise errors.InputError("a study needs at least one measure")
    if isinstance(over, Mapping):
        keys = list(over)
        values = [list(over[key]) for key in keys]
        rows = [dict(zip(keys, combination)) for combination in itertools.product(*values)]
        shape = tuple(len(v) for v in values)
    else:
        rows = [dict(row) for row in over]
        keys = list(dict.fromkeys(key for row in rows for key in row))
        shape = (len(rows),)
    keep = [m.name for m in measure.values() if isinstance(m, _Of)] if all(
        isinstance(m, _Of) for m in measure.values()) else None
    known = {channel.name for channel in exp.channels}
    for name in keep or ():
        if name not in known:
            raise errors.InputError(f"there is no channel '{name}' to measure")

    def work(job: Any) -> list[float]:
        recording = _run_one(job, keep)
        return [float(m(recording)) for m in measure.values()]

    table = np.full((len(rows), len(measure)), np.nan)
    failures = []
    for i, result in enumerate(_each([(exp, row) for row in rows], threads, work)):
        if isinstance(result, BaseException):
            failures.append(Failure(i, result))
        else:
            table[i] = result
    return Study(keys, rows, {name: table[:, i].copy() for i, name in enumerate(measure)}, shape, failures)
