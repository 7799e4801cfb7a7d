"""What was recorded, as a mapping of channel name to array."""

from __future__ import annotations

import fnmatch
import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _html
from ._core import call, ffi, lib, nearest, owned, text
from .units import factor

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STREAMS = ("system", "fine", "ticks")


class Stream(Mapping[Any, "NDArray[np.float64]"]):
    """Rows that come at one rate: a mapping of channel name to array, in SI."""

    def __init__(self, names: Sequence[str], units: Sequence[str], rows: "NDArray[np.float64]") -> None:
        self._all = tuple(names)
        self._units = dict(zip(names, units))
        self._rows = rows
        self._index = {name: i for i, name in enumerate(names)}
        self._columns: dict[str, "NDArray[np.float64]"] = {}
        #: names of the channels, in the order of a row
        self.names: tuple[str, ...] = self._all

    @property
    def units(self) -> dict[str, str]:
        """The unit of every channel, "" for a pure number."""
        return {name: self._units[name] for name in self.names}

    @property
    def time(self) -> "NDArray[np.float64]":
        """(rows,) s."""
        return self._column("time")

    def _column(self, name: str) -> "NDArray[np.float64]":
        found = self._columns.get(name)
        if found is None:
            if name not in self._index:
                raise KeyError(nearest(name, self.names))
            found = np.ascontiguousarray(self._rows[:, self._index[name]])
            found.flags.writeable = False
            self._columns[name] = found
        return found

    def __getitem__(self, key: Union[str, tuple[str, str]]) -> "NDArray[np.float64]":
        """(rows,) array of a channel, read-only; `rec[name, "mm"]` in another unit."""
        if isinstance(key, tuple):
            name, unit = key
            column = self._column(name)
            return column * factor(self._units[name], unit)
        return self._column(key)

    def __iter__(self) -> Iterator[str]:
        """The names of the channels."""
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, key: object) -> bool:
        return key in self.names

    def eval(self, expression: str) -> "NDArray[np.float64]":
        """(rows,) values of an expression of channels, docs/expressions.md: `rec.eval("peak(a.u - b.u) / 3.5 m")`. SI, or the unit in brackets at its end."""
        names = [ffi.new("char[]", name.encode()) for name in self._all]
        units = [ffi.new("char[]", self._units[name].encode()) for name in self._all]
        rows = np.ascontiguousarray(self._rows, dtype=float)
        step = float(rows[1, 0] - rows[0, 0]) if len(rows) > 1 and self._all[:1] == ("time",) else 0.0
        c_names, c_units = ffi.new("char *[]", names), ffi.new("char *[]", units)
        scope = ffi.new("struct yk_expression_scope *",
                        {"count": len(names), "names": c_names, "units": c_units, "step_s": step})
        handle = ffi.new("struct yk_expression **")
        call(lib.yk_expression_compile, handle, expression.encode(), scope)
        try:
            out = np.zeros(len(rows))
            call(lib.yk_expression_run, handle[0], len(rows), rows.shape[1], ffi.from_buffer("double *", rows),
                 ffi.from_buffer("double *", out))
            return out
        finally:
            lib.yk_expression_free(handle[0])

    def select(self, pattern: str) -> tuple[tuple[str, ...], "NDArray[np.float64]"]:
        """The channels that a shell pattern names, and their values (rows, n), in the order of the recording."""
        names = tuple(name for name in self.names if fnmatch.fnmatchcase(name, pattern))
        return names, np.ascontiguousarray(self._rows[:, [self._index[name] for name in names]])


def _split(joined: Any) -> list[str]:
    return text(joined).split("\n")


def _stream(kept: Any) -> Optional[Stream]:
    if kept.channels == 0:
        return None
    rows = np.frombuffer(ffi.buffer(kept.rows, 8 * kept.count * kept.channels), dtype=np.float64) if kept.count else \
        np.zeros(0)
    rows = rows.reshape(kept.count, kept.channels).copy()
    rows.flags.writeable = False
    return Stream(_split(kept.names), _split(kept.units), rows)


class Verdict(dict[str, Any]):
    """The verdict of a run, as `summary.json` has it; a notebook shows level and reasons."""

    def _repr_html_(self) -> str:
        return _html.verdict(self)


