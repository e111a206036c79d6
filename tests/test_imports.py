"""What imports what, what is offered, and what a start costs."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch._lib.python_source import parse_python
from tests.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

EXPORTED = [
    "Attempt",
    "BadInput",
    "Batching",
    "Block",
    "Correction",
    "ExtractResult",
    "FollowUp",
    "Instead",
    "Invalid",
    "Issue",
    "Message",
    "Model",
    "ModelError",
    "Patch",
    "Progress",
    "Prompt",
    "Read",
    "Recipe",
    "RecordResult",
    "Reply",
    "Request",
    "RetouchError",
    "RetryBudget",
    "RunOptions",
    "RunResult",
    "Section",
    "Targets",
    "Tier",
    "TransportError",
    "Unread",
    "Usage",
    "adopt",
    "aio",
    "assemble",
    "code_in",
    "compare",
    "extract",
    "extract_stream",
    "find_recipe",
    "generate",
    "json_in",
    "open_model",
    "open_run",
    "regenerate",
    "repaginate",
    "validate",
]

# Beyond the bare interpreter, `import retouch` may load these and `retouch --help` those as well.
ON_IMPORT = {"__future__", "importlib", "retouch", "typing"}
ON_HELP = {"click", "rich_click"}
# Modules of the standard library that cost much or open the way to a network.
HEAVY = {"asyncio", "concurrent", "http", "multiprocessing", "socket", "sqlite3", "ssl", "unittest", "urllib.request"}
UNREADABLE = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}

SHOW_HELP = "import sys; sys.argv = ['retouch', '--help']; from retouch.cli import main; main()"


@pytest.fixture(scope="session")
def modules(project: Path) -> Mapping[str, str]:
    """The package's modules: dotted name -> text."""
    source = project / "src"
    paths = {path: path.relative_to(source).with_suffix("").parts for path in source.rglob("*.py")}
    return {
        ".".join(parts).removesuffix(".__init__"): path.read_text(encoding="utf-8") for path, parts in paths.items()
    }


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield what a module imports when it runs, anywhere in it: `a.b` and, as it may be a module, `a.b.name`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from imported(ast.Module(body=node.orelse, type_ignores=[]))
        elif isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case)):  # no import is in an expression
            yield from imported(node)


def import_ring(modules: Mapping[str, str]) -> list[str]:
    """Return the modules of one ring of imports, none when there is none."""
    graph: dict[str, set[str]] = {}
    for name, text in modules.items():
        found = {target if target in modules else target.rpartition(".")[0] for target in imported(parse_python(text))}
        graph[name] = {target for target in found if target in modules}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def relative_imports(modules: Mapping[str, str]) -> list[str]:
    return [
        name
        for name, text in modules.items()
        if any(isinstance(node, ast.ImportFrom) and node.level for node in statements(parse_python(text)))
    ]


def unreadable_formats(files: Mapping[str, str]) -> list[str]:
    suspects = {name: text for name, text in files.items() if any(word in text for word in UNREADABLE)}
    trees = {name: parse_python(text) for name, text in suspects.items()}
    tops = {name: {target.partition(".")[0] for target in imported(tree)} for name, tree in trees.items()}
    return sorted(name for name, found in tops.items() if found & UNREADABLE)


def calls_in_a_fresh_interpreter(code: str) -> int:
    """Return how many functions, in Python and in C, a fresh interpreter calls for `code`."""
    counted = """
import sys
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
sys.setprofile(count)
try:
    exec(sys.argv[1])
except SystemExit:
    pass
sys.setprofile(None)
print(calls, file=sys.stderr)
"""
    plain = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}  # names of keys and addresses cost calls too
    command = [sys.executable, "-c", counted, code]
    return int(subprocess.run(command, env=plain, capture_output=True, text=True, check=True).stderr)


def loaded(code: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after `code`, beyond those it starts with."""
    report = "import sys; before = set(sys.modules)\ntry:\n    exec(sys.argv.pop())\nexcept SystemExit:\n    pass\n"
    report += "sys.stderr.write('\\n'.join(set(sys.modules) - before))"
    command = [sys.executable, "-c", report, code]
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return set(ended.stderr.splitlines())


def tops(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def strangers(names: set[str], allowed: set[str]) -> set[str]:
    return {
        name for name in tops(names) - sys.stdlib_module_names if name not in allowed and "__editable__" not in name
    }


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_ring(modules: Mapping[str, str]):
    assert [] == import_ring(modules)
    ring = {"a": "import b", "b": "def f():\n    from c import x", "c": "from a import y", "d": "import a"}
    assert {"a", "b", "c"} == set(import_ring(ring))
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nelse:\n    import c"
    assert [] == import_ring({"a": "import b", "b": types, "c": ""})


@pytest.mark.slow
def test_the_package_imports_by_whole_names_which_the_graph_is_made_of(modules: Mapping[str, str]):
    assert [] == relative_imports(modules)
    assert ["a"] == relative_imports({"a": "def f():\n    from . import b", "b": "import a"})


def test_stored_data_can_be_read_by_a_person(project: Path):
    folders = (project / name for name in ("src", "tests", "benchmarks", "examples"))
    paths = (path for folder in folders for path in folder.rglob("*.py"))
    found = unreadable_formats({str(path): path.read_text(encoding="utf-8") for path in paths})
    assert [str(project / "src" / "retouch" / "_lib" / "hashing.py")] == found  # keys of a cache in memory
    assert ["a", "b"] == unreadable_formats({"a": "import pickle", "b": "def f(): from shelve import open", "c": "x=1"})


def test_the_package_offers_these_names_and_no_others():
    offered = sorted(getattr(retouch, "__all__", []))
    assert EXPORTED == offered
    assert set(offered) <= set(dir(retouch))
    assert [] == [name for name in offered if getattr(retouch, name, None) is None]


def test_importing_the_package_loads_only_what_is_allowed():
    names = loaded("import retouch")
    assert set() == tops(names) - ON_IMPORT - set(tops(loaded("import typing, importlib")))
    assert {"retouch", "retouch._lib", "retouch._lib.lazy"} == {name for name in names if name.startswith("retouch")}


def test_asking_for_help_loads_only_what_is_allowed():
    names = loaded(SHOW_HELP)
    others = {name.partition(".")[0] for name in names if name.rpartition(".")[2] == "commands"}
    assert set() == strangers(names, ON_IMPORT | ON_HELP | others)
    contributions = {name for name in names if name.endswith(".commands")}
    packages = {name.rpartition(".")[0] for name in contributions}
    heavy = ("retouch.recipes.", "retouch.models.", "retouch.engine.l")
    assert {"retouch.recipes.csharp.commands"} < contributions
    assert set() == {name for name in names if name.startswith(heavy)} - contributions - packages


@pytest.mark.parametrize("code", ["import retouch", SHOW_HELP])
def test_starting_opens_no_way_to_a_network(code: str):
    assert set() == loaded(code) & HEAVY


def test_what_is_loaded_is_seen():
    assert {"json", "sqlite3"} <= loaded("import json, sqlite3")


@pytest.mark.parametrize(("code", "most"), [("import retouch", 13_000), (SHOW_HELP, 100_000)])
def test_starting_makes_few_function_calls(code: str, most: int):
    assert most > calls_in_a_fresh_interpreter(code)


def test_the_engine_has_at_most_thirty_modules(modules: Mapping[str, str]) -> None:
    assert 30 >= sum(name.startswith("retouch.engine.") for name in modules)
