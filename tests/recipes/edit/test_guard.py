"""What an answer removes without being asked to, in many languages, and what is no removal."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.edit import EditFile, EditJob
from retouch.recipes.edit.answers import NewText
from retouch.recipes.edit.definitions import definitions
from retouch.recipes.edit.guard import removal_issues

PYTHON = "import os\n\nLIMIT = 3\n\n\ndef load(path):\n    return path\n\n\ndef save(path):\n    x = 1\n    return x\n"
MARKDOWN = "# Guide\n\nIntro.\n\n## Install\n\nRun the installer.\nThen log in.\n\n## Use\n\nCall it.\n"


def removed(path: str, before: str, after: str, request: str = "make it faster", *allowed: str) -> list[str]:
    """Return the names that the guard reports for a change of one file."""
    return removed_from({path: (before, after)}, request, *allowed)


def removed_from(files: dict[str, tuple[str, str]], request: str, *allowed: str) -> list[str]:
    job = EditJob(request=request, files=tuple(EditFile(path=path, text=old) for path, (old, _) in files.items()))
    values = {path: NewText(path=path, text=new, changed=old != new, edits=None) for path, (old, new) in files.items()}
    issues = removal_issues(job, values, allowed)
    assert all(issue.detail.get("person") for issue in issues if issue.is_error)
    listed: list[Any] = [issue.detail["names"] for issue in issues if issue.is_error]
    return [str(name) for names in listed for name in names]


@pytest.mark.parametrize(
    ("path", "before", "gone", "names"),
    [
        ("a.py", PYTHON, "def load(path):\n    return path\n", ["load"]),
        ("a.py", PYTHON, "LIMIT = 3\n", ["LIMIT"]),
        ("a.py", PYTHON, "import os\n", []),
        ("a.py", PYTHON, "    x = 1\n", []),
        ("a.pyi", "class A: ...\nclass B: ...\nclass C: ...\n", "class B: ...\n", ["B"]),
        ("a.py", "class A:\n    x: int = 1\n    def m(self):\n        y = 2\n\n\nB = 1\n", "    x: int = 1\n", ["x"]),
        ("a.py", "class A:\n    def m(self):\n        y = 2\n        return 1\n", "        y = 2\n", []),
        ("a.js", "class A {\n x = 1;\n m() { const k = 1; }\n}\n", " m() { const k = 1; }\n", ["m"]),
        ("a.go", "type S struct {\n\tA int\n\tB string\n}\n\nvar x = 1\n", "\tB string\n", ["B"]),
        ("a.cs", "class A { }\nclass B { void M() { }\nvoid N() { }\n}\n", "void N() { }\n", ["N"]),
        ("a.scala", "class A { val a = 1\ndef m = 2\n}\nobject B\n", "object B\n", ["B"]),
        ("a.go", "func A() {\n}\n\nfunc (t *T) B() {\n}\n\nfunc C() {\n}\n", "func (t *T) B() {\n}\n", ["B"]),
        ("a.lua", "function a()\nend\nlocal b = 1\nfunction c()\nend\n", "local b = 1\n", ["b"]),
        ("Makefile", "all: x\n\tmake x\n\nclean:\n\trm x\n\nx:\n\tcc\n", "clean:\n\trm x\n", ["clean"]),
        ("run.sh", "load() {\n  a\n}\nsave() {\n  b\n}\nload\nsave\n", "save() {\n  b\n}\n", ["save"]),
        ("a.json", '{"a": 1,\n "b": {"c": 1,\n "d": 2},\n "e": 1}\n', ' "d": 2', ["d"]),
        ("a.yaml", "a: 1\nb:\n  c: 2\n  d: 3\ne: 4\nf: 5\n", "b:\n  c: 2\n  d: 3\n", ["b"]),
        ("a.toml", 'a = 1\n[b]\nc = 2\nd = 1\n[e]\nf = "x"\n', "[b]\nc = 2\nd = 1\n", ["b"]),
        ("a.ini", "[a]\nx = 1\n[b]\ny = 2\nz = 1\n", "y = 2\n", ["y"]),
        ("a.md", MARKDOWN, "## Install\n\nRun the installer.\nThen log in.\n", ["Install"]),
        ("a.rst", "One\n===\n\nText.\n\nTwo\n===\n\nMore.\nMore.\nMore.\n", "One\n===\n\nText.\n", ["One"]),
        ("a.md", "# A\n\n```sh\n# no heading\nx\n```\n\n# B\n\ny\n", "# no heading\n", []),
    ],
)
def test_what_is_removed_unasked_is_named(path: str, before: str, gone: str, names: list[str]) -> None:
    assert gone in before
    assert names == removed(path, before, before.replace(gone, ""))


def test_a_name_in_the_request_is_asked_for_as_a_word_and_not_as_a_part_of_one() -> None:
    after = PYTHON.replace("def load(path):\n    return path\n", "")
    assert [] == removed("a.py", PYTHON, after, "remove `load`, please")
    assert [] == removed("a.py", PYTHON, after, "Load() is not needed")
    assert ["load"] == removed("a.py", PYTHON, after, "make the loader faster")


def test_a_rename_that_the_request_names_is_no_removal_and_another_one_is() -> None:
    after = PYTHON.replace("load", "read")
    assert [] == removed("a.py", PYTHON, after, "rename load to read")
    assert ["load"] == removed("a.py", PYTHON, after, "rename save to read")


def test_a_definition_that_moves_to_another_file_or_into_a_class_is_not_removed() -> None:
    moved = "def load(path):\n    return path\n"
    after = PYTHON.replace(moved, "from b import load\n")
    assert [] == removed_from({"a.py": (PYTHON, after), "b.py": ("y = 1\n", f"y = 1\n{moved}")}, "split it")
    assert ["load"] == removed_from({"a.py": (PYTHON, after), "b.py": ("y = 1\n", "y = 2\n")}, "split it")
    inside = PYTHON.replace(moved, "class Loader:\n    def load(self, path):\n        return path\n")
    assert [] == removed("a.py", PYTHON, inside)


def test_the_same_name_that_was_elsewhere_before_is_not_where_it_moved_to() -> None:
    before = f"{PYTHON}\n\nclass K:\n    def load(self):\n        return 1\n"
    assert ["load"] == removed("a.py", before, before.replace("def load(path):\n    return path\n", ""))


CLASS = """
class Account:
    limit: int = 3

    def pay(self, amount):
        total = amount * 2
        return total

    def close(self):
        return self.pay(0)
