"""A migration of a public repository: `retouch generate edit --files GLOB --per-file --check CMD`, with a faulty model.

    git clone https://github.com/Textualize/rich
    python benchmarks/edits_migration.py rich --glob 'rich/**/*.py' [--rates 0,0.1,0.3] [--tests 'pytest -q ...']

The migration is `Optional[X]` -> `X | None`. A linter makes the right result of each file. Scripted answers lead to it,
served to the command as a hosted model. A share of the files gets an answer that is broken in one of the ways of
`faulty`, or in a way of edits: a wrong quote, a missing edit, code that does not parse, a name that does not exist.
The check is the linter and the repository's own tests.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.edits import changes_between, render_blocks
from retouch.models.named import NamedModel
from retouch.recipes.edit import edit_job, recipe
from retouch.recipes.edit.source import matching_paths
from retouch.testing import faulty, model_server, scripted
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from random import Random
    from typing import Any

    from retouch.engine.types import Model, OnEvent, Reply, Request

MODEL = "anthropic:claude-sonnet-4-6"
MOST_AGAIN = 2  # times that the files with errors are requested anew, after the command itself
RULE = "UP045"  # of ruff: Optional[X] -> X | None
RUFF = [
    str(Path(sys.executable).with_name("ruff")),
    "check",
    "--isolated",
    "--target-version",
    "py310",
    "--select",
    RULE,
]
REQUEST = "Write every annotation `Optional[X]` as `X | None`. Remove the import of Optional if nothing else uses it.\n"
HEAD = (
    "rate", "files", "to change", "broken answers", "calls", "beyond the floor", "failed the check",
    "retried", "regenerated", "wrong at the end", "status",
)  # fmt: skip
_FILE = re.compile(r"^FILE: (\S+)$", re.MULTILINE)
_BLOCK = re.compile(r"(?=^### CHANGE )", re.MULTILINE)


@dataclass(kw_only=True)
class Migration:
    """The files before and after, and what the model was asked for each of them."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    calls: Counter[str] = field(default_factory=Counter[str])
    blamed: Counter[str] = field(default_factory=Counter[str])
    broken: int = 0

    def answer(self, request: Request) -> str:
        """Return the right answer to a request: all edits, or the next one if one at a time is requested."""
        first = next(message.text for message in request.messages if message.role == "user")
        path = path_in(request)
        blocks = changes_between(self.before[path], self.after[path])
        if not blocks:
            return "NO CHANGES NEEDED\n"
        if "MORE CHANGES: yes" not in first:
            return render_blocks(blocks)
        sent = sum(message.role == "assistant" for message in request.messages)
        more = "yes" if sent + 1 < len(blocks) else "no"
        return render_blocks(blocks[sent : sent + 1]) + f"\nMORE CHANGES: {more}\n"

    def counted(self, model: Model) -> Model:
        """Return the model, with its calls and its broken answers counted."""

        async def answer(request: Request, on_event: OnEvent | None) -> Reply:
            self.calls[path_in(request)] += 1
            self.blamed[path_in(request)] += "[CHECK_FAILED]" in request.messages[-1].text
            reply = await model(request, on_event=on_event)
            self.broken += reply.text != self.answer(request)
            return reply

        return NamedModel(name="counted", answer=answer)


def path_in(request: Request) -> str:
    """Return the path of the file that a request is about."""
    found = _FILE.search(next(message.text for message in request.messages if message.role == "user"))
    return found[1] if found else ""


def misquote(text: str, random: Random) -> str:
    """Change a word in the FIND of one edit."""
    return in_one_block(text, random, lambda block: re.sub(r"(FIND:\n`+\n.*?\w)(\w)", r"\1_\2", block, count=1))


def forget(text: str, random: Random) -> str:
    """Leave out one edit of several."""
    parts = _BLOCK.split(text)
    if len(parts) < 3:
        return text
    del parts[random.randrange(1, len(parts))]
    return "".join(parts)


def unparsable(text: str, random: Random) -> str:
    return in_one_block(text, random, lambda block: re.sub(r"\| None(?!.*\| None)", "| (None", block, flags=re.DOTALL))


def wrong_name(text: str, random: Random) -> str:
    return in_one_block(
        text, random, lambda block: re.sub(r"\| None(?!.*\| None)", "| Nothing", block, flags=re.DOTALL)
    )


