"""The inputs and outputs of a sandbox."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.errors import MissingTool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

Kind: TypeAlias = Literal[
    "runtime",  # the code raised an exception
    "timeout",  # a call, or the whole batch, took too long
    "memory",  # it needed more memory than allowed
    "not_serializable",  # the returned value has no plain JSON form
    "output_too_large",  # the returned value is longer or deeper than allowed
    "unsupported",  # this engine lacks a Python feature; `feature` names it
    "crashed",  # the process ended without an answer
    "syntax",  # the code is not valid Python
    "missing_function",  # the code does not define the function
]


class Unavailable(MissingTool):
    """No sandbox can be opened on this machine. `hint` is the next step."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of model-written code.

    `call_s` is wall time for one call, and for loading the code; `batch_s` for one whole run. `output_bytes` and
    `depth` limit one answer as JSON. `printed_bytes` of the printed output of a run are kept. An engine that enforces
    limits itself is killed `grace_s` after it should have stopped.
    """

    call_s: float = 2.0
    batch_s: float = 60.0
    memory_bytes: int = 64 << 20
    output_bytes: int = 1_000_000
    printed_bytes: int = 64 << 10
    depth: int = 32
    recursion: int = 500
    grace_s: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a call has no value.

    `message` is one line of printable text, `line` counts from 1 in the code, `feature` is set for `unsupported`.
    """

    kind: Kind
    message: str
    line: int | None = None
    feature: str | None = None


@dataclass(frozen=True, kw_only=True)
class SandboxResult:
    """The result of one call: a plain JSON value, or a failure.

    If both are None, the function returned None.
    """

    value: JsonValue = None
    error: Failure | None = None


@dataclass(frozen=True, kw_only=True)
class SandboxJob:
    """Code, and the name of its function that is called once per argument."""

    code: str
    function: str
    arguments: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SandboxRun:
    """The result of a job: one outcome per argument, and the printed output."""

    outcomes: list[SandboxResult]
    printed: str = ""


Runner: TypeAlias = Callable[[SandboxJob], SandboxRun]


@dataclass(frozen=True, kw_only=True)
class Engine:
    """An engine that may run code on this machine. If `open` is None, `reason` and `hint` explain it.

    `layers` are the boundaries around the code, the outermost first.
    """

    name: str
    version: str = ""
    reason: str = ""
    hint: str = ""
    layers: tuple[str, ...] = ()
    open: Callable[[Limits], AbstractContextManager[Runner]] | None = field(default=None, repr=False)

    @property
    def usable(self) -> bool:
        """True if it can run code."""
        return self.open is not None

    @property
    def label(self) -> str:
        """Name and version, in the form that is stored with results."""
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, kw_only=True)
class CodeFinding:
    """A finding in code before it is run: a code, a message of one line, and the line number."""

    code: str
    message: str
    line: int | None = None
