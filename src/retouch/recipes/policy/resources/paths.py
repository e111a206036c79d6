"""Resolves paths (home, dots, symbolic links), and tests whether a path is inside a directory.

POSIX paths. Two interpretations of a path differ if `..` follows a link or a link is broken: programs that normalise
the text first get another file than the kernel does. `real_path` normalises first. `find_places` returns both.
"""

from __future__ import annotations

import os
import re
import stat
from fnmatch import fnmatchcase
from pathlib import Path
from posixpath import join, normpath
from typing import NamedTuple
from unicodedata import category, normalize

MAX_LINKS = 40
LONGEST_PATH = 4096  # no kernel opens a longer one
_WILDCARD = re.compile(r"[*?\[{]|[@!+]\(")
_ANYTHING = re.compile(r"\{.*\}|\{.*|[@!+?*]\(.*\)|[@!+?*]\(.*|\[.*\].*\]|\\.?")
_ONE_LETTER = re.compile(r"\[[^\]]+\]")
_OF_PROCESS = re.compile(
    r"/(?:proc/[^/]+/(?:task/[^/]+/)?(?:root|cwd|fd|exe|map_files)|dev/(?:fd|std(?:in|out|err))|\.vol)(?:/|$)"
)
_LAST_DOTS = re.compile(r"(?<=[^/. ])[. ]+(?=/|\Z)")
_IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)  # invisible letters of other categories than Cf, which Linux ignores in directories that ignore case
_SAME_VOLUME = "/system/volumes/data/"  # macOS shows the whole disk there a second time
_SHORT_NAME = re.compile(r"~[0-9]+")
_DOT_AND_MORE = re.compile(r"\.[^\w-]")


def expand_home(path: str, home: str) -> str:
    """Return `path` with a leading `~` or `~/` replaced by `home`. `~name` stays unchanged."""
    if path == "~":
        return home
    return f"{home}/{path[2:]}" if path.startswith("~/") else path


def absolute_path(path: str, *, home: str, working_directory: str | None = None) -> str | None:
    """Return the absolute path with its dots unchanged. None for a relative path without a working directory."""
    expanded = expand_home(path, home)
    if expanded.startswith("/"):
        return expanded
    return None if working_directory is None else join(expand_home(working_directory, home), expanded)


def tidy(path: str) -> str:
    """Return an absolute path without `.`, `..`, double and trailing slashes. Links are not followed."""
    if "//" not in path and "/." not in path and path[-1:] != "/":
        return path
    plain = normpath(path)
    return plain[1:] if plain.startswith("//") else plain


def real_path(path: str, *, home: str, working_directory: str | None = None) -> str | None:
    """Return the location of `path`: normalised first, then links resolved as far as the path exists.

    Broken and circular links count as nonexistent. None for a relative path without a working directory.
    """
    absolute = absolute_path(path, home=home, working_directory=working_directory)
    return None if absolute is None else _resolved(tidy(absolute))


class Places(NamedTuple):
    """The possible locations of a path: one or two, or none if it is unknown.

    `certain` is False if there may be more, because of circular links or unreadable directories. `written` is the
    path before links are followed, or "".
    """

    candidates: tuple[str, ...]
    certain: bool
    written: str = ""

    def are_inside(self, folders: tuple[str, ...], *, root_holds_all: bool) -> bool:
        """Return whether the path is certainly inside a directory: every candidate in every location of it."""
        if not self.certain or not folders or not self.candidates:
            return False
        return all(
            is_inside(place, folder, root_holds_all=root_holds_all) for place in self.candidates for folder in folders
        )

    def may_touch(self, folders: tuple[str, ...], *, root_holds_all: bool) -> bool:
        """Return whether the path may be inside a directory, or is written so, because links can change at any time."""
        places = {*self.candidates, self.written} - {""}
        return any(is_inside(place, folder, root_holds_all=root_holds_all) for place in places for folder in folders)


NOWHERE = Places((), certain=False)


