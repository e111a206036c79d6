"""Runs model-written Python with limits on time, memory, output, files and network. Independent of Retouch's engine.

`open_sandbox` opens a sandbox, `engines` lists the sandbox engines of this machine, `lint` checks code before it is
run. Results are untrusted: the code can return incorrect values, but cannot do anything else.
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