"""


def test_a_method_that_vanishes_is_a_removal_and_one_that_moves_is_none() -> None:
    close = "    def close(self):\n        return self.pay(0)\n"
    assert ["close"] == removed("a.py", CLASS, CLASS.replace(close, ""))
    assert [] == removed("a.py", CLASS, CLASS.replace(close, ""), "close() is not needed")
    base = "class Base:\n" + close
    assert [] == removed("a.py", CLASS, base + CLASS.replace(close, "").replace("Account:", "Account(Base):"))
    assert [] == removed("a.py", CLASS, CLASS.replace("class Account", "class Purse"), "rename Account to Purse")
    assert [] == removed(
        "a.py", CLASS, CLASS.replace("        total = amount * 2\n", "").replace("total", "amount * 2")
    )
    assert ["Account"] == removed(
        "a.py", f"x = 1{CLASS}y = 2\nz = 3\n" + "a = 1\n" * 9, "x = 1\ny = 2\nz = 3\n" + "a = 1\n" * 9
    )


def test_the_setter_of_a_property_may_go_and_the_property_may_not() -> None:
    setter = "    @x.setter\n    def x(self, new): ...\n"
    both = f"class A:\n    @property\n    def x(self): ...\n{setter}    y = 1\n    z = 2\n"
    assert [] == removed("a.py", both, both.replace(setter, ""))
    assert ["a.py", "x"] == removed("a.py", both, "class A:\n    y = 1\n    z = 2\n")


def test_a_heading_may_be_corrected_while_its_text_stays() -> None:
    assert [] == removed("a.md", MARKDOWN, MARKDOWN.replace("## Install", "## Installation"))
    assert [] == removed("a.md", MARKDOWN, MARKDOWN.replace("## Install", "## install!"))
    other = MARKDOWN.replace("## Install\n\nRun the installer.\nThen log in.", "## Setup\n\nNothing to do here.\nEver.")
    assert ["Install"] == removed("a.md", MARKDOWN, other)


def test_half_of_a_file_may_go_and_not_more() -> None:
    lines = [f"line {number}" for number in range(10)]
    text = "\n".join(lines)
    assert [] == removed("a.txt", text, "\n".join(lines[:5]))
    assert ["a.txt"] == removed("a.txt", text, "\n".join(lines[:4]))
    assert ["a.txt"] == removed("a.txt", "x" * 3_000, "x" * 1_000)


def test_the_most_of_a_file_may_go_if_the_request_names_what_goes() -> None:
    big = "def big():\n" + "".join(f"    print({number})\n" for number in range(30))
    before = f"x = 1\n\n\n{big}\n\ny = 2\n"
    assert [] == removed("a.py", before, before.replace(big, ""), "remove big")
    assert ["a.py", "big"] == removed("a.py", before, before.replace(big, ""), "tidy up")


def test_a_section_that_may_go_takes_its_keys_with_it_and_those_of_others_stay() -> None:
    ini = "[a]\nname = 1\n[b]\nname = 2\nport = 3\n[c]\nx = 1\ny = 1\n"
    assert [] == removed("a.ini", ini, ini.replace("[a]\nname = 1\n", ""), "remove section a")
    assert ["a"] == removed("a.ini", ini, ini.replace("[a]\nname = 1\n", ""))
    assert ["name"] == removed("a.ini", ini, ini.replace("name = 2\n", ""))
    assert [] == removed("a.ini", ini, ini.replace("[a]\n", "").replace("[b]\n", "[b]\n"), "drop [a]")


def test_keys_on_one_line_are_told_apart() -> None:
    assert ["a", "b"] == removed("a.json", '{"a": 1, "b": 2, "c": 3}', '{"c": 3}')
    assert ["b"] == removed("a.json", '{"a": {"b": 1, "c": 2}, "d": {"b": 1}}', '{"a": {"c": 2}, "d": {"b": 1}}')
    assert ["a"] == removed("a.json", '{"a": {"b": 1, "c": 2}, "d": {"b": 1}}', '{"d": {"b": 1}}')


def test_a_long_file_is_compared_in_little_time() -> None:
    text = "".join(f"name_{number} = {number}\n" for number in range(5_000))
    assert 5_001 == len(removed("a.py", text, ""))


def test_a_file_that_is_emptied_is_a_removal_of_everything() -> None:
    assert ["a.py", "LIMIT", "load", "save"] == removed("a.py", PYTHON, "")
    assert ["a.txt"] == removed("a.txt", "text\n", "")


@pytest.mark.parametrize("allowed", ["load", "lo*", "*"])
def test_what_the_user_agreed_to_is_no_error_by_name_or_pattern(allowed: str) -> None:
    after = PYTHON.replace("def load(path):\n    return path\n", "")
    assert [] == removed("a.py", PYTHON, after, "tidy up", allowed)
    assert ["load"] == removed("a.py", PYTHON, after, "tidy up", "sav*")


def test_a_rewrite_of_every_line_that_keeps_the_names_removes_nothing() -> None:
    assert [] == removed("a.py", PYTHON, PYTHON.replace("path", "place").replace("    ", "\t"))


def test_the_files_of_the_project_define_what_their_readers_see() -> None:
    names = [one.name for one in definitions("a.py", "def f(): ...\nclass K:\n    a = 1\nT: int = 2\n") if one.is_top]
    assert ["f", "K", "a", "T"] == names
    assert [] == definitions("a.txt", "")
    assert ["a"] == [one.name for one in definitions("a.py", "def a(:\n")]  # it does not parse