def find_places(path: str, *, home: str, working_directory: str | None = None, disk: bool = True) -> Places:
    """Return the possible locations of `path` by both interpretations.

    There are none for relative paths without a working directory, and for text that cannot be a file name (NUL, lone
    surrogates). With `disk=False` no links are read.
    """
    absolute = absolute_path(path, home=home, working_directory=working_directory)
    if absolute is None or not nameable(absolute):
        return NOWHERE
    plain = tidy(absolute)
    if not disk or ("/.." not in absolute and _has_no_links(plain)):
        return Places((plain,), certain=True, written=plain)
    first, second = _resolved(plain), _walked(absolute)
    if second is None or first == second:
        return Places((first,), certain=second is not None, written=plain)
    return Places((first, second), certain=True, written=plain)


def nameable(text: str) -> bool:
    """Return whether a text can be a file name: no NUL, no lone surrogate."""
    if "\0" in text:
        return False
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def is_of_a_process(place: str) -> bool:
    """Return whether an absolute path names another file in each process, such as `/proc/self/cwd/a`."""
    return _OF_PROCESS.match(place) is not None


def is_inside(place: str, folder: str, *, root_holds_all: bool = False) -> bool:
    """Return whether a resolved path is `folder` (also resolved) or below it. Case and Unicode form are significant.

    Only `/` itself is inside `/` unless `root_holds_all`. Semantics 1 does the same as the public engine.
    """
    if place == folder or (root_holds_all and folder == "/"):
        return True
    return place.startswith(f"{folder}/")


def is_within(path: str, folder: str, *, home: str, working_directory: str | None = None) -> bool:
    """Return whether the real path of `path` is that of `folder` or below it. False if it cannot be resolved."""
    place = real_path(path, home=home, working_directory=working_directory)
    target = real_path(folder, home=home, working_directory=working_directory)
    return place is not None and target is not None and is_inside(place, target)


def fold_place(place: str) -> str:
    """Return a path in lower case, with normalised letters, and without invisible characters and dots that end a name.

    Letters such as `\u2025` can become `..`, which is left as it is.

    Case-insensitive file systems treat paths with the same result as equal, those of Windows also the dots.
    """
    if place.isascii():
        folded = place.lower()
    else:
        seen = _IGNORED.sub("", "".join(one for one in place if category(one) != "Cf"))
        folded = normalize("NFKC", normalize("NFKC", seen).upper().casefold())
    if folded.startswith(_SAME_VOLUME):
        folded = folded[len(_SAME_VOLUME) - 1 :]
    return _LAST_DOTS.sub("", folded)


def may_reach(place: str, folder: str, *, below: bool) -> bool:
    """Return whether a path may be, contain or match something in a directory. Both are folded by `fold_place`.

    `below` is for tools that act on everything below a path: deleting `/home/ada` deletes `/home/ada/private`, too.
    """
    if is_inside(place, folder, root_holds_all=True) or (below and is_inside(folder, place, root_holds_all=True)):
        return True
    pattern = _SHORT_NAME.sub("*", place)  # Windows finds a long name by its short one, as in PRIVAT~1
    return _WILDCARD.search(pattern) is not None and _matches(pattern.split("/"), folder.split("/"), below=below)


def _matches(pattern: list[str], parts: list[str], *, below: bool) -> bool:
    for index, part in enumerate(parts):
        if index >= len(pattern):
            return below
        if pattern[index] == "**":
            return True
        if not fnmatchcase(part, _as_glob(pattern[index])):
            return False
    return True


def _as_glob(part: str) -> str:
    """Return a pattern with only `*` and `?` that matches at least what a shell or a library matches with `part`.

    Readers differ about braces, alternatives such as `@(a|b)`, classes such as `[^a]`, and escapes.
    """
    return _ONE_LETTER.sub("?", _ANYTHING.sub("*", part))


def may_climb(path: str) -> bool:
    """Return whether a pattern may contain `..`: `dash` reads `.*` so, and braces or alternatives can list it."""
    return any(part == ".." or _may_be_parent(part) for part in (path.split("/") if has_wildcard(path) else ()))


def _may_be_parent(part: str) -> bool:
    if not has_wildcard(part) or (part[0] in "*?[" and "(" not in part):
        return False  # these match no leading dot
    return bool(_DOT_AND_MORE.search(part)) and fnmatchcase("..", _as_glob(part))


def has_wildcard(path: str) -> bool:
    """Return whether a program may take a path for a pattern that matches several files."""
    return _WILDCARD.search(path) is not None


