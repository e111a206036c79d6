"""Which languages are parsed, and what a result that breaks its file becomes."""

from __future__ import annotations

import pytest

from retouch.edits import apply_reply, first_fault, with_syntax_checked
from retouch.edits.syntax import GRAMMARS, breaks_syntax, suffix_of, why_unchecked
from tests.edits.blocks import change

# Suffix -> a text that parses, and a text that does not
SAMPLES = {
    ".sh": ('if [ -f a ]; then\n  echo "b"\nfi\n', "if [ -f a ]; then\n  echo (\n"),
    ".c": ("int f(int a) { return a + 1; }\n", "int f(int a) { return a + 1;\n"),
    ".cs": ("class A { int B() => 1; }\n", "class A { int B( => 1; }\n"),
    ".cpp": ("template <class T> T f(T a) { return a; }\n", "template <class T> T f(T a) { return a;\n"),
    ".css": ("a { color: red; }\n", "a { color: red;\n"),
    ".ex": ("defmodule A do\n  def b, do: 1\nend\n", "defmodule A do\n  def b(, do: 1\n"),
    ".go": ("package a\n\nfunc f() int { return 1 }\n", "package a\n\nfunc f( int { return 1 }\n"),
    ".hs": ("module A where\n\nf :: Int -> Int\nf x = x + 1\n", "module A where\n\nf x = (x + 1\n"),
    ".tf": ('resource "a" "b" {\n  c = 1\n}\n', 'resource "a" "b" {\n  c = \n'),
    ".html": ("<p>a</p>\n", "<p>a</\n"),
    ".java": ("class A { int b() { return 1; } }\n", "class A { int b() { return 1; }\n"),
    ".js": ("const f = (a) => a + 1;\n", "const f = (a => a + 1;\n"),
    ".jl": ("function f(a)\n    a + 1\nend\n", "function f(a\n    a + 1\n"),
    ".kt": ("fun f(a: Int): Int = a + 1\n", "fun f(a: Int: Int = a + (\n"),
    ".lua": ("local function f(a) return a + 1 end\n", "local function f(a) return a + end\n"),
    ".ml": ("let f a = a + 1\n", "let f a = (a + \n"),
    ".mli": ("val f : int -> int\n", "val f : int -> \n"),
    ".php": ("<?php\nfunction f($a) { return $a + 1; }\n", "<?php\nfunction f($a { return $a + 1; }\n"),
    ".rb": ("def f(a)\n  a + 1\nend\n", "def f(a\n  a + 1\n"),
    ".rs": ("fn f(a: i32) -> i32 { a + 1 }\n", "fn f(a: i32 -> i32 { a + 1 }\n"),
    ".scala": ("object A { def f(a: Int): Int = a + 1 }\n", "object A { def f(a: Int: Int = a + 1\n"),
    ".swift": ("func f(a: Int) -> Int { return a + 1 }\n", "func f(a: Int -> Int { return a + 1 \n"),
    ".ts": ("const f = (a: number): number => a + 1;\n", "const f = (a: number: number => a + 1;\n"),
    ".tsx": ("const f = () => <b>a</b>;\n", "const f = () => <b>a</b;\n"),
    ".xml": ("<a><b/></a>\n", "<a><b></a\n"),
    ".zig": ("fn f(a: i32) i32 {\n    return a + 1;\n}\n", "fn f(a: i32 i32 {\n    return a + 1;\n"),
    ".py": ("x = (1)\n", "x = (1\n"),
    ".json": ('{"a": 1}\n', '{"a": 1\n'),
    ".toml": ("a = 1\n", "a = \n"),
    ".yaml": ("a: [1]\n", "a: [1\n"),
}


@pytest.mark.parametrize("suffix", SAMPLES)
def test_each_language_tells_a_text_that_parses_from_one_that_does_not(suffix: str):
    if why_unchecked(f"a{suffix}"):
        pytest.skip(why_unchecked(f"a{suffix}"))
    good, bad = SAMPLES[suffix]
    assert None is first_fault(f"a{suffix}", good)
    fault = first_fault(f"a{suffix}", bad)
    assert fault is not None
    assert 1 <= fault.line <= bad.count("\n") + 1


def test_every_grammar_has_a_sample():
    assert set() == {module for module, _ in GRAMMARS.values()} - {
        GRAMMARS[suffix][0] for suffix in SAMPLES if suffix in GRAMMARS
    }


def test_only_a_file_that_parsed_can_be_broken():
    assert breaks_syntax("a.py", "x = 1\n", "x = (\n")
    assert breaks_syntax("a.py", None, "x = (\n")
    assert None is breaks_syntax("a.py", "x = [\n", "x = (\n")
    assert None is breaks_syntax("a.py", "x = [\n", "x = 1\n")
    assert None is breaks_syntax("a.txt", "x = 1\n", "x = (\n")


def test_a_result_that_breaks_a_file_is_refused_and_keeps_no_text():
    files = {"a.py": "x = 1\n", "b.py": "y = 1\n"}
    reply = change(("x = 1\n", "x = (\n"), path="a.py") + change(("y = 1\n", "y = 2\n"), path="b.py")
    result = with_syntax_checked(apply_reply(reply, files), files)
    assert ("refused", "syntax", {}) == (result.outcome, result.error, dict(result.files))
    assert ["'a.py' would not parse: line 1: '(' was never closed."] == [issue.message for issue in result.issues]


def test_a_file_that_was_broken_before_gets_a_warning():
    files = {"a.py": "x = [\ny = 1\n"}
    result = with_syntax_checked(apply_reply(change(("y = 1\n", "y = 2\n")), files), files)
    assert "applied" == result.outcome
    assert ["warning"] == [issue.severity for issue in result.issues]


def test_a_moved_file_is_compared_with_its_old_text():
    files = {"a.py": "x = [\n"}
    reply = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** End Patch\n"
    assert "applied" == with_syntax_checked(apply_reply(reply, files), files).outcome


def test_suffixes_are_read_in_any_case():
    assert ".py" == suffix_of("src/A.PY")
    assert "no parser of '.q' files is known" == why_unchecked("a.q")
