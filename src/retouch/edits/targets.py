"""Determines the file of a block: named in a header, on the line above, the same as before, or the only file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from retouch.edits.inside import forbidden_part
from retouch.edits.reply_lines import ending_of, path_named
from retouch.edits.values import Code, EditBlock, EditIssue, Refusal, is_blank

if TYPE_CHECKING:
    from collections.abc import Mapping

_ABSOLUTE = re.compile(r"(?:[/\\~]|[A-Za-z]:)")
_PATH = re.compile(r"(?:~|[A-Za-z]:)?[\w.@+-]*(?:[/\\][\w.@+-]+)+|[\w@+-][\w.@+-]*\.\w+|\.\w[\w.-]*")
_WORD = re.compile(r"[^\s`'\"*,;()<>\[\]]+")


class TargetFinder:
    """Finds the file of each block of one reply, in order."""

    def __init__(self, files: Mapping[str, str], target: str | None, root: str | None = None) -> None:
        self._known = set(files)
        self._target = target
        self._only = next(iter(files)) if len(files) == 1 else None
        self._previous: str | None = None
        self._root = root

    def file_of(self, block: EditBlock) -> str:
        """Return the path that the block changes.

        Raises:
            Refusal: (path, no_target) there is no usable path.
        """
        if block.path is None:
            path = self._without_name(block)
        elif block.path_is_sure:
            path = self._checked(block, clean_path(block.path, self._root))
            if path not in self._known and not _creates(block):
                self._unknown(block, path)
        else:
            path = self._from_line_above(block, block.path)
        self._previous = path
        if _creates(block):
            self._known.add(path)
        if block.move_to is not None:
            self._known.add(self._checked(block, clean_path(block.move_to, self._root)))
        return path

    def with_clean_move(self, block: EditBlock) -> EditBlock:
        """Return the block with the path to move to as it is written to disk."""
        if block.move_to is None:
            return block
        return replace(block, move_to=clean_path(block.move_to, self._root))

    def _from_line_above(self, block: EditBlock, line: str) -> str:
        path = clean_path(line, self._root)
        if path in self._known:
            return self._checked(block, path)
        if _PATH.fullmatch(path) and "://" not in path:
            self._checked(block, path)
            return path if _creates(block) else self._target_for(block, path)
        named = {word for word in map(clean_path, _WORD.findall(line)) if word in self._known}
        other = path_named(line, self._known)
        if not named and other is not None and not _creates(block):
            return self._target_for(block, self._checked(block, other))
        return named.pop() if len(named) == 1 else self._without_name(block)

    def _target_for(self, block: EditBlock, path: str) -> str:
        """Return the target, if the line above names no other file that may exist next to it.

        A bare name with another ending may be any heading.
        """
        target = self._target
        if target is None or "/" in path or ending_of(path) == ending_of(target):
            self._unknown(block, path)
        return target

    def _without_name(self, block: EditBlock) -> str:
        path = (None if block.path_is_sure else self._previous) or self._target or self._only
        if path is None:
            several = f"there are {len(self._known)} files" if self._known else "there is no file"
            _refuse(
                "no_target",
                block,
                f"Edit {block.number} names no file, and {several}.",
                "Name the file in the block: FILE: path, on the line above FIND:.",
            )
        return path

    def _checked(self, block: EditBlock, path: str) -> str:
        if reason := forbidden_part(path):
            fix = "Do not change this file."
            _refuse("path", block, f"Edit {block.number} names {path!r}, which cannot be written: {reason}.", fix)
        if path and not path.isprintable() and path not in self._known:
            what = f"Edit {block.number} names {path!r}, which contains a control character."
            _refuse("path", block, what, "Use file names without control characters.")
        unsafe = _ABSOLUTE.match(path) or ".." in re.split(r"[/\\]", path) or not path
        if unsafe and path not in self._known:
            _refuse(
                "path",
                block,
                f"Edit {block.number} names {path!r}, which is not inside the directory.",
                "Use paths relative to the directory, without '..'.",
            )
        return path

    def _unknown(self, block: EditBlock, path: str) -> NoReturn:
        known = sorted(self._known)
        listed = ", ".join(map(repr, known[:10])) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
        _refuse(
            "no_target",
            block,
            f"Edit {block.number}: there is no file {path!r}. Existing files: {listed or 'none'}.",
            "Name one of these files, leave this edit out, or leave FIND empty to create a new file.",
        )


def clean_path(named: str, root: str | None = None) -> str:
    """Return the path without the decoration that models add: backticks, quotes, asterisks, a colon, `./`.

    An absolute path below the directory `root` becomes relative to it.
    """
    path = named.strip().lstrip("#").strip().strip("`*\"'").removesuffix(":").strip("`*\"' \t")
    path = re.sub(r"^(?:\*\*)?(?:FILE|File|file|Path|path)(?:\*\*)?:[ \t`*]*", "", path).strip("`*\"' \t")
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path.removeprefix(root.rstrip("/") + "/") if root else path


def _creates(block: EditBlock) -> bool:
    return block.kind in {"add", "whole"} or (block.kind == "edit" and all(is_blank(line) for line in block.find))


def _refuse(code: Code, block: EditBlock, message: str, fix: str) -> NoReturn:
    raise Refusal(
        EditIssue(code=code, message=message, fix=fix, edits=(block.number,), reply_line=block.reply_line or None)
    )
