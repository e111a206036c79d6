"""A look at code before it is run: early messages, and no boundary."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.sandbox import lint

GOOD = '''
"""Reads quarters."""
import re
from datetime import datetime
from pathlib import Path

MONTHS = {"Q1": (1, 3), "Q2": (4, 6)}
PATTERN = re.compile(r"(Q\\d)")


class Found:
    pass


def extract(path, strict=False):
    found = PATTERN.search(Path(path).stem)
    return {"quarter": found.group(1), "start": MONTHS[found.group(1)][0]} if found else {}
'''


def codes(code: str) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in lint(code)]


def test_code_that_only_computes_has_no_findings():
    assert [] == lint(GOOD)
    assert [] == lint("import os.path\nextract = lambda path: os.path.basename(path)")
    assert [] == lint("import os\ndef extract(path):\n    return os.path.splitext(path)")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def extract(path:\n  pass", [("PYTHON_SYNTAX_ERROR", 1)]),
        ("def extract(path):\n  x = '\x00'", [("PYTHON_SYNTAX_ERROR", None)]),
        ("x = " + "(" * 5000, [("PYTHON_SYNTAX_ERROR", 1)]),
        ("#" * 70_000, [("PYTHON_SYNTAX_ERROR", None)]),
        ("def other(path): pass", [("MISSING_EXTRACT", None)]),
        ("if 1:\n    def extract(path): pass", [("MISSING_EXTRACT", None)]),
        ("def extract(): pass", [("BAD_SIGNATURE", 1)]),
        ("def extract(a, b): pass", [("BAD_SIGNATURE", 1)]),
        ("def extract(a, *, b): pass", [("BAD_SIGNATURE", 1)]),
        ("def extract(a, b=1, *, c=2): pass", []),
        ("def extract(*a): pass", []),
        ("async def extract(a): pass", [("BAD_SIGNATURE", 1)]),
        ("class extract: pass", [("BAD_SIGNATURE", 1)]),
        ("def extract(a):\n    yield a", [("BAD_SIGNATURE", 1)]),
        ("def extract(a):\n    def inner():\n        yield a\n    return list(inner())", []),
        ("import socket\ndef extract(a): pass", [("FORBIDDEN_IMPORT", 1)]),
        ("def extract(a):\n    import subprocess, re", [("FORBIDDEN_IMPORT", 2)]),
        ("from pathlib import os\ndef extract(a): pass", [("FORBIDDEN_IMPORT", 1)]),
        ("from os import system\ndef extract(a): pass", [("FORBIDDEN_IMPORT", 1)]),
        ("from os import path\ndef extract(a): pass", []),
        ("from . import x\ndef extract(a): pass", [("FORBIDDEN_IMPORT", 1)]),
        ("def extract(a):\n    return open(a).read()", [("FORBIDDEN_CALL", 2)]),
        ("def extract(a):\n    return eval(a)", [("FORBIDDEN_CALL", 2)]),
        ("import os\ndef extract(a):\n    return os.stat(a)", [("FORBIDDEN_CALL", 3)]),
        ("from pathlib import Path\ndef extract(a):\n    return Path(a).exists()", [("FORBIDDEN_CALL", 3)]),
        ("def extract(a):\n    return ().__class__", [("FORBIDDEN_CALL", 2)]),
        ("print('hello')\ndef extract(a): pass", [("TOP_LEVEL_SIDE_EFFECT", 1)]),
        ("def extract(a): pass\nfor x in []:\n    pass", [("TOP_LEVEL_SIDE_EFFECT", 2)]),
        ("def extract(a): pass\nreturn extract", [("TOP_LEVEL_SIDE_EFFECT", 2)]),
    ],
)
def test_what_is_wrong_at_a_look_has_its_code_and_line(code: str, found: list[tuple[str, int | None]]):
    assert found == codes(code)


def test_everything_wrong_is_said_at_once_by_line():
    code = "import socket\nprint(1)\ndef extract(a, b):\n    return open(a)\n"
    assert [
        ("FORBIDDEN_IMPORT", 1),
        ("TOP_LEVEL_SIDE_EFFECT", 2),
        ("BAD_SIGNATURE", 3),
        ("FORBIDDEN_CALL", 4),
    ] == codes(code)


def test_the_function_may_have_another_name():
    assert [] == lint("def weigh(x):\n    return x", "weigh")
    assert "'weigh'" in lint("def extract(x):\n    return x", "weigh")[0].message


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_every_text_has_findings_and_none_raises(text: str):
    assert all(finding.message.isprintable() for finding in lint(text))
    assert lint(text)
