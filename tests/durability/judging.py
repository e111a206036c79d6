"""What must hold of a folder whatever happened to the command that wrote into it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tests.durability.scenes import Scene
    from tests.durability.template import Ended, Template

Tree: TypeAlias = "dict[str, str]"
OURS = re.compile(r"(^|/)\.[^/]*\.(tmp|new|old|bak)(-wal|-shm|-journal)?$|\.retouch-|-wal$|-shm$")
VARIES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|(?<=seconds\": )[\d.e-]+|\b[0-9a-f]{8}(?=\.json|\")")
BY_THEIR_READERS = ("*.lock", "*/.holder.json", "*/ledger.db*", "*/trials.jsonl*", "*/cache/*")


def tree_of(folder: Path) -> Tree:
    """Return the text of every file below a folder, clocks and random names as stars, but of what readers judge."""
    found: Tree = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if not any(fnmatch(f"/{name}", pattern) for pattern in BY_THEIR_READERS):
            found[VARIES.sub("*", f'{name}"')[:-1]] = VARIES.sub("*", path.read_bytes().decode("utf-8", "replace"))
    return found


def without_ours(tree: Tree) -> Tree:
    """Return a tree without what a killed process leaves beside files until the next one sweeps it."""
    return {name: text for name, text in tree.items() if not OURS.search(name)}


@dataclass(frozen=True, kw_only=True)
class Course:
    """What a scene comes to when nobody disturbs it, and (`again`) when the person goes on although it is done."""

    before: Tree
    after: Tree
    again: Tree
    ended: Ended
    settled: Ended
    requests: tuple[str, ...]


def broken(scene: Scene, course: Course, tree: Tree, folder: Path) -> list[str]:
    """Return what is half, or holds what it never may hold, in the folder of a command that was struck."""
    wrong = [f"{path.relative_to(folder)} is not whole" for path in folder.rglob("*.json") if not _is_whole(path)]
    for name, text in tree.items():
        if any(fnmatch(f"/{name}", f"*{pattern.removeprefix('**')}") for pattern in scene.texts) and text not in {
            course.before.get(name),
            course.after.get(name),
        }:
            wrong.append(f"{name} holds neither what it held nor what it will hold")
    wrong += [f"{name} is gone" for name in course.before if name in course.after and name not in tree]
    return wrong


def said_badly(what: str, ended: Ended, statuses: Iterable[int]) -> list[str]:
    """Return what is wrong with how a command ended: a status that it may not have, a traceback, no next step."""
    wrong: list[str] = []
    if ended.status not in statuses:
        wrong.append(f"{what} ends with {ended.status}: {ended.err.strip()[-300:]}")
    if "Traceback" in ended.err + ended.out or "unexpected" in ended.err:
        wrong.append(f"{what} has no words for it: {ended.err.strip()[-300:]}")
    if ended.status == 2 and "error:" in ended.err and "next:" not in ended.err:
        wrong.append(f"{what} tells no next step: {ended.err.strip()[-300:]}")
    return wrong


def _times(folder: Path) -> dict[Path, int]:
    """Return when each path below a directory was changed, except the caches, which readers may fill."""
    return {
        path: path.stat().st_mtime_ns for path in folder.rglob("*") if "cache" not in path.relative_to(folder).parts
    }


def looked(template: Template, scene: Scene, folder: Path) -> list[str]:
    """Return what is wrong with what `show` and `validate --no-write` say of the run folder; they change nothing."""
    if not (scene.run and (folder / scene.run).is_dir()):
        return []
    before = _times(folder)
    wrong: list[str] = []
    for words in (("show", scene.run, "--json"), ("validate", scene.run, "--no-write", "--json")):
        ended = template.run(words, scene.setting(folder))
        wrong += said_badly(words[0], ended, (0, 1, 2, 3))
        if ended.status != 2 and not _is_json(ended.out):
            wrong.append(f"{words[0]} says nothing that can be read")
    if before != _times(folder):
        wrong.append("to look at it changed it")
    return wrong


def bought_again(template: Template, scene: Scene, course: Course) -> list[str]:
    """Return what was asked more often than once, but for the requests that may have been under way."""
    asked = template.requests()
    more = len(asked) - len(course.requests)
    return [f"{more} requests were sent again, at most {scene.calls} under way"] if more > scene.calls else []


def differing(course: Mapping[str, str], tree: Mapping[str, str]) -> list[str]:
    """Return the names of files that are not as in an undisturbed course, or are left over."""
    return [f"{name} ends up differently" for name in sorted({*course, *tree}) if course.get(name) != tree.get(name)]


def _is_whole(path: Path) -> bool:
    """Return whether a file holds JSON, or is one whose readers know what to do with a half one."""
    return path.name.startswith(".") or path.parent.name == "locate" or _is_json(path.read_text("utf-8"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
