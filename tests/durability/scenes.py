"""The commands that are killed: what lies in the folder before, the words, and how a person goes on afterwards."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.durability.template import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.durability.template import Template

PROJECT = Path(__file__).resolve().parents[2]
PETS = PROJECT / "tests" / "cli" / "fixtures" / "pets.yaml"
ALU = PROJECT / "examples" / "chisel" / "alu"
FAULTY = "noted:faulty:offline?rate=0.6&seed=3&heal=1"
PATHS = [f"/srv/mission_{number:03}/2024-01-{number + 1:02}/r{number}_x.csv" for number in range(1, 9)]
FIX = "".join(
    f"CHANGE {n}: as wanted\nFILE: {file}\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{put}\n```\n"
    for n, (file, find, put) in enumerate(
        [
            ("Alu.scala", "  adder.io.carryIn := false.B", "  adder.io.carryIn := isSub"),
            ("Adder.scala", "class Adder", "final class Adder"),
        ],
        1,
    )
)
DRAFT = "0badcafe"
REPLY = "".join(
    f"CHANGE {n}: as wanted\nFILE: {file}\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{put}\n```\n"
    for n, (file, find, put) in enumerate(
        [("a.py", "one = 1", "one = 11"), ("sub/b.py", "two = 2", "two = 22"), ("new/deep/d.py", "", "four = 4\n")], 1
    )
)


def _nothing(_template: Template, _folder: Path) -> None:
    """Leave the folder empty."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A command that may be struck.

    `settle` are the words that go on afterwards, by default the same; `run` is the run directory, "" if there is none.
    `texts` are patterns of files of a person's, or for a person, which hold what they held before or what they will
    hold in the end; `calls` says how many requests may be under way at once. A command that ends with 0 and says the
    words of `excuse` may have left out what lies beside its work.
    """

    name: str
    words: tuple[str, ...]
    prepare: Callable[[Template, Path], None] = _nothing
    settle: tuple[str, ...] = ()
    run: str = "run"
    texts: tuple[str, ...] = ("**/*.cs", "**/*.md", "**/*.py", "**/*.scala", "**/*.yaml", "**/prompts.json")
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    calls: int = 1
    excuse: str = ""

    def setting(self, folder: Path) -> Setting:
        """Return where the command runs, with the user's own folders in there too."""
        own = {name: str(folder / place) for name, place in self.environment.items()}
        return Setting(folder=folder, environment=own)


def _pets(_template: Template, folder: Path) -> None:
    shutil.copy(PETS, folder / "pets.yaml")


def _pets_done(template: Template, folder: Path) -> None:
    _pets(template, folder)
    done = template.run([*_CSHARP, "--model", "noted:offline"], Setting(folder=folder))
    assert 0 == done.status, done.err


def _pets_edited(template: Template, folder: Path) -> None:
    _pets_done(template, folder)
    (file,) = (folder / "run").glob("*.cs")
    text = file.read_text("utf-8")
    assert "public required" in text
    file.write_text(text.replace("public required", "/* mine */ public required", 1), "utf-8")


def _files(_template: Template, folder: Path) -> None:
    (folder / "sub").mkdir()
    for name, text in {"a.py": "one = 1\n", "sub/b.py": "two = 2\n", "sub/c.py": "three = 3\n"}.items():
        (folder / name).write_text(f"# old\n{text}")
    (folder / "reply.txt").write_text(REPLY)


def _alu(_template: Template, folder: Path) -> None:
    shutil.copytree(ALU, folder / "alu")
    both = folder / "alu" / "src" / "Alu.scala"
    head, found, alu = both.read_text("utf-8").partition("class Alu ")
    assert found
    both.with_name("Adder.scala").write_text(head, "utf-8")
    both.write_text(f"package alu\n\nimport chisel3._\n\n{found}{alu}", "utf-8")
    (folder / "fix.txt").write_text(FIX)


def _draft(template: Template, folder: Path) -> None:
    done = template.run(_RULE, Setting(folder=folder, environment={"XDG_DATA_HOME": str(folder / "data")}))
    assert 0 == done.status, done.err
    (draft,) = (folder / "data" / "retouch" / "rule-drafts").glob("*.json")
    (draft.parent / f"{DRAFT}.json").write_text(draft.read_text("utf-8").replace(draft.stem, DRAFT), "utf-8")
    draft.unlink()


_CSHARP = ("generate", "csharp", "pets.yaml", "GET /pets", "-o", "run", "--compiler", "none", "-q")
_RULE = ("generate", "rule", *PATHS, "-o", "run", "-q")
_CHISEL = ("--diff", "alu/wanted.diff", "--source", "alu/src", "--workspace", "alu", "-o", "out/run", "-q")
_BARE = ("--compiler", "none", "-q")
_DATA = {"XDG_DATA_HOME": "data"}
_CACHE = {"XDG_CACHE_HOME": "cache"}

SCENES = (
    Scene(name="generate", words=(*_CSHARP, "--model", FAULTY, "--concurrency", "1"), prepare=_pets),
    Scene(name="generate, 8 at once", words=(*_CSHARP, "--model", FAULTY), prepare=_pets, calls=8),
    Scene(
        name="regenerate one type",
        words=("regenerate", "run", "--type", "Kind", "--correction", "Say it.", "--model", "noted:offline", *_BARE),
        prepare=_pets_done,
    ),
    Scene(name="adopt", words=("adopt", "run", "--compiler", "none"), prepare=_pets_edited),
    Scene(
        name="edit that writes originals",
        words=(
            *("generate", "edit", "a.py", "sub/b.py", "sub/c.py", "--request", 'replace "old" with "new"'),
            *("-o", "run", "--model", "noted:offline", "--concurrency", "1", "-q"),
        ),
        prepare=_files,
    ),
    Scene(name="apply", words=("apply", "--root", ".", "--response", "reply.txt"), prepare=_files, run=""),
    Scene(
        name="chisel --apply and its trials",
        words=(
            *("generate", "chisel", *_CHISEL, "--compile", "true", "--together", "3", "--apply"),
            *("--model", "noted:told:fix.txt"),
        ),
        prepare=_alu,
        run="out/run",
        environment=_CACHE,
    ),
    Scene(name="rule and its draft", words=_RULE, environment=_DATA, excuse="the draft could not be saved"),
    Scene(
        name="a draft approved",
        words=("rule", "drafts", "approve", DRAFT, "-o", "rules"),
        prepare=_draft,
        environment=_DATA,
        run="",
    ),
    Scene(
        name="locate and its index",
        words=("locate", "alu/wanted.diff", "--source", "alu/src", "--json"),
        prepare=_alu,
        environment=_CACHE,
        run="",
    ),
)
