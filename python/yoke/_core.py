"""The library behind the package: calls, errors, and the Python objects that it calls back. Private."""

from __future__ import annotations

import copy
import inspect
import itertools
import json
import math
import threading
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _yoke  # type: ignore[attr-defined]
from . import errors

ffi: Any = _yoke.ffi
lib: Any = _yoke.lib

_KINDS: dict[int, type[BaseException]] = {
    lib.YK_E_INPUT: errors.InputError,
    lib.YK_E_RANGE: errors.RangeError,
    lib.YK_E_UNIT: errors.UnitError,
    lib.YK_E_UNSUPPORTED: errors.UnsupportedError,
    lib.YK_E_SINGULAR: errors.SingularError,
    lib.YK_E_DIVERGED: errors.Diverged,
    lib.YK_E_STOPPED: errors.Stopped,
    lib.YK_E_CHECK: errors.CheckFailed,
    lib.YK_E_IO: errors.FileError,
}


def text(pointer: Any) -> str:
    """A text of C; "" for NULL."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer), "utf-8", "replace")


def owned(pointer: Any) -> str:
    """A malloc'd text of C, which is freed."""
    if pointer == ffi.NULL:
        raise MemoryError
    try:
        return text(pointer)
    finally:
        lib.yk_free(pointer)


def error(status: int, err: Any, places: Optional[Callable[[int], Optional[str]]] = None) -> BaseException:
    """The exception of a failure. places: the dotted key of a line, for experiments that are no files."""
    if status == lib.YK_E_MEMORY:
        return MemoryError(text(err.wording))
    words = text(err.wording) or text(lib.yk_status_text(status))
    file: Optional[str] = text(err.file) or None
    line: Optional[int] = err.line or None
    column: Optional[int] = err.column or None
    if places is not None:
        key = places(line) if line and file and not file.startswith("--set") else None
        if key:
            words = f"{key}: {words}"
        if not file or not file.startswith("--set"):
            file = line = column = None
    kind = _KINDS.get(status, errors.Error)
    return kind(words, file, line, column)


# ---- contexts: whose objects a callback means ----


class Slot:
    """One object of one run: in the place of its C state."""

    __slots__ = ("object", "kept", "chain", "block")

    def __init__(self, block: "Block") -> None:
        self.block = block
        self.object: Any = block.fork()
        self.kept: dict[int, Any] = {}
        self.chain = 0


class Context:
    """The objects of a run or of an analysis, by the address of their C state, in the order in which they appear."""

    def __init__(self) -> None:
        self.slots: dict[tuple[int, int], Slot] = {}
        self.views: dict[tuple[int, int], Any] = {}
        self.failure: Optional[BaseException] = None
        self.where: Callable[[], str] = lambda: ""

    def slot(self, block: "Block", address: int) -> Slot:
        key = (block.number, address)
        found = self.slots.get(key)
        if found is None:
            found = self.slots[key] = Slot(block)
        return found

    def view(self, address: int, n: int, writable: bool = False) -> Any:
        key = (address, -n if writable else n)
        found = self.views.get(key)
        if found is None:
            found = np.frombuffer(ffi.buffer(ffi.cast("double *", address), 8 * n), dtype=np.float64)
            found.flags.writeable = writable
            self.views[key] = found
        return found

    def fail(self, block: "Block", exception: BaseException) -> None:
        if self.failure is None:
            add_note(exception, f"in {block.key}{self.where()}")
            self.failure = exception

    def objects(self) -> list[Any]:
        return [slot.block.fork(slot.object) for slot in self.slots.values()]

    def take(self, objects: Sequence[Any]) -> None:
        for slot, value in zip(self.slots.values(), objects):
            slot.object = slot.block.fork(value)


def add_note(exception: BaseException, note: str) -> None:
    """As BaseException.add_note of Python 3.11, also before it."""
    if hasattr(exception, "add_note"):
        exception.add_note(note)
    else:
        exception.__dict__.setdefault("__notes__", []).append(note)


class _Local(threading.local):
    context: Optional[Context] = None


_local = _Local()


