"""Exceptions: what went wrong, with its place in the user's files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .recording import Recording


class Error(Exception):
    """A failure of the library.

    `str(e)` is the line that the program prints, without `yoke: `.
    """

    def __init__(self, text: str, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None) -> None:
        super().__init__(text)
        #: what is wrong, without the place
        self.text = text
        #: the file, None where unknown
        self.file = file
        #: line in it, from 1; None where unknown
        self.line = line
        #: column in it, from 1; None where unknown
        self.column = column

    def __str__(self) -> str:
        place = ":".join(str(x) for x in (self.file, self.line, self.column) if x is not None)
        return f"{place}: {self.text}" if place else self.text

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.text, self.file, self.line, self.column))


class InputError(Error, ValueError):
    """Something in the experiment or in an argument is wrong."""


class RangeError(InputError):
    """A value is outside its range."""


class UnitError(InputError):
    """A unit is unknown or of another dimension."""


class UnsupportedError(InputError):
    """Not possible in this combination; the text says why."""


class SingularError(InputError):
    """A matrix is singular."""


class _Ended(Error):
    """A run that did not come to its end."""

    #: what was recorded until then; None where the run had not begun
    recording: Optional["Recording"] = None
    #: the last step that was made
    step: int = 0


class Diverged(_Ended):
    """The motion diverged."""


class Stopped(_Ended):
    """A limit stopped the run, or somebody did."""


class CheckFailed(Error):
    """A check did not hold, such as that of the stability of the step."""


class FileError(Error, OSError):
    """A file or a device failed."""

    def __init__(self, text: str, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None) -> None:
        Error.__init__(self, text, file, line, column)


class Warning(UserWarning):  # noqa: A001 - the name of the specification
    """Something of a run or an experiment is doubtful."""
