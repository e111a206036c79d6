"""What goes into a sandbox and what comes out of it."""

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
    "runtime",  # the code raised
    "timeout",  # a call, or the whole batch, took too long
    "memory",  # more memory was wanted than allowed
    "not_serializable",  # what was returned has no plain JSON form
    "output_too_large",  # what was returned is longer or deeper than allowed
    "unsupported",  # this engine does not run such Python; `feature` names it
    "crashed",  # the process ended without an answer
    "syntax",  # this is no Python
    "missing_function",  # the code does not define the function
]


class Unavailable(MissingTool):
    """No sandbox can be opened on this machine; `hint` is the next step."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What model-written code may use.

    `call_s` is wall time for one call, and for loading the code; `batch_s` for one whole run. `output_bytes` and
    `depth` bound one answer as JSON; `printed_bytes` is what is kept of all that is printed in a run. An engine that
    watches itself is killed `grace_s` after it should have stopped.
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
    """What one call came to: a plain JSON value, or why there is none.

    With neither, the function returned None.
    """

    value: JsonValue = None
    error: Failure | None = None


@dataclass(frozen=True, kw_only=True)
class SandboxJob:
    """Code, and the function of it that is called once per argument."""

    code: str
    function: str
    arguments: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class SandboxRun:
    """What a job came to: one outcome per argument, and what was printed meanwhile."""

    outcomes: list[SandboxResult]
    printed: str = ""


Runner: TypeAlias = Callable[[SandboxJob], SandboxRun]


@dataclass(frozen=True, kw_only=True)
class Engine:
    """What could run code on this machine: where `open` is None, `reason` says why and `hint` what to do.

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
        """Whether code can be run with it."""
        return self.open is not None

    @property
    def label(self) -> str:
        """Name and version, as they are kept beside what was checked with it."""
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, kw_only=True)
class CodeFinding:
    """What a look at the code shows before it is run: a code, one line of text, the line it stands on."""

    code: str
    message: str
    line: int | None = None
