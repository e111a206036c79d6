"""Parses Python source, with a workaround for a parser bug in some versions of CPython."""

from __future__ import annotations

import ast
import gc

_TRIES = 3


def parse_python(source: str | bytes) -> ast.Module:
    """Return the syntax tree of `source`, as `ast.parse` does.

    CPython before 3.11.8 and 3.12.1 has one depth counter for all parses at the same time (python/cpython#106905). If
    the garbage collector finalizes an object in the middle of a parse, and its finalizer parses as well (formatting a
    traceback does), the outer parse fails with `SystemError`. The source is not at fault, so it is parsed again, with
    the collector paused.

    Raises:
        SyntaxError: the source is no Python.
        ValueError: it holds null bytes, or bytes in no known encoding.
        RecursionError, MemoryError: it is nested too deeply.
    """
    for _ in range(_TRIES - 1):
        try:
            return ast.parse(source)
        except SystemError:
            gc.collect()  # run pending finalizers now, not during the next parse
    collected = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        if collected:
            gc.enable()
