"""The house style, for every Python file of the project and without a list of exceptions."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import pytest

from retouch._lib.python_source import parse_python
from tests.statements import statements

MODULE_LINES = 500  # most are under 300; longer ones hold one idea that a reader is better served to see whole
FUNCTION_LINES = 40
COMPLEXITY = 10
LINE_LENGTH = 120

Files: TypeAlias = Mapping[str, str]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = Function | ast.ClassDef


@pytest.fixture(scope="session")
def files(project: Path) -> Files:
    """Every Python file of the project, by its path."""
    folders = (project / name for name in ("src", "tests", "benchmarks", "examples"))
    found = sorted(path for folder in folders for path in folder.rglob("*.py"))
    return {path.relative_to(project).as_posix(): path.read_text(encoding="utf-8") for path in found}


@pytest.fixture(scope="session")
def sources(files: Files) -> Files:
    """The files of the package alone."""
    return {name: text for name, text in files.items() if name.startswith("src/")}


def functions(text: str) -> Iterator[Function]:
    return (node for node in statements(parse_python(text)) if isinstance(node, Function))


def too_long_modules(files: Files) -> list[str]:
    counts = {name: len(text.splitlines()) for name, text in files.items()}
    return [f"{name}: {lines} lines" for name, lines in counts.items() if lines > MODULE_LINES]


def too_long_functions(files: Files) -> list[str]:
    found: list[str] = []
    for name, text in files.items():
        for node in functions(text):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                found.append(f"{name}:{node.lineno} {node.name}: {lines} lines")
    return found


def too_complex_functions(folder: Path) -> list[str]:
    """Ask ruff, which counts branches; what a file says to silence it is not heard."""
    limit = f"lint.mccabe.max-complexity={COMPLEXITY}"
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--ignore-noqa", "--no-cache", "--quiet"]
    command += ["--select", "C901", "--config", limit, "--output-format", "concise", "."]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert "" == ended.stderr
    return [line for line in ended.stdout.splitlines() if "C901" in line]


def bare_ignores(files: Files) -> list[str]:
    bare = re.compile(r"#\s*((type|pyright|ty|mypy):\s*ignore(?!\[)|noqa(?!: ?[A-Z]+[0-9]+)|ruff: ?noqa)")
    suspects = {name: text for name, text in files.items() if bare.search(text)}  # in a comment or elsewhere
    return [f"{name}:{line} {text}" for name, line, text in comments(suspects) if bare.search(text)]


def comments(files: Files) -> Iterator[tuple[str, int, str]]:
    for name, text in files.items():
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield name, token.start[0], token.string


def vague_names(files: Files) -> list[str]:
    vague = re.compile(r"(manager|handler|helper|util|utility)s?", re.IGNORECASE)
    found: list[str] = []
    for name, text in files.items():
        nodes = ast.walk(parse_python(text)) if vague.search(text) else ()
        names = {*Path(name).with_suffix("").parts, *(word for node in nodes for word in defined(node))}
        found += [f"{name}: {word}" for word in sorted(names) if any(vague.fullmatch(part) for part in words(word))]
    return found


def defined(node: ast.AST) -> list[str]:
    """Return the names that `node` itself defines."""
    if isinstance(node, Definition):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


def words(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)


def undocumented(files: Files) -> list[str]:
    found: list[str] = []
    for name, text in files.items():
        for node in public(parse_python(text).body):
            first, _, _ = (ast.get_docstring(node) or "").partition("\n\n")
            if not first.endswith((".", "?", "!")):
                found.append(f"{name}:{node.lineno} {node.name}: its docstring does not begin with one sentence")
    return found


def public(body: list[ast.stmt]) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body)


def every_test(files: Files) -> Iterator[tuple[str, Function, ast.Module]]:
    for name, text in files.items():
        if Path(name).name.startswith("test_"):
            tree = parse_python(text)
            yield from ((name, node, tree) for node in statements(tree) if isinstance(node, Function) and is_test(node))


def is_test(node: Function) -> bool:
    return node.name.startswith("test_")


def short_named(files: Files) -> list[str]:
    return [f"{name}: {node.name}" for name, node, _ in every_test(files) if len(node.name.split("_")) < 4]


def idle_tests(files: Files) -> list[str]:
    found: list[str] = []
    for name, group in groupby(every_test(files), key=lambda one: one[0]):
        tests = list(group)
        others = (other for other in statements(tests[0][2]) if isinstance(other, Function))
        checking = {other.name for other in others if checks(other, set())}
        found += [f"{name}: {node.name}" for _, node, _ in tests if not checks(node, checking - {node.name})]
    return found


def checks(function: Function, checking: set[str]) -> bool:
    """Return whether `function` asserts, expects an error, or calls one of the functions that do."""
    known = checking | {"raises", "warns", "fail"}
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    called = {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "") for func in calls}
    return bool(called & known) or any(isinstance(node, ast.Assert) for node in ast.walk(function))


def mocks(files: Files) -> list[str]:
    own = re.compile(r"^\s*(from|import) (unittest\.mock|unittest import mock|mock)\b", re.MULTILINE)
    return [name for name, text in files.items() if own.search(text)]


def test_no_module_is_longer_than_five_hundred_lines(files: Files):
    assert [] == too_long_modules(files)
    assert ["a.py: 501 lines"] == too_long_modules({"a.py": "x = 1\n" * 501, "b.py": "x = 1\n" * 500})


def test_no_function_is_longer_than_forty_lines(files: Files):
    assert [] == too_long_functions(files)
    body = "    x = 1\n" * 39
    assert [] == too_long_functions({"a.py": f"def f():\n{body}"})
    assert ["a.py:1 f: 41 lines"] == too_long_functions({"a.py": f"async def f():\n{body}    x = 1\n"})


def test_no_function_is_more_complex_than_ten(project: Path):
    for folder in ("src", "tests", "benchmarks", "examples"):
        if (project / folder).is_dir():
            assert [] == too_complex_functions(project / folder)


def test_a_function_that_silences_the_linter_is_still_too_complex(tmp_path: Path):
    branches = "".join(f"    if x == {number}:\n        return {number}\n" for number in range(10))
    (tmp_path / "a.py").write_text(f"def f(x):  # noqa: C901 - silenced\n{branches}", encoding="utf-8")
    assert 1 == len(too_complex_functions(tmp_path))


def test_every_ignore_names_its_rule(files: Files):
    assert [] == bare_ignores(files)
    wrong = ["# type: ignore", "# pyright: ignore", "# noqa", "# noqa - because", "# ruff: noqa: E501"]
    right = ["# type: ignore[misc]", "# pyright: ignore[reportAny]", "# noqa: E501", "# noqa:E501 - a long address"]
    assert len(wrong) == len(bare_ignores({"a.py": "\n".join(f"x = 1  {comment}" for comment in (*wrong, *right))}))
    assert [] == bare_ignores({"a.py": 'x = "# noqa"\n'})


def test_names_say_what_a_thing_does(files: Files):
    assert [] == vague_names(files)
    text = "class RunManager:\n    def error_handler(self, helper): utils = 1\nclass Handled: pass\nutilization = 1\n"
    assert ["a.py: RunManager", "a.py: error_handler", "a.py: helper", "a.py: utils"] == vague_names({"a.py": text})
    assert ["src/utils.py: utils"] == vague_names({"src/utils.py": ""})


def test_every_public_thing_has_a_docstring_that_begins_with_a_sentence(sources: Files):
    assert [] == undocumented(sources)
    half = 'def f():\n    """Return\n\n    a thing."""\n'
    text = f'{half}class C:\n    """Good,\n    and longer."""\n    def m(self): ...\n    def _m(self): ...\n'
    assert ["a.py:1 f", "a.py:8 m"] == [line.partition(": its")[0] for line in undocumented({"a.py": text})]


def test_the_name_of_every_test_is_a_sentence(files: Files):
    assert [] == short_named(files)
    assert ["test_a.py: test_short_name"] == short_named(
        {"test_a.py": "def test_short_name(): ...\ndef test_a_pattern_fits(): ..."}
    )


def test_every_test_can_fail(files: Files):
    assert [] == idle_tests(files)
    idle = "def run(): ...\ndef look(): assert x\ndef test_a(): run()\n"
    fine = "def test_b(): look()\nasync def test_c(): assert 1\ndef test_d():\n    with pytest.raises(E): run()\n"
    assert ["test_a.py: test_a"] == idle_tests({"test_a.py": idle + fine})


def repeated_class_names(sources: Files) -> list[str]:
    """Return the public classes that share their name with another, so that a search finds two things."""
    places: dict[str, list[str]] = {}
    for name, text in sources.items():
        for node in parse_python(text).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name)
    return [f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]


def test_every_public_class_has_a_name_of_its_own(sources: Files):
    bad = {"a.py": "class Row: ...\nclass _Own: ...\n", "b.py": "class Row: ...\nclass _Own: ...\n"}
    assert ["Row: a.py, b.py"] == repeated_class_names(bad)
    assert [] == repeated_class_names(sources)


def test_nothing_of_our_own_is_mocked(files: Files):
    assert [] == mocks(files)
    assert ["a.py", "b.py"] == mocks({"a.py": "from unittest import mock\n", "b.py": "import unittest.mock\n"})
