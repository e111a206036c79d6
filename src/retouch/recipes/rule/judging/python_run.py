"""Runs a model's function on every sample in the sandbox, twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from retouch.recipes.rule.judging.rows import Row, Trial
from retouch.recipes.rule.language.names import NAME
from retouch.sandbox import Limits, open_sandbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.judging.rows import Failure
    from retouch.sandbox import SandboxResult

FUNCTION = "extract"
CODES = {
    "runtime": "RUNTIME_ERROR",
    "timeout": "TIMEOUT",
    "memory": "MEMORY",
    "not_serializable": "NOT_SERIALIZABLE",
    "output_too_large": "OUTPUT_TOO_LARGE",
    "unsupported": "UNSUPPORTED_PYTHON",
    "crashed": "RUNTIME_ERROR",
    "syntax": "PYTHON_SYNTAX_ERROR",
    "missing_function": "MISSING_EXTRACT",
}


def expect_sandbox(engine: str = "auto") -> str:
    """Return the engine, with its version, that would run a function on this machine.

    Raises:
        Unavailable: there is none; the hint names what to install, or an alternative.
    """
    with open_sandbox(engine=engine, limits=Limits()) as box:
        return box.engine


def run_on(code: str, paths: Sequence[str], *, engine: str = "auto", twice: bool = True) -> Trial:
    """Return the results of the function in `code` for each of `paths`.

    Raises:
        Unavailable: no sandbox, or not the named one, is available here.
    """
    arguments: list[Any] = [*paths, *(paths if twice else ())]
    with open_sandbox(engine=engine, limits=Limits()) as box:
        outcomes = box.run(code, function=FUNCTION, arguments=arguments)
        name = box.engine
    first, second = outcomes[: len(paths)], outcomes[len(paths) :]
    changing = [path for path, one, other in zip(paths, first, second, strict=False) if _differ(one, other)]
    rows = tuple(_row(path, outcome) for path, outcome in zip(paths, first, strict=True))
    return Trial(rows=rows, engine=name, changing=tuple(changing))


def _differ(one: SandboxResult, other: SandboxResult) -> bool:
    return one.error is None and other.error is None and one.value != other.value


def _row(path: str, outcome: SandboxResult) -> Row:
    if outcome.error is not None:
        code = CODES.get(outcome.error.kind, "RUNTIME_ERROR")
        return _failed(path, (code, outcome.error.message, outcome.error.line))
    value: object = outcome.value
    if not isinstance(value, dict):
        kind = "None" if value is None else type(value).__name__
        return _failed(path, ("NOT_A_DICT", f"it returned {kind}, not a dictionary", None))
    values = cast("dict[str, JSON]", value)
    wrong = next((name for name in values if not NAME.fullmatch(name)), None)
    if wrong is not None:
        return _failed(path, ("BAD_FIELD_NAME", f"{wrong[:80]!r} is no name of a field", None))
    extracted = sum(one is not None for one in values.values())
    status = "COMPLETE" if extracted and extracted == len(values) else "PARTIAL" if extracted else "FAILED"
    return Row(path=path, status=status, values=values, reasons={})


def _failed(path: str, failure: Failure) -> Row:
    return Row(path=path, status="FAILED", values={}, reasons={}, failure=failure)