def linked_matches(pattern: str, *, most: int) -> tuple[tuple[str, ...], int] | None:
    """Return the files that an absolute pattern reaches over symbolic links, and how many entries were read.

    `~/work/*` also names what a link in it points to. Braces and alternatives count as `*`, and after `**` every link
    below counts. None if more than `most` entries would have to be read, a directory cannot be read, or a link
    leads elsewhere in another process.
    """
    seen = 0
    places: list[tuple[str, bool]] = [("", False)]
    found: list[str] = []
    for part in pattern.split("/")[1:]:
        if part.count("{") != part.count("}") or part.count("(") != part.count(")"):
            return None  # braces or alternatives over several directories
        following: list[tuple[str, bool]] = []
        for place, crossed in places:
            try:
                entries = _entries(place, part, most=most - seen)
                if entries is None:
                    return None
                following += [_stepped(f"{place}/{name}", crossed=crossed) for name in entries[0]]
            except (OSError, ValueError):
                return None
            seen += entries[1]
        if part == "**":
            found += [place for place, crossed in following if crossed]
        places = following
    return (*found, *(place or "/" for place, crossed in places if crossed)), seen


def _entries(place: str, part: str, *, most: int) -> tuple[list[str], int] | None:
    """Return the names in a directory that a part of a pattern matches, and how many there were. None: too many."""
    if not has_wildcard(part):
        return [part], 0
    wanted = "*" if part == "**" else _as_glob(part)
    names: list[str] = []
    count = 0
    waiting = [""]
    while waiting:
        base = waiting.pop()
        try:
            listed = os.scandir(f"{place}/{base}")
        except (FileNotFoundError, NotADirectoryError):
            continue
        with listed:
            for one in listed:
                count += 1
                if count > most:
                    return None
                if fnmatchcase(one.name, wanted):
                    names.append(f"{base}{one.name}")
                if part == "**" and one.is_dir(follow_symlinks=False):
                    waiting.append(f"{base}{one.name}/")
    return names, count


def _stepped(step: str, *, crossed: bool) -> tuple[str, bool]:
    """Return the place behind a path, and whether a symbolic link was crossed on the way.

    Raises:
        OSError: it is unknown where the link leads in another process.
    """
    real = _walked(step) if _link_target(step) is not None else step
    if real is None:
        raise OSError(f"the link {step!r} leads elsewhere in another process")
    return "" if real == "/" else real, crossed or real != step


def _has_no_links(plain: str) -> bool:
    """Return whether a tidy path certainly crosses no link. What does not exist cannot be one."""
    end = 0
    try:
        while end >= 0:
            end = plain.find("/", end + 1)
            if stat.S_ISLNK(os.lstat(plain if end < 0 else plain[:end]).st_mode):
                return False
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return True


def _resolved(plain: str) -> str:
    parts = plain.split("/")[1:] if plain != "/" else []
    place = ""
    for index, part in enumerate(parts):
        step = f"{place}/{part}"
        try:
            if stat.S_ISLNK(os.lstat(step).st_mode):
                step = os.path.realpath(step, strict=True)
        except (OSError, ValueError):
            return "/".join((place, *parts[index:]))
        place = "" if step == "/" else step
    return place or "/"


def _walked(absolute: str) -> str | None:
    """Resolve a path as the kernel does: `..` leaves the directory that was entered, and every link is followed."""
    rest = [part for part in reversed(absolute.split("/")) if part not in {"", "."}]
    place: list[str] = []
    links = 0
    while rest:
        part = rest.pop()
        if part == "..":
            del place[-1:]
            continue
        step = "/".join(("", *place, part))
        try:
            target = _link_target(step)
        except (PermissionError, ValueError):
            return None
        if target is None:
            place.append(part)
            continue
        links += 1
        if links > MAX_LINKS or is_of_a_process(step):
            return None  # a process has links that lead elsewhere in another process
        if target.startswith("/"):
            place = []
        rest += [step for step in reversed(target.split("/")) if step not in {"", "."}]
    return "/" + "/".join(place)


def _link_target(path: str) -> str | None:
    try:
        return str(Path(path).readlink()) if stat.S_ISLNK(os.lstat(path).st_mode) else None
    except PermissionError:
        raise
    except OSError:
        return None