class Recording(Stream):
    """A recorded run: a mapping of channel name to array, with the texts that belong to it. SI throughout."""

    #: rows of the fine steps of a coupled run, None where there are none
    fine: Optional[Stream]
    #: rows of the control ticks of a run with specimens, None where there are none
    ticks: Optional[Stream]

    def __init__(self, streams: Sequence[Optional[Stream]], texts: Mapping[str, str], finished: bool,
                 keep: Optional[Sequence[str]] = None) -> None:
        system = streams[0] or Stream(("time",), ("s",), np.zeros((0, 1)))
        super().__init__(system._all, [system._units[name] for name in system._all], system._rows)
        if keep is not None and not any(fnmatch.fnmatchcase("time", pattern) for pattern in keep):
            self.names = tuple(name for name in self.names if name != "time")
        self.fine, self.ticks = streams[1], streams[2]
        self._texts = dict(texts)
        #: all steps of the experiment were made
        self.finished = finished

    @property
    def summary(self) -> dict[str, Any]:
        """What `yoke run` writes to summary.json."""
        found: dict[str, Any] = json.loads(self._texts.get("summary") or "{}")
        return found

    @property
    def verdict(self) -> dict[str, Any]:
        """Is the run any good? `level` ("good", "doubtful" or "unusable"), `grade` (0, 1, 2), `reasons` with the weightiest
        first (`criterion`, `level`, `actuator`, `value`, `bound`, `text`, `why`, `advice`) and all `measures`; {} in
        recordings of older versions."""
        return Verdict(self.summary.get("verdict") or {})

    @property
    def peak(self) -> dict[str, float]:
        """The largest absolute value of every channel, over all steps."""
        peaks = self.summary.get("peaks")
        if not peaks:
            peaks = {name: float(np.abs(self[name]).max()) for name in self.names if len(self.time) and name != "time"}
        return {name: value for name, value in peaks.items() if name in self._index}

    @property
    def reason(self) -> str:
        """Why the run stopped; "" where it came to its end."""
        return str(self.summary.get("stop_reason") or "")

    @property
    def title(self) -> str:
        """Of the experiment."""
        return self._texts.get("title", "")

    @property
    def experiment(self) -> str:
        """The experiment that ran, as YAML, settings included: `yoke.loads(rec.experiment)` reads it again."""
        return self._texts.get("effective", "") or self._texts.get("experiment", "")

    @property
    def method(self) -> str:
        """The method with its settings."""
        return self._texts.get("method", "")

    @property
    def build(self) -> str:
        """Version and revision of the library that ran it."""
        return self._texts.get("build", "")

    def to_pandas(self, pattern: str = "*") -> Any:
        """A DataFrame with index `time [s]`; `attrs["units"]` has the units. Needs pandas."""
        pandas = _need("pandas")
        names, values = self.select(pattern)
        keep = [i for i, name in enumerate(names) if name != "time"]
        frame = pandas.DataFrame(values[:, keep], index=pandas.Index(self.time, name="time [s]"),
                                 columns=[names[i] for i in keep])
        frame.attrs["units"] = {names[i]: self._units[names[i]] for i in keep}
        return frame

    def to_xarray(self, pattern: str = "*") -> Any:
        """A Dataset with the coordinate `time`; every variable has `attrs["units"]`. Needs xarray."""
        xarray = _need("xarray")
        names, values = self.select(pattern)
        return xarray.Dataset(
            {name: ("time", values[:, i], {"units": self._units[name]}) for i, name in enumerate(names) if name != "time"},
            coords={"time": ("time", self.time, {"units": "s"})},
            attrs={"title": self.title, "method": self.method, "build": self.build})

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a recording like `run.h5` of the program."""
        content = ffi.new("struct yk_record_content *")
        kept: list[Any] = []

        def put(value: str) -> Any:
            kept.append(ffi.new("char[]", value.encode()))
            return kept[-1]

        for name in ("title", "experiment", "experiment_path", "overrides", "method", "description", "summary"):
            setattr(content, name, put(self._texts.get(name, "")))
        content.finished = self.finished
        for k, stream in enumerate((self, self.fine, self.ticks)):
            if stream is None:
                continue
            rows = np.ascontiguousarray(stream._rows)
            kept.append(rows)
            part = content.streams[k]
            part.rows = ffi.from_buffer("double *", rows)
            part.count, part.channels = rows.shape
            part.names = put("\n".join(stream._all))
            part.units = put("\n".join(stream._units[name] for name in stream._all))
        call(lib.yk_record_write, os.fspath(path).encode(), content)

    def plot(self, *names: str, unit: Optional[str] = None, ax: Any = None) -> Any:
        """Draws channels over time and returns the matplotlib `Axes`."""
        from . import plot

        return plot.response(self, *names, unit=unit, ax=ax)

    def __repr__(self) -> str:
        state = "finished" if self.finished else self.reason or "not finished"
        return f"<yoke.Recording {self.title!r}: {len(self.time)} rows of {len(self.names)} channels, {state}>"

    def _repr_html_(self) -> str:
        return _html.recording(self)


def _need(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise ImportError(f"this needs the package {package} (Debian: python3-{package})") from None


def _find(path: str) -> str:
    """The recording that a path means: a file, a folder of a run, or a folder of runs with `latest`."""
    for part in ("", "run.h5", os.path.join("latest", "run.h5")):
        candidate = os.path.join(path, part) if part else path
        if os.path.isfile(candidate):
            return candidate
    return path


def open(path: Union[str, "os.PathLike[str]"]) -> Recording:
    """Reads a recording: `run.h5` or its folder, also one that is being written or was killed."""
    out = ffi.new("struct yk_record **")
    call(lib.yk_record_read, out, _find(os.fspath(path)).encode())
    record = ffi.gc(out[0], lib.yk_record_close)
    texts = {name: text(lib.yk_record_text(record, name.encode()))
             for name in ("title", "experiment", "experiment_path", "overrides", "build", "method", "summary", "description")}
    if texts["overrides"]:
        texts["effective"] = _effective(texts)
    return Recording([_stream(lib.yk_record_rows(record, name.encode())) for name in _STREAMS], texts,
                     bool(lib.yk_record_is_finished(record)))


def _effective(texts: Mapping[str, str]) -> str:
    """The experiment with its settings; as it stands in the file where that cannot be read here (data files are gone)."""
    from .experiment import loads
    from .errors import Error

    folder = os.path.dirname(texts["experiment_path"]) or None
    try:
        exp = loads(texts["experiment"], folder=folder, _overrides=texts["overrides"].split("\n")[:-1])
    except Error:
        return texts["experiment"]
    return exp.text


def of_session(session: Any, texts: Mapping[str, str], finished: bool, keep: Optional[Sequence[str]]) -> Recording:
    """What a session has kept so far."""
    summary = owned(lib.yk_session_summary(session))
    return Recording([_stream(lib.yk_session_rows(session, name.encode())) for name in _STREAMS],
                     {**texts, "summary": summary}, finished, keep)