def call(function: Callable[..., int], *arguments: Any, context: Optional[Context] = None,
         places: Optional[Callable[[int], Optional[str]]] = None) -> int:
    """Calls C with an error struct; raises what it, or a Python object that it called, reports."""
    err = ffi.new("struct yk_err *")
    before, _local.context = _local.context, context or Context()
    try:
        status = function(*arguments, err)
        failure, _local.context.failure = _local.context.failure, None
    finally:
        _local.context = before
    if failure is not None:
        raise failure
    if status != lib.YK_OK:
        raise error(status, err, places)
    return status


# ---- Python objects as components ----

LAW: int = 0
SUBSTRUCTURE: int = 1
SIGNAL: int = 2
CONTROLLER: int = 3
COMPENSATOR: int = 4
RIG: int = 5
_HAS = {"tangent": 1, "stored": 2, "rest": 4, "commit": 8, "clipped": 32, "learn": 64}
_counter = itertools.count(1)


class Block:
    """A Python object as a component of the library; lives as long as a plan that uses it."""

    def __init__(self, family: int, value: Any, key: str, name: str) -> None:
        self.family, self.value, self.key, self.name = family, value, key, name
        self.number = next(_counter)
        self.memory = int(getattr(value, "memory", 0)) if family == LAW else 0
        self.timed = family == LAW and "h" in inspect.signature(value.force).parameters
        has = sum(bit for name, bit in _HAS.items() if callable(getattr(value, name, None)))
        if callable(getattr(value, "save", None)) and callable(getattr(value, "restore", None)):
            has |= 16 if has & 8 else 0
        dofs: list[str] = []
        mass = np.zeros((0, 0))
        if family == SUBSTRUCTURE:
            dofs, mass = self._read_substructure(value, key)
        self.n = len(dofs)
        self.dofs = dofs
        self.handle = ffi.new_handle(self)
        self.c = ffi.gc(
            lib.py_block_new(family, self.name.encode(), self.handle, has, self.memory, self.n,
                             "\n".join(dofs).encode(), ffi.from_buffer("double[]", np.asfortranarray(mass).ravel("F"))),
            lib.py_block_free)
        if self.c == ffi.NULL:
            raise MemoryError

    @staticmethod
    def _read_substructure(value: Any, key: str) -> tuple[list[str], Any]:
        dofs = [str(name) for name in value.dofs]
        mass = np.asarray(value.mass, dtype=float)
        if mass.ndim == 1:
            mass = np.diag(mass)
        if not dofs or mass.shape != (len(dofs), len(dofs)):
            raise errors.InputError(f"{key}: mass has the shape {np.shape(value.mass)}; {len(dofs)} degrees of freedom "
                                    f"need ({len(dofs)},) or ({len(dofs)}, {len(dofs)})")
        return dofs, mass

    def fork(self, value: Any = None) -> Any:
        """An object for another run: by its fork(), or a deep copy; itself where it is shared."""
        value = self.value if value is None else value
        if getattr(value, "shared", False):
            return value
        fork = getattr(value, "fork", None)
        return fork() if callable(fork) else copy.deepcopy(value)


def _current() -> Context:
    context = _local.context
    if context is None:  # C called back outside `call`: cannot happen, but must not crash
        context = _local.context = Context()
    return context


class _Failed(Exception):
    """A block failed before in this call: the run is on its way to its end."""


def _enter(handle: Any) -> tuple[Context, Block]:
    context = _local.context or _current()
    if context.failure is not None:
        raise _Failed
    return context, ffi.from_handle(handle)


