"""`retouch locate index`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Retouch, RetouchProcess


@pytest.fixture
def tree(work_folder: Path) -> Path:
    root = work_folder / "tree"
    (root / "src" / "test").mkdir(parents=True)
    (root / "src" / "Alu.scala").write_text("class Alu { val x = 1 }\nobject Alu\n")
    (root / "src" / "test" / "AluTest.scala").write_text("class AluTest\n")
    (root / "tool.py").write_text("def main(): ...\n")
    return root


def test_an_index_is_built_once_and_then_refreshed(retouch: Retouch, tree: Path):
    words = ("locate", "index", "tree", "--cache", "index.json")
    first = retouch(*words)
    assert 0 == first.exit_code
    assert first.stdout.startswith("1 file, 2 definitions; 1 new or changed in ")
    assert first.stdout.endswith("index: index.json\n")
    (tree / "src" / "New.scala").write_text("class New\n")
    assert retouch(*words).stdout.startswith("2 files, 3 definitions; 1 new or changed in ")
    (tree / "src" / "New.scala").unlink()
    assert retouch(*words).stdout.startswith("1 file, 2 definitions; 0 new or changed, 1 gone in ")


def test_the_facts_are_told_as_json(retouch: Retouch, tree: Path):  # noqa: ARG001 - the folder
    told = json.loads(retouch("locate", "index", "tree", "--cache", "i.json", "--json").stdout)
    assert {"files": 1, "spans": 2, "parsed": ["src/Alu.scala"], "deleted": [], "commit": None, "cache": "i.json"} == {
        key: told[key] for key in ("files", "spans", "parsed", "deleted", "commit", "cache")
    }
    assert ({}, [], True) == (told["errors"], told["notes"], told["seconds"] >= 0)


def test_tests_and_another_language_are_taken_on_request(retouch: Retouch, tree: Path):  # noqa: ARG001 - the folder
    words = ("locate", "index", "tree", "--cache", "i.json")
    assert retouch(*words, "--tests").stdout.startswith("2 files, 3 definitions")
    assert retouch(*words, "--language", "python").stdout.startswith("1 file, 1 definition;")


def test_what_could_not_be_read_and_a_damaged_cache_are_told(retouch: Retouch, tree: Path):
    (tree / "src" / "Alu.scala").write_text("class Alu {\n  val x = )\n}\n")
    (tree.parent / "i.json").write_text("no index")
    done = retouch("locate", "index", "tree", "--cache", "i.json")
    assert 0 == done.exit_code
    assert "src/Alu.scala: 1 place could not be read" in done.stderr
    assert "'i.json' is rebuilt: it is not an index" in done.stderr


def test_a_folder_without_sources_is_doubted(retouch: Retouch, work_folder: Path):
    (work_folder / "empty").mkdir()
    done = retouch("locate", "index", "empty", "--cache", "i.json")
    assert 0 == done.exit_code
    assert "next: is 'empty' the directory of the scala sources?" in done.stderr


@pytest.mark.parametrize(
    ("folder", "said"), [("gone", "There is no directory 'gone'"), ("docker:x", "no absolute path")]
)
def test_a_folder_that_is_not_there_is_bad_input(retouch: Retouch, folder: str, said: str):
    done = retouch("locate", "index", folder)
    assert 2 == done.exit_code
    assert said in done.stderr


def test_without_a_place_the_index_lies_in_the_users_cache(
    retouch_process: RetouchProcess,
    tree: Path,  # noqa: ARG001 - the folder
    work_folder: Path,
):
    home = str(work_folder / "home")
    done = retouch_process("locate", "index", "tree", "--json", HOME=home, XDG_CACHE_HOME=home)
    assert 0 == done.returncode
    assert json.loads(done.stdout)["cache"].startswith(home)
