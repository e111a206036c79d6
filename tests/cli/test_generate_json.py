"""`retouch generate NAME SOURCE.json`: the jobs that other packages bring."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import RetouchProcess

WORDS = '''"""Words -> the same in capitals: a job that tests bring."""

from dataclasses import dataclass

from retouch import Prompt, Read, Recipe


@dataclass(frozen=True, kw_only=True)
class Words:
    words: tuple[str, ...]


def plan(source):
    for word in source.words:
        yield Prompt(unit=word, system="Answer in capitals.", user=word)


recipe = Recipe[Words, str](
    name="words",
    source=Words,
    plan=plan,
    read=lambda source, unit, pages: Read(pages[0]),
    check=lambda source, values, options: [],
    assemble=lambda source, values: {"words.txt": "\\n".join(map(str, values.values())) + "\\n"},
    offline=lambda prompt: prompt.user.upper(),
)
other, nothing = recipe, None
'''
POINTS = """[retouch.recipes]
words = some_words:recipe
lost = some_words.gone:recipe
misnamed = some_words:other
empty = some_words:nothing
broken = broken_words:recipe
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of someone else: one job, and four that are registered wrongly."""
    info = tmp_path / "package" / "some_words-1.0.dist-info"
    info.mkdir(parents=True)
    (info.parent / "some_words.py").write_text(WORDS)
    (info.parent / "broken_words.py").write_text("recipe =")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-words\nVersion: 1.0\nSummary: Shout words\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.setenv("PYTHONPATH", str(info.parent))
    return info.parent


@pytest.fixture
def source(work_folder: Path, package: Path) -> str:
    """A source of the job, as a word of a command line."""
    assert package.is_dir()
    (work_folder / "two.json").write_text('{"words": ["ant", "bee"]}')
    return "two.json"


@pytest.mark.slow
def test_a_job_of_another_package_runs_and_all_verbs_work_on_its_folder(
    source: str, retouch_process: RetouchProcess, work_folder: Path
) -> None:
    made = retouch_process("generate", "words", source, "--json")
    assert (0, 2) == (made.returncode, json.loads(made.stdout)["calls"]), made.stderr
    folder = work_folder / "output" / "words-two"
    assert "ANT\nBEE\n" == (folder / "words.txt").read_text()
    for words in (["validate"], ["resume"], ["show"], ["report"], ["regenerate", "--type", "bee"], ["assemble"]):
        done = retouch_process(words[0], str(folder), *words[1:])
        assert (0, "") == (done.returncode, "" if done.returncode == 0 else done.stderr)
    assert (folder / "report.html").exists()


def test_a_dry_run_asks_and_writes_nothing(source: str, retouch_process: RetouchProcess, work_folder: Path) -> None:
    done = retouch_process("generate", "words", source, "--dry-run", "--json")
    assert (0, 2) == (done.returncode, json.loads(done.stdout)["calls"])
    assert not (work_folder / "output").exists()


def test_the_source_can_come_from_another_program(package: Path, work_folder: Path) -> None:
    assert package.is_dir()
    words = [sys.executable, "-m", "retouch", "generate", "words", "-"]
    done = subprocess.run(words, cwd=work_folder, input=b'{"words": ["cat"]}', capture_output=True, check=False)
    assert 0 == done.returncode, done.stderr
    assert "CAT\n" == (work_folder / "output" / "words" / "words.txt").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"word": ["ant"]}', "no source of 'words': words: Field required"),
        (b'{"words": ["ant", 7]}', "no source of 'words': words.1: Input should be a valid string"),
        (b"[]", "no source of 'words': the whole: "),
        (b'{"words": [', "is not JSON: "),
        (b"\xff\xfe\x00", "is not JSON: "),
    ],
)
def test_a_source_that_does_not_fit_is_named_with_its_place(
    package: Path, text: bytes, said: str, retouch_process: RetouchProcess, work_folder: Path
) -> None:
    assert package.is_dir()
    (work_folder / "bad.json").write_bytes(text)
    done = retouch_process("generate", "words", "bad.json")
    assert 2 == done.returncode
    assert done.stderr.startswith("error: 'bad.json' ")
    assert said in done.stderr
    assert "  next: " in done.stderr
    assert not (work_folder / "output").exists()


def test_a_key_that_nothing_reads_is_told(package: Path, retouch_process: RetouchProcess, work_folder: Path) -> None:
    assert package.is_dir()
    (work_folder / "more.json").write_text('{"words": ["ant"], "wrods": []}')
    done = retouch_process("generate", "words", "more.json", "--quiet")
    assert (0, "note: nothing reads wrods; there are words\n") == (done.returncode, done.stderr)


def test_the_help_names_the_job_by_the_summary_of_its_package(package: Path, retouch_process: RetouchProcess) -> None:
    assert package.is_dir()
    assert "\n words Shout words.\n" in re.sub(" +", " ", retouch_process("generate", "--help").stdout)
    assert "\n  Shout words.\n" in retouch_process("generate", "words", "--help").stdout


@pytest.mark.slow
def test_a_setting_may_be_meant_for_such_a_job_alone(
    source: str, retouch_process: RetouchProcess, work_folder: Path
) -> None:
    (work_folder / "retouch.toml").write_text('[generate.words]\noutput = "mine"\n')
    assert 0 == retouch_process("generate", "words", source).returncode
    assert (work_folder / "mine" / "words.txt").exists()


@pytest.mark.slow
def test_jobs_that_cannot_be_loaded_do_not_hide_the_others(package: Path, retouch_process: RetouchProcess) -> None:
    assert package.is_dir()
    done = retouch_process("recipes", "--json")
    about = {one["name"]: one["about"] for one in json.loads(done.stdout)["recipes"]}
    assert 0 == done.returncode
    assert "Words -> the same in capitals" == about["words"]
    assert "cannot be loaded from 'some_words.gone:recipe'" in about["lost"]
    assert "SyntaxError" in about["broken"]
    assert "calls itself 'words'" in about["misnamed"]
    assert "is registered as NoneType" in about["empty"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lost", "misnamed", "empty", "broken"])
def test_a_job_that_cannot_be_loaded_says_why(name: str, source: str, retouch_process: RetouchProcess) -> None:
    done = retouch_process("generate", name, source)
    assert (2, "") == (done.returncode, done.stdout)
    assert done.stderr.startswith(f"error: the recipe {name!r} ") or f"registered as {name!r}" in done.stderr
    assert "  next: " in done.stderr