def _define(result: Any = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function that C calls: an exception is kept for the caller of C, and C gets `result`."""

    def onerror(kind: Any, exception: Any, traceback: Any) -> Any:
        context = _current()
        if not isinstance(exception, _Failed):
            block = ffi.from_handle(traceback.tb_frame.f_locals["handle"])
            # the frames of this module say nothing to the user
            while traceback.tb_next is not None and traceback.tb_frame.f_code.co_filename == __file__:
                traceback = traceback.tb_next
            context.fail(block, exception.with_traceback(traceback))
        return result

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if result is None:
            ffi.def_extern(name=function.__name__, onerror=onerror)(function)
        else:
            ffi.def_extern(name=function.__name__, error=result, onerror=onerror)(function)
        return function

    return decorate


def _finite(context: Context, block: Block, value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise errors.Diverged(f"{block.key}: returned {number}, which is not finite")
    return number


_NONE = np.zeros(0)
_NONE.flags.writeable = False


@_define(math.nan)
def py_law_force(handle: Any, d: float, w: float, h: float, old: int, new: int, from_handle: Any = ffi.from_handle,
                 local: _Local = _local, isfinite: Any = math.isfinite) -> float:
    context = local.context or _current()
    if context.failure is not None:
        raise _Failed
    block = from_handle(handle)
    n = block.memory
    views = (context.view(old, n), context.view(new, n, True)) if n else (_NONE, _NONE)
    number = float(block.value.force(d, w, *views, h=h) if block.timed else block.value.force(d, w, *views))
    return number if isfinite(number) else _finite(context, block, number)


@_define()
def py_law_tangent(handle: Any, d: float, w: float, h: float, old: int, pair: Any) -> None:
    context, block = _enter(handle)
    memory = context.view(old, block.memory) if block.memory else _NONE
    k, c = block.value.tangent(d, w, memory, h=h) if block.timed else block.value.tangent(d, w, memory)
    pair[0], pair[1] = _finite(context, block, k), _finite(context, block, c)


@_define(math.nan)
def py_law_stored(handle: Any, d: float) -> float:
    context, block = _enter(handle)
    return _finite(context, block, block.value.stored(d))


@_define()
def py_law_rest(handle: Any, d: float, state: int) -> None:
    context, block = _enter(handle)
    block.value.rest(d, context.view(state, block.memory, True))


@_define()
def py_forget(handle: Any, memory: int) -> None:
    context = _current()
    for key in [key for key in context.views if key[0] == memory]:
        del context.views[key]


def _vector(block: Block, value: Any, out: Any, what: str) -> None:
    got = np.asarray(value, dtype=np.float64)
    if got.shape != out.shape and got.size != out.size:
        raise errors.InputError(f"{block.key}: {what} has the shape {got.shape}, not {out.shape}")
    if not math.isfinite(got.sum()):
        raise errors.Diverged(f"{block.key}: {what} is not finite")
    out[...] = got.reshape(out.shape)


@_define()
def py_system_force(handle: Any, self: int, t: float, u: int, v: int, r: int) -> None:
    context, block = _enter(handle)
    n = block.n
    _vector(block, context.slot(block, self).object.force(t, context.view(u, n), context.view(v, n)),
            context.view(r, n, True), "force")


@_define()
def py_system_tangent(handle: Any, self: int, t: float, u: int, v: int, K: int, C: int) -> None:
    context, block = _enter(handle)
    n = block.n
    given = context.slot(block, self).object.tangent(t, context.view(u, n), context.view(v, n))
    for value, address in zip(given, (K, C)):
        out = np.frombuffer(ffi.buffer(ffi.cast("double *", address), 8 * n * n), dtype=np.float64)
        _vector(block, value, out.reshape((n, n), order="F"), "tangent")


@_define()
def py_system_rest(handle: Any, self: int, u: int) -> None:
    context, block = _enter(handle)
    slot = context.slot(block, self)
    slot.object, slot.kept, slot.chain = block.fork(), {}, 0
    if hasattr(slot.object, "rest"):
        slot.object.rest(context.view(u, block.n))


@_define()
def py_system_commit(handle: Any, self: int, t: float, u: int, v: int) -> None:
    context, block = _enter(handle)
    context.slot(block, self).object.commit(t, context.view(u, block.n), context.view(v, block.n))


@_define()
def py_system_keep(handle: Any, self: int, k: int) -> None:
    """-1: mark, -2: return to the mark, 0 and more: go on with another memory."""
    context, block = _enter(handle)
    slot = context.slot(block, self)
    if k == -1:
        slot.kept[-1] = slot.object.save()
    elif k == -2:
        slot.object.restore(slot.kept[-1])
    elif k != slot.chain:
        slot.kept[slot.chain] = slot.object.save()
        if k in slot.kept:
            slot.object.restore(slot.kept[k])
        slot.chain = k


@_define(math.nan)
def py_signal_value(handle: Any, t: float) -> float:
    context, block = _enter(handle)
    return _finite(context, block, block.value.value(t))


@_define()
def py_controller_reset(handle: Any, self: int, x: float, tick: float) -> None:
    context, block = _enter(handle)
    slot = context.slot(block, self)
    slot.object = block.fork()
    slot.object.reset(x, tick)


@_define(math.nan)
def py_controller_command(handle: Any, self: int, t: float, command: float, measured: float) -> float:
    context, block = _enter(handle)
    return _finite(context, block, context.slot(block, self).object.command(t, command, measured))


@_define()
def py_controller_clipped(handle: Any, self: int, sent: float) -> None:
    context, block = _enter(handle)
    context.slot(block, self).object.clipped(sent)


@_define()
def py_compensator_reset(handle: Any, self: int, x: float, step: float, stages: int) -> None:
    context, block = _enter(handle)
    slot = context.slot(block, self)
    slot.object = block.fork()
    slot.object.reset(x, step, stages)


@_define(math.nan)
def py_compensator_command(handle: Any, self: int, t: float, x: float, v: float, a: float, delay: float) -> float:
    context, block = _enter(handle)
    return _finite(context, block, context.slot(block, self).object.command(t, x, v, a, delay))


@_define()
def py_compensator_learn(handle: Any, self: int, measured: float) -> None:
    context, block = _enter(handle)
    context.slot(block, self).object.learn(measured)


@_define(2)
def py_rig_exchange(handle: Any, self: int, rest: int, command: int, n: int, out: Any) -> int:
    """0: readings are in `out`, 1: nothing new came, 2: it failed."""
    context, block = _enter(handle)
    slot = context.slot(block, self)
    if rest:
        slot.object = block.fork()
    given = slot.object.rest(context.view(command, n)) if rest else slot.object.exchange(context.view(command, n))
    if given is None:
        return 1
    got = np.asarray(given, dtype=np.float64)
    if got.shape != (n, 3):
        raise errors.InputError(f"{block.key}: readings have the shape {got.shape}, not ({n}, 3): displacement, "
                                "force, acceleration of each actuator")
    np.frombuffer(ffi.buffer(out, 24 * n), dtype=np.float64).reshape(n, 3)[...] = got
    return 0


@_define()
def py_rig_close(handle: Any, self: int) -> None:
    context = _current()
    block = ffi.from_handle(handle)
    slot = context.slots.get((block.number, self))
    if slot is not None and hasattr(slot.object, "close"):
        slot.object.close()


@_define()
def py_rig_cut(handle: Any, self: int) -> None:
    context, block = _enter(handle)
    slot = context.slot(block, self)
    if hasattr(slot.object, "cut"):
        slot.object.cut()


def analyze(plan: Any, name: str, **options: Any) -> dict[str, Any]:
    """An analysis by its name; what the program prints with --json."""
    out = ffi.new("char **")
    given = json.dumps({key: value for key, value in options.items() if value is not None})
    call(lib.yk_model_analyze, plan, name.encode(), given.encode(), out)
    result: dict[str, Any] = json.loads(owned(out[0]))
    return result


class View:
    """Memory of C as an array that keeps its owner alive; it cannot be written."""

    def __init__(self, owner: Any, pointer: Any, n: int) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "typestr": "<f8", "shape": (n,),
                                    "data": (int(ffi.cast("intptr_t", pointer)), True)}

    @property
    def array(self) -> Any:
        return np.asarray(self)


class Mapped(dict[Any, Any]):
    """A dict that fills itself."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._make(key)
        return value


def nearest(name: str, names: Sequence[str]) -> str:
    """Words for an unknown name: the ones that are most like it."""
    import difflib

    close = difflib.get_close_matches(name, names, 3, 0.4)
    return f"there is no '{name}'" + (f"; did you mean {' or '.join(close)}?" if close else "")
