"""Runs Python that a model wrote under limits: time, memory, output, files, network. Knows no engine of Retouch.

`open_sandbox` chooses a sandbox engine, `engines` says what is usable on this machine, `lint` looks at code before it
is run. The answers are untrusted: code can lie about values and about nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.sandbox.lint import lint
    from retouch.sandbox.opening import Box, engines, open_sandbox
    from retouch.sandbox.values import CodeFinding, Engine, Failure, Limits, SandboxResult, Unavailable

__all__ = [
    "Box",
    "CodeFinding",
    "Engine",
    "Failure",
    "Limits",
    "SandboxResult",
    "Unavailable",
    "engines",
    "lint",
    "open_sandbox",
]

_HOMES = {
    "lint": ".lint",
    **dict.fromkeys(("Box", "engines", "open_sandbox"), ".opening"),
    **dict.fromkeys(("Engine", "Failure", "CodeFinding", "Limits", "SandboxResult", "Unavailable"), ".values"),
}

__getattr__ = lazy_attributes(__name__, _HOMES)
