"""Runs: step by step, whole, and many on threads."""

from __future__ import annotations

import concurrent.futures
import functools
import os
import threading
import time as clock
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, MutableMapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _core, errors
from ._core import call, ffi, lib, nearest
from .recording import Recording, of_session
from .recording import open as open_recording
from .units import si

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .experiment import Experiment

_SLICE = 0.02  # s of wall time in C between two looks at signals
_MANY = 1 << 62
_generation = 0


def _after_fork() -> None:
    global _generation
    _generation += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class State:
    """A snapshot of a run: everything that changes. Fits runs of the same experiment, also in another process."""

    def __init__(self, data: bytes, time: float, step: int, objects: Sequence[Any]) -> None:
        self._data, self._objects = data, list(objects)
        #: of the run [s]
        self.time = time
        #: of the run
        self.step = step

    def __bytes__(self) -> bytes:
        """The snapshot itself."""
        return self._data

    def __repr__(self) -> str:
        return f"<yoke.State at step {self.step}, {self.time:g} s: {len(self._data)} bytes>"


class _Forces(MutableMapping[str, float]):
    """Forces on degrees of freedom, N or N m."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._values: dict[str, float] = {}
        self._places = {f"{name}.{dof}": (k, i) for k, (name, dofs) in enumerate(run.experiment.dofs.items())
                        for i, dof in enumerate(dofs)}

    def __getitem__(self, dof: str) -> float:
        if dof not in self._places:
            raise KeyError(nearest(dof, list(self._places)))
        return self._values.get(dof, 0.0)

    def __setitem__(self, dof: str, force: Union[float, str]) -> None:
        place = self._places.get(dof)
        if place is None:
            raise KeyError(nearest(dof, list(self._places)))
        value = si(force) if isinstance(force, str) else float(force)
        if self._values.get(dof, 0.0) == value:
            return
        self._run._call(lib.yk_session_push, place[0], place[1], value)
        self._values[dof] = value

    def __delitem__(self, dof: str) -> None:
        self[dof] = 0.0

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Run:
    """One state of an experiment; one thread at a time. Made by `Experiment.start`."""

    def __init__(self, experiment: "Experiment", *, record: bool = True, real: bool = False,
                 uncommissioned: Optional[str] = None, path: Optional[str] = None,
                 keep: Optional[Sequence[str]] = None, threads: int = 1, realtime: bool = False,
                 _session: Any = None, _context: Optional[_core.Context] = None) -> None:
        #: what runs
        self.experiment = experiment
        self._keep = None if keep is None else list(keep)
        self._plan = experiment._rig_plan() if real else experiment._plan
        self._context = _context or _core.Context()
        this = weakref.ref(self)  # the context outlives the run where a view does
        self._context.where = lambda: this()._where() if this() is not None else ""  # type: ignore[union-attr]
        self._generation = _generation
        self._busy = False
        self._closed = False
        self._record = record
        self._made: Any = None
        if _session is None:
            settings = ffi.new("struct yk_session_settings *")
            words = [ffi.new("char[]", word.encode()) for word in self._keep or ()]
            patterns = ffi.new("char *[]", words) if words else ffi.NULL
            file = ffi.new("char[]", path.encode()) if path else ffi.NULL
            settings.recording, settings.keep_rows = file, record
            settings.keep, settings.keep_count = patterns, len(words)
            settings.threads, settings.realtime, settings.real_rig = threads, realtime, real
            reason = ffi.new("char[]", uncommissioned.encode()) if uncommissioned else ffi.NULL
            settings.uncommissioned = reason
            settings.checked = self._plan.checked
            out = ffi.new("struct yk_session **")
            call(lib.yk_session_begin, out, self._plan.c, settings, context=self._context)
            _session = out[0]
            self._plan.checked = True

        def close(session: Any, keep: Any = (self._plan, self._context, experiment)) -> None:
            lib.yk_session_close(session)

        self._c = ffi.gc(_session, close)
        self._err = ffi.new("struct yk_err *")
        self._made = ffi.new("long *")
        n = lib.yk_session_channel_count(self._c)
        self._names = [_core.text(lib.yk_session_channel_name(self._c, i)) for i in range(n)]
        self._index = {name: i for i, name in enumerate(self._names)}
        self._row = lib.yk_session_row(self._c)
        self._view = _core.View(self._c, self._row, n).array
        self._dt = experiment.step
        self._steps = experiment.steps

    @functools.cached_property
    def force(self) -> MutableMapping[str, float]:
        """Forces on degrees of freedom, `run.force["frame.x"] = 2e3` [N, N m]: added to the loads, held until changed."""
        return _Forces(self)

    @functools.cached_property
    def u(self) -> Mapping[str, "NDArray[np.float64]"]:
        """Displacements (n,) by substructure [m, rad], read-only views."""
        return _core.Mapped(lambda name: self._motion(name, b"u"))

    @functools.cached_property
    def v(self) -> Mapping[str, "NDArray[np.float64]"]:
        """Velocities likewise [m/s, rad/s]."""
        return _core.Mapped(lambda name: self._motion(name, b"v"))

    @functools.cached_property
    def a(self) -> Mapping[str, "NDArray[np.float64]"]:
        """Accelerations likewise [m/s2, rad/s2]."""
        return _core.Mapped(lambda name: self._motion(name, b"a"))

    # ---- calls ----

    def _where(self) -> str:
        if self._made is None:
            return ", at the start"
        return f", step {lib.yk_session_steps(self._c) + 1}"

    def _enter(self) -> None:
        if self._generation != _generation:
            raise RuntimeError("a run does not survive fork: start it in the process that uses it")
        if self._busy:
            raise RuntimeError("this run is in use by another thread; each run belongs to one thread at a time")
        self._busy = True

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        self._enter()
        try:
            call(function, self._c, *arguments, context=self._context)
        finally:
            self._busy = False

    def _go(self, steps: int, seconds: float) -> int:
        """Some steps; the status of the library, and an exception of a block."""
        local, context = _core._local, self._context
        self._enter()
        before, local.context = local.context, context
        try:
            self._status = lib.yk_session_advance(self._c, steps, seconds, self._made, self._err)
        finally:
            local.context = before
            self._busy = False
        if context.failure is not None:
            failure, context.failure = context.failure, None
            self._end()
            raise failure
        return int(self._made[0])

    # ---- steps ----

    def __iter__(self) -> Iterator[int]:
        """Makes a step and yields its number, to the end of the experiment or until the run is stopped."""
        advance, c, made, err = lib.yk_session_advance, self._c, self._made, self._err
        blocks = bool(self.experiment._blocks)
        self._moved = True
        while True:
            if blocks:
                self._go(1, 0.0)
            else:
                if self._busy or self._generation != _generation:
                    self._enter()
                self._busy = True
                try:
                    self._status = advance(c, 1, 0.0, made, err)
                finally:
                    self._busy = False
            if not made[0]:
                return
            if self._moved:  # other steps were made, or another state restored, since the last one
                self._moved = False
                number = self.step
            else:
                number += 1
            yield number

    def advance(self, seconds: Optional[Union[float, str]] = None, *, steps: Optional[int] = None,
                until: Optional[Union[float, str]] = None) -> int:
        """Many steps in one call; returns how many were made.

        seconds: of the test, to the nearest step. steps: as many. until: to this time [s]. None of them: to the end.
        """
        if sum(x is not None for x in (seconds, steps, until)) > 1:
            raise errors.InputError("advance takes one of: seconds, steps, until")
        if steps is not None:
            wanted = int(steps)
        elif seconds is not None:
            wanted = round(_seconds(seconds) / self._dt)
        elif until is not None:
            wanted = round(_seconds(until) / self._dt) - self.step
        else:
            wanted = self._steps
        if wanted < 0:
            raise errors.RangeError("a run cannot go back by `advance`; save a state before and restore it")
        made = 0
        self._moved = True
        try:
            while made < wanted:
                now = self._go(min(wanted - made, _MANY), _SLICE)
                made += now
                if not now:
                    break
        except KeyboardInterrupt as interrupt:
            self._end()
            interrupt.recording = self.recording()  # type: ignore[attr-defined]
            raise
        return made

    @property
    def time(self) -> float:
        """Of the run [s]."""
        return float(self._row[0])

    @property
    def step(self) -> int:
        """Steps made so far."""
        return int(lib.yk_session_steps(self._c))

    @property
    def finished(self) -> bool:
        """All steps of the experiment are made."""
        return bool(lib.yk_session_is_finished(self._c))

    @property
    def state(self) -> str:
        """ "running", "paused", "tripped", "done", ..."""
        return _core.text(lib.yk_session_state(self._c))

    @property
    def reason(self) -> str:
        """Why the run stopped; "" where it did not."""
        return _core.text(lib.yk_session_reason(self._c))

    # ---- values ----

    def index(self, name: str) -> int:
        """The number of a channel in `row`."""
        try:
            return self._index[name]
        except KeyError:
            raise KeyError(nearest(name, self._names)) from None

    def __getitem__(self, name: str) -> float:
        """The present value of a channel, SI."""
        try:
            value: float = self._row[self._index[name]]
        except KeyError:
            raise KeyError(nearest(name, self._names)) from None
        return value

    @property
    def row(self) -> "NDArray[np.float64]":
        """All channels (channels,), a read-only view that changes with every step."""
        view: "NDArray[np.float64]" = self._view
        return view

    def _motion(self, substructure: str, which: bytes) -> Any:
        k = self.experiment._number(substructure)
        pointer = lib.yk_session_motion(self._c, k, which)
        if pointer == ffi.NULL:
            raise MemoryError
        return _core.View(self._c, pointer, len(self.experiment.dofs[substructure])).array

    def set(self, key: str, value: Union[float, str]) -> None:
        """A setting that may change during a run: limits, `limits.force` or `limits.actuators.a1.force`.

        Others raise `UnsupportedError`: they need another experiment, see `Experiment.replace`.
        """
        self._call(lib.yk_session_set, key.encode(), si(value))

    def request(self, what: str) -> None:
        """ "pause", "resume" or "abort", as `yoke control`. A paused run makes no steps."""
        call(lib.yk_session_request, self._c, what.encode())

    # ---- states ----

    def save(self) -> State:
        """A snapshot of everything that changes."""
        out, size = ffi.new("void **"), ffi.new("size_t *")
        self._call(lib.yk_session_save, out, size)
        try:
            data = bytes(ffi.buffer(out[0], size[0]))
        finally:
            lib.yk_free(out[0])
        return State(data, self.time, self.step, self._context.objects())

    def restore(self, state: State) -> None:
        """Goes to a saved state of the same experiment; another one raises `InputError`."""
        if not isinstance(state, State):
            raise errors.InputError(f"a State is needed, not a {type(state).__name__}")
        data = bytes(state)
        self._call(lib.yk_session_restore, ffi.from_buffer(data), len(data))
        self._moved = True
        self._context.take(state._objects)

    def copy(self) -> "Run":
        """Another run in the same state."""
        out = ffi.new("struct yk_session **")
        context = _core.Context()
        self._enter()
        try:
            call(lib.yk_session_copy, out, self._c, context=context)
        finally:
            self._busy = False
        context.take(self._context.objects())
        other = Run(self.experiment, record=self._record, keep=self._keep, _session=out[0], _context=context)
        other._plan = self._plan
        if isinstance(self.force, _Forces) and isinstance(other.force, _Forces):
            other.force._values.update(self.force._values)
        return other

    __copy__ = copy

    # ---- the end ----

    def recording(self) -> Recording:
        """What was recorded so far, a copy."""
        if not self._record:
            raise errors.UnsupportedError("this run was started with record=False")
        return of_session(self._c, self.experiment._texts(), self.finished and not self._failed(), self._keep)

    def _failed(self) -> bool:
        return bool(self.reason)

    def _end(self) -> None:
        if self._closed:
            return
        self._closed = True
        err = ffi.new("struct yk_err *")
        before, _core._local.context = _core._local.context, self._context
        try:
            status = lib.yk_session_end(self._c, err)
        finally:
            _core._local.context = before
        self._context.failure = None
        if status != lib.YK_OK:
            raise _core.error(status, err)

    def close(self) -> None:
        """Brings actuators to rest and ends the run. Views stay valid and no longer change."""
        if self._generation != _generation:
            return
        self._end()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def raise_if_stopped(self) -> None:
        """Raises `Stopped` or `Diverged` where the run did not come to its end."""
        _raise_ended(self, self.recording())

    _status = 0
    _moved = True

    def __repr__(self) -> str:
        return f"<yoke.Run of {self.experiment.title!r}: step {self.step} of {self._steps}, {self.state}>"


def _seconds(value: Union[float, str]) -> float:
    seconds = si(value, "time") if isinstance(value, str) else float(value)
    if not np.isfinite(seconds):
        raise errors.RangeError(f"{value} is not a time")
    return seconds


def run_whole(experiment: "Experiment", *, until: Optional[Union[float, str]] = None,
              output: Optional[Union[str, "os.PathLike[str]"]] = None, threads: int = 1, realtime: bool = False,
              uncommissioned: Optional[str] = None,
              progress: Optional[Callable[[int, int], Any]] = None) -> Recording:
    """See `Experiment.run`."""
    if realtime and experiment._blocks:
        raise errors.UnsupportedError("Python objects cannot be part of a run in real time: write a plugin in C")
    if experiment._blocks:
        threads = 1
    folder = None if output is None else os.fspath(output)
    if realtime and folder is None:
        import tempfile

        with tempfile.TemporaryDirectory(prefix="yoke-") as temporary:
            return _run_to(experiment, temporary, until, threads, realtime, uncommissioned, progress)
    return _run_to(experiment, folder, until, threads, realtime, uncommissioned, progress)


def _run_to(experiment: "Experiment", folder: Optional[str], until: Optional[Union[float, str]], threads: int,
            realtime: bool, uncommissioned: Optional[str],
            progress: Optional[Callable[[int, int], Any]]) -> Recording:
    steps = experiment.steps
    wanted = steps if until is None else min(steps, round(_seconds(until) / experiment.step))
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
    if realtime and folder is not None:
        return _paced(experiment, folder, wanted, threads, uncommissioned, progress)
    run = Run(experiment, real=True, uncommissioned=uncommissioned, path=folder and os.path.join(folder, "run.h5"),
              threads=threads)
    shown = 0.0
    try:
        while run.step < wanted:
            now = run._go(wanted - run.step, _SLICE)
            if progress is not None and clock.monotonic() - shown >= 0.1:
                shown = clock.monotonic()
                progress(run.step, steps)
            if not now:
                break
    except BaseException as interrupt:
        run.close()
        _summarize(run, folder)
        try:
            interrupt.recording = run.recording()  # type: ignore[attr-defined]
        except AttributeError:
            pass
        raise
    run.close()
    if progress is not None:
        progress(run.step, steps)
    _summarize(run, folder)
    recording = run.recording()
    _raise_ended(run, recording)
    return recording


def _raise_ended(run: Run, recording: Recording) -> None:
    """What a run that did not come to its end raises."""
    if run._status == lib.YK_OK:
        return
    error = _core.error(run._status, run._err)
    if isinstance(error, errors._Ended):
        error.step, error.recording = run.step, recording
    raise error


def _paced(experiment: "Experiment", folder: str, wanted: int, threads: int, uncommissioned: Optional[str],
           progress: Optional[Callable[[int, int], Any]]) -> Recording:
    """A paced run in one call of C, on a thread of its own: this one hears Ctrl-C, which ramps the actuators back."""
    path = os.path.join(folder, "run.h5")
    started: list[Run] = []
    failed: list[BaseException] = []
    stop = threading.Event()  # Ctrl-C may come before there is a run that could be asked to stop

    def work() -> None:
        try:
            run = Run(experiment, record=False, real=True, uncommissioned=uncommissioned, path=path, threads=threads,
                      realtime=True)
            started.append(run)
            if not stop.is_set():
                run._go(wanted, 0.0)
            run.close()
            _summarize(run, folder)
        except BaseException as exception:
            failed.append(exception)

    thread = threading.Thread(target=work, name="yoke-paced")
    begun = False
    interrupted: Optional[BaseException] = None
    while not begun or thread.is_alive():
        try:
            if not begun:
                begun = True
                thread.start()
            thread.join(0.1)
            if progress is not None and interrupted is None and started:
                progress(started[0].step, experiment.steps)
        except BaseException as exception:
            interrupted = interrupted or exception
            stop.set()
            if started:
                started[0].request("abort")
    for problem in (*([interrupted] if interrupted else []), *failed):
        raise problem
    recording = open_recording(path)
    _raise_ended(started[0], recording)
    return recording


def _summarize(run: Run, folder: Optional[str]) -> None:
    if folder is None:
        return
    summary = _core.owned(lib.yk_session_summary(run._c))
    part = os.path.join(folder, "summary.json.part")
    with open(part, "w", encoding="utf-8") as out:
        out.write(summary + "\n")
    os.replace(part, os.path.join(folder, "summary.json"))


# ---- many ----

Job = Union["Experiment", "tuple[Experiment, Mapping[str, Any]]"]


def _run_one(job: Job, keep: Optional[Sequence[str]]) -> Recording:
    experiment, values = job if isinstance(job, tuple) else (job, None)
    if values:
        experiment = experiment.replace(values)
    run = Run(experiment, keep=keep)
    try:
        while run.step < run._steps and run._go(_MANY, 0.0):
            pass
    finally:
        run.close()
    recording = run.recording()
    _raise_ended(run, recording)
    return recording


def _each(jobs: Sequence[Job], threads: int, work: Callable[[Job], Any]) -> list[Any]:
    """The results, or the exceptions, in the order of the jobs."""

    def guarded(job: Job) -> Any:
        try:
            return work(job)
        except Exception as exception:
            return exception

    count = threads or os.cpu_count() or 1
    if count < 0:
        raise errors.RangeError(f"threads = {threads}; 0 (one for each core) and more are allowed")
    if count == 1 or len(jobs) < 2:
        return [guarded(job) for job in jobs]
    with concurrent.futures.ThreadPoolExecutor(count, thread_name_prefix="yoke") as pool:
        return list(pool.map(guarded, jobs))


def run_many(jobs: Iterable[Job], *, threads: int = 0, keep: Optional[Sequence[str]] = None) -> list[Recording]:
    """Runs many experiments on threads, on virtual rigs; results in the order of the jobs.

    jobs: experiments, or pairs of an experiment and values for `Experiment.replace`. threads: 0 for one on each core.
    keep: patterns of the channels to keep, default all. Raises the first error in the order of the jobs, after all have
    ended.
    """
    patterns = [keep] if isinstance(keep, str) else None if keep is None else list(keep)
    results = _each(list(jobs), threads, lambda job: _run_one(job, patterns))
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results




class Followed(NamedTuple):
    """Answer of the specimens to given displacements: arrays (steps, degrees of freedom)."""

    #: at the end of each step [s]
    time: "NDArray[np.float64]"
    #: displacement that was reached [m, rad]
    measured: "NDArray[np.float64]"
    #: of the specimen there [N, N m]
    force: "NDArray[np.float64]"
    #: at rest before the first step: displacement and force of each degree of freedom
    rest: "NDArray[np.float64]"
    rest_force: "NDArray[np.float64]"


def follow(experiment: "Experiment", u: Any, v: Any, output: Any, real: bool,
           uncommissioned: Optional[str]) -> Followed:
    """See `Experiment.follow`."""
    plan = experiment._rig_plan() if real else experiment._plan
    n = lib.yk_model_specimen_dofs(plan.c)
    targets = np.ascontiguousarray(u, dtype=float)
    targets = np.ascontiguousarray(targets.reshape(len(targets), -1)) if targets.ndim < 2 else targets
    speeds = None if v is None else np.ascontiguousarray(v, dtype=float).reshape(targets.shape)
    if targets.ndim != 2 or targets.shape[1] != n:
        raise errors.InputError(f"u has the shape {targets.shape}; the specimens need (steps, {n})")
    measured, force = np.zeros_like(targets), np.zeros_like(targets)
    rest = np.zeros((2, n))
    along, settings = ffi.new("struct yk_following *"), ffi.new("struct yk_session_settings *")

    def pointer(array: Any) -> Any:
        return ffi.NULL if array is None else ffi.cast("double *", array.ctypes.data)

    along.steps, along.dofs, along.u, along.v = len(targets), n, pointer(targets), pointer(speeds)
    along.measured, along.force = pointer(measured), pointer(force)
    along.rest, along.rest_force = pointer(rest[0]), pointer(rest[1])
    file = ffi.new("char[]", os.fspath(output).encode()) if output else ffi.NULL
    reason = ffi.new("char[]", uncommissioned.encode()) if uncommissioned else ffi.NULL
    settings.recording, settings.real_rig, settings.uncommissioned, settings.follow = file, real, reason, along
    context, out, made = _core.Context(), ffi.new("struct yk_session **"), ffi.new("long *")
    call(lib.yk_session_begin, out, plan.c, settings, context=context)
    try:
        while True:
            call(lib.yk_session_advance, out[0], _MANY, _SLICE, made, context=context)
            if not made[0]:
                break
        call(lib.yk_session_end, out[0], context=context)
    finally:
        lib.yk_session_close(out[0])
    time = (np.arange(len(targets)) + 1) * float(lib.yk_model_fine_step(plan.c))
    return Followed(time, measured, force, rest[0], rest[1])
