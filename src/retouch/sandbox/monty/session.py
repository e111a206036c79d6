"""One worker with the code loaded. It returns answers as text.

The result of a feed is rebuilt in this process, and a small structure with many references to itself can grow without
bound there. Therefore the result of loading the code is never read (a feed that is started, not run, rebuilds nothing
until its output is read), and answers become text inside the worker, where memory is limited. This is done by our own
functions, whose local names the code cannot access.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self, cast

import pydantic_monty as monty

from retouch.sandbox.answers import failure, read_answer
from retouch.sandbox.monty.features import missing_feature
from retouch.sandbox.values import Failure, Limits, SandboxResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ONE, _TEXT, _MANY = "_retouch_one", "_retouch_text", "_retouch_many"
_ASKING = f"""
def {_TEXT}(value, size):
    import json
    return json.dumps(value)[:size]
def {_ONE}(argument, size):
    return {_TEXT}(%(function)s(argument), size)
def {_MANY}(arguments, size):
    import json
    answers = []
    for argument in arguments:
        try:
            answers.append(json.dumps(%(function)s(argument))[:size])
        except Exception:
            answers.append(None)
    return json.dumps(answers)
"""


class MontySession:
    """A worker with the code loaded. After a call that broke it (`is_broken`), a new one is needed."""

    def __init__(self, pool: monty.Monty, limits: Limits, print_line: Callable[[str, str], None]) -> None:
        self._limits = limits
        self._print = print_line
        self._stack = ExitStack()
        self._pool = pool
        self.is_broken = False

    def __enter__(self) -> Self:
        bounds: monty.ResourceLimits = {
            "max_feed_duration_secs": self._limits.call_s,
            "max_memory": self._limits.memory_bytes,
            "max_recursion_depth": self._limits.recursion,
            "max_total_sleep_secs": 0,
        }
        checkout = self._pool.checkout(limits=bounds, script_name="code.py", external_modules={})
        self._session = self._stack.enter_context(checkout)
        return self

    def __exit__(self, *reason: object) -> None:
        self._stack.close()

    def load(self, code: str, function: str) -> Failure | None:
        """Run the code's top level and find its function. Return the reason if it cannot be called."""
        try:
            at = self._session.feed_start(code, print_callback=self._print)
            while not isinstance(at, monty.MontyComplete):
                at = at.resume_auto()  # refuses: this session has no permissions
        except monty.MontyError as error:
            return self._explain(error)
        problem = self._feed(f"{function}\nNone")
        if problem and f"'{function}'" in problem.message:
            return failure("missing_function", f"the code defines no function {function!r}")
        return problem or self._feed(_ASKING % {"function": function} + "None")

    def one(self, argument: str) -> SandboxResult:
        """Return the outcome of a single call."""
        size = self._limits.output_bytes + 1
        try:
            text = self._run(f"{_ONE}(argument, size)", {"argument": argument, "size": size})
        except monty.MontyError as error:
            return SandboxResult(error=self._explain(error))
        return read_answer(cast("str", text), self._limits)

    def many(self, arguments: Sequence[str]) -> list[SandboxResult | None]:
        """Return the outcomes of calls. None for calls that must be repeated one by one to find the error."""
        given: dict[str, object] = {"arguments": list(arguments), "size": self._limits.output_bytes + 1}
        try:
            answers = json.loads(cast("str", self._run(f"{_MANY}(arguments, size)", given)))
        except monty.MontyError as error:
            self._explain(error)
            return [None] * len(arguments)
        return [None if text is None else read_answer(text, self._limits) for text in answers]

    def _feed(self, code: str) -> Failure | None:
        """Run statements that end in None."""
        try:
            self._run(code, {})
        except monty.MontyError as error:
            return self._explain(error)
        return None

    def _run(self, code: str, given: dict[str, object]) -> object:
        return self._session.feed_run(code, inputs=given, print_callback=self._print)

    def _explain(self, error: monty.MontyError) -> Failure:
        if isinstance(error, monty.MontyCrashedError):
            self.is_broken = True
            if error.timed_out:
                return self._late()
            return failure("crashed", f"the worker ended without an answer: {error}")
        if isinstance(error, monty.MontySyntaxError):
            return failure("syntax", str(error), line=_line(error))
        return self._explain_raised(cast("monty.MontyRuntimeError", error))

    def _explain_raised(self, error: monty.MontyRuntimeError) -> Failure:
        message = error.display("type-msg")[:2000]
        line = _line(error)
        if message.startswith("TimeoutError: feed time limit"):
            self.is_broken = True
            return self._late()
        if message.startswith("MemoryError"):
            self.is_broken = True
            return failure("memory", "it needed more memory than allowed", line=line)
        if feature := missing_feature(message):
            return failure("unsupported", message, line=line, feature=feature)
        if (frames := error.traceback()) and frames[-1].function_name == _TEXT:
            return failure("not_serializable", f"the answer is not JSON: {message}")
        return failure("runtime", message, line=line)

    def _late(self) -> Failure:
        return failure("timeout", f"it did not answer within {self._limits.call_s:g} s")


def _line(error: monty.MontySyntaxError | monty.MontyRuntimeError) -> int | None:
    frames = [frame for frame in error.traceback() if frame.function_name not in {_ONE, _TEXT, _MANY}]
    return frames[-1].line if frames else None