def in_one_block(text: str, random: Random, change: Callable[[str], str]) -> str:
    """Return the answer with one of its edits changed."""
    parts = _BLOCK.split(text)
    if len(parts) < 2:
        return text
    at = random.randrange(1, len(parts))
    parts[at] = change(parts[at])
    return "".join(parts)


FAULTS = {"misquote": misquote, "forget": forget, "unparsable": unparsable, "wrong_name": wrong_name}


def migrated(path: str, text: str) -> str:
    """Return the right text of a file, made by the linter."""
    command = [*RUFF, "--fix", "--unsafe-fixes", "--quiet", "--stdin-filename", path, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stdout or text


def run(checkout: Path, pattern: str, tests: str, rate: float) -> list[object]:
    """Run the command on a copy of the checkout, and return the row of the table."""
    with tempfile.TemporaryDirectory(prefix="retouch-") as folder:
        project, work = Path(folder) / "project", Path(folder) / "work"
        shutil.copytree(checkout, project, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        work.mkdir()
        (work / "migrate.md").write_text(REQUEST, encoding="utf-8")
        paths = matching_paths(project, [pattern])
        before = {path: (project / path).read_text(encoding="utf-8") for path in paths}
        migration = Migration(before=before, after={path: migrated(path, text) for path, text in before.items()})
        found = command(project, work, pattern, tests, rate, migration)
        wrong = [path for path in paths if (project / path).read_text(encoding="utf-8") != migration.after[path]]
    changing = sum(before[path] != migration.after[path] for path in paths)
    calls = migration.calls.total()
    retried = [path for path, count in migration.calls.items() if count > 1]
    failed = sum(count > 0 for count in migration.blamed.values())
    if wrong:
        print(
            wrong,
            [(issue["code"], issue["unit"], issue["message"][-400:]) for issue in found["issues"]],
            file=sys.stderr,
        )
    return [
        rate, len(paths), changing, migration.broken, calls, calls - len(paths), failed, len(retried),
        "yes" if found.get("again") else "no", len(wrong), found["status"],
    ]  # fmt: skip


def command(project: Path, work: Path, pattern: str, tests: str, rate: float, migration: Migration) -> dict[str, Any]:
    """Run `retouch generate edit`, and return its JSON."""
    job = edit_job(project, [Path(path) for path in migration.before], REQUEST)
    model = migration.counted(faulty(scripted(migration.answer), rate=rate, seed=1, faults=FAULTS))
    lint = shlex.join([*RUFF, "--output-format", "concise", "--quiet", pattern.partition("*")[0]])
    words = [
        str(Path(sys.executable).with_name("retouch")), "generate", "edit", "--files", pattern, "--per-file",
        "--request", "@migrate.md", "--root", str(project), "--check", f"{lint} && {tests}", "--check-timeout", "600",
        "--model", MODEL, "-o", "run", "--json",
    ]  # fmt: skip
    again = [words[0], "regenerate", "run", "--from-errors", "--model", MODEL, "--json"]
    resume = [words[0], "resume", "run", "--json"]
    with model_server(model, prompts=recipe.plan(replace(job, per_file=True))) as server:
        environment = {**os.environ, **server.environment}
        found = result_of(words, work, environment)
        for _ in range(MOST_AGAIN):
            if found["status"] != "verified":
                result_of(again, work, environment)
                found = {**result_of(resume, work, environment), "again": True}
    return found


def result_of(words: Sequence[str], work: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Run a command, and return its JSON."""
    done = subprocess.run(words, cwd=work, env=environment, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{done.stdout}\n{done.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--glob", default="rich/**/*.py", help="the files to change, as in .gitignore")
    parser.add_argument(
        "--tests", default="python -m pytest -q -p no:cacheprovider tests", help="the repository's tests"
    )
    parser.add_argument("--rates", default="0,0.1,0.3", help="the shares of files with a broken answer")
    arguments = parser.parse_args()
    announce("A migration of a public repository")
    rates: Sequence[float] = [float(one) for one in arguments.rates.split(",")]
    print(table(HEAD, [run(arguments.checkout, arguments.glob, arguments.tests, rate) for rate in rates]))


if __name__ == "__main__":
    main()
