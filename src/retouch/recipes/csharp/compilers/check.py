"""The check of tier 3: selects a compiler, and reports if there is none."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from retouch._lib.logs import redact_record
from retouch.engine.types import Issue, Severity, Tier
from retouch.errors import MissingTool, UnknownName
from retouch.recipes.csharp.compilers.diagnostics import CompilerFailed, Diagnostic, to_issues
from retouch.recipes.csharp.compilers.dotnet import compile_with_dotnet, find_dotnet
from retouch.recipes.csharp.compilers.roslyn import compile_with_roslyn, compiler_thread, find_roslyn
from retouch.recipes.csharp.writing.files import compose

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.recipes.csharp.ir import Endpoint
    from retouch.recipes.csharp.writing.code import CsCode

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

_LARGE = 500_000  # characters; Roslyn in WebAssembly takes longer in proportion
_COMPILERS = ("auto", "dotnet", "roslyn", "none")
_Compile: TypeAlias = Callable[[str], list[Diagnostic]]


async def check(endpoint: Endpoint, values: Mapping[str, CsCode], options: RunOptions) -> list[Issue]:
    """Return the diagnostics of a C# compiler for the assembled file, as issues of types and pages.

    `options.compiler` is "auto" (dotnet, else Roslyn, else one NOT_COMPILED issue of severity info), "dotnet", "roslyn"
    or "none". If a compiler hangs or crashes, there is one NOT_COMPILED issue, which is a warning if the compiler was
    named.

    Raises:
        MissingTool: the compiler that `options.compiler` names is not installed.
        UnknownName: `options.compiler` is unknown.
    """
    text = compose(endpoint, {name: code.text for name, code in values.items()})
    return await check_file(endpoint, values, text, options)


async def check_file(endpoint: Endpoint, values: Mapping[str, CsCode], text: str, options: RunOptions) -> list[Issue]:
    """Return the same as `check`, for a file whose text is given. It has further types without an entry in `values`.

    Raises:
        MissingTool: the compiler that `options.compiler` names is not installed.
        UnknownName: `options.compiler` is unknown.
    """
    root = endpoint.root.name
    if options.compiler == "none":
        return [_not_compiled(root, "no compiler was wanted", "retouch validate DIR --compiler auto", "info")]
    try:
        # The search for a compiler starts processes, so it also runs on the compiler thread.
        future = compiler_thread().submit(lambda: find_compiler(options)(_in_braces(endpoint, text)))
        found = await asyncio.wrap_future(future)
    except MissingTool as missing:
        if options.compiler != "auto":
            raise
        return [_not_compiled(root, missing.message, missing.hint, "info")]
    except CompilerFailed as failed:
        _LOG.info("%s was not compiled: %s", root, type(failed).__name__)
        severity: Severity = "info" if options.compiler == "auto" else "warning"
        return [_not_compiled(root, failed.message, "Validate the folder again to repeat the check.", severity)]
    _LOG.debug("%s: %d diagnostics of the compiler", root, len(found))
    return to_issues(root, values, text, found)


def find_compiler(options: RunOptions) -> Callable[[str], list[Diagnostic]]:
    """Return the function that compiles a file with the compiler of `options`.

    Raises:
        MissingTool: it is not installed.
        UnknownName: there is no compiler of that name.
    """
    if options.compiler not in _COMPILERS:
        known = ", ".join(_COMPILERS)
        raise UnknownName(f"no C# compiler {options.compiler!r}; it may be one of: {known}", hint="Check the spelling.")
    if options.compiler == "dotnet":
        return _with_dotnet(options)
    if options.compiler == "auto":
        try:
            return _with_dotnet(options)
        except MissingTool:
            pass  # Roslyn's hint is more useful, because it can be installed without an administrator
    return _with_roslyn(options)


def time_limit_s(limit_s: float, text: str) -> float:
    """Return how long a compiler may take over a file: `limit_s`, and more for one above half a million characters."""
    return limit_s * max(1, len(text) / _LARGE)


def _with_dotnet(options: RunOptions) -> _Compile:
    dotnet = find_dotnet(options.commands)
    return lambda text: compile_with_dotnet(dotnet, text, limit_s=time_limit_s(options.check_timeout_s, text))


def _with_roslyn(options: RunOptions) -> _Compile:
    roslyn = find_roslyn(options.commands)
    return lambda text: compile_with_roslyn(roslyn, text, limit_s=time_limit_s(options.check_timeout_s, text))


def _in_braces(endpoint: Endpoint, text: str) -> str:
    """Give the namespace braces without changing line numbers, because declarations of other namespaces follow it."""
    return text.replace(f"namespace {endpoint.namespace};", f"namespace {endpoint.namespace} {{", 1) + "\n}\n"


def _not_compiled(root: str, message: str, fix: str, severity: Severity) -> Issue:
    reason = "no C# compiler" if message.startswith("no C# compiler") else message
    command = "retouch csharp compiler install" if "compiler install" in fix else fix
    detail: dict[str, JSON] = {"not_run": f"not compiled: {reason}", "next": command, "requested": severity != "info"}
    full_message = f"the file was not compiled: {message}"
    return Issue(
        code="NOT_COMPILED",
        message=full_message,
        tier=Tier.SEMANTIC,
        unit=root,
        severity=severity,
        fix=fix,
        detail=detail,
    )
