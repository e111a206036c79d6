"""Reads tool calls as edits: JSON of Claude, Gemini, OpenAI and Codex, and the arguments of XML calls.

A call is recognized by the shape of its arguments, so the name of a tool does not need to be known. A call that could
change a file in another way, for example a shell command, is refused by name.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from retouch.edits.listing import without_numbers
from retouch.edits.parse_diff import is_diff_start, read_diff
from retouch.edits.parse_markers import is_marker_start, read_marker_block
from retouch.edits.parse_patch import is_patch_start, read_hunks, read_patch
from retouch.edits.reply_lines import malformed
from retouch.edits.values import EditBlock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.edits.values import Format, Lines

_PATH = ("path", "filepath", "file", "filename", "targetfile", "relativepath", "relpath", "absolutepath", "targetpath")
_OLD = ("oldstr", "oldstring", "oldtext", "old", "search", "find", "oldcode", "searchtext", "searchstring")
_NEW = ("newstr", "newstring", "newtext", "new", "replace", "replacement", "replacewith", "newcode", "replacetext")
_CONTENT = ("filetext", "content", "contents", "filecontent", "fulltext")
_LISTS = ("edits", "changes", "replacements", "replacementchunks", "operations", "files", "multiedits")
_PATCHES = ("patch", "diff", "input", "patchtext", "unifieddiff")
_ARGUMENTS = ("input", "arguments", "args", "parameters", "params", "operation")
_WRAPPERS = ("toolcalls", "functioncalls", "content", "parts", "candidates", "choices", "message", "messages", "output")
_INNER_CALLS = ("function", "functioncall", "tooluse", "toolcall")
_NOT_EDITS = frozenset(
    {
        "view",
        "read",
        "readfile",
        "viewfile",
        "openfile",
        "ls",
        "list",
        "listfiles",
        "listdir",
        "listdirectory",
        "listdefinitions",
        "listcodedefinitionnames",
        "glob",
        "grep",
        "search",
        "searchfiles",
        "grepsearch",
        "filesearch",
        "codebasesearch",
        "semanticsearch",
        "fetch",
        "webfetch",
        "websearch",
        "think",
        "thinking",
        "finish",
        "submit",
        "attemptcompletion",
        "askfollowupquestion",
        "newtask",
        "switchmode",
        "updatetodolist",
        "todowrite",
        "todoread",
        "updateplan",
        "plan",
    }
)
_HINTS = re.compile(
    r'"(?:old_?str(?:ing)?|new_?str(?:ing)?|file_?text|old_?text|tool_use|tool_calls|functionCall|function_call|'
    r'apply_patch\w*|str_replace\w*|insert_line|insert_text|replace_all|expected_replacements)"',
    re.IGNORECASE,
)
_KEY_LINE = re.compile(rf"\s*[{{,]?\s*{_HINTS.pattern}\s*:", re.IGNORECASE)
_EMPTY_NAME = "the tool call"
_FIX = "Send the edit as a complete tool call with the path, the old text and the new text."
_FAR = 4000  # how many characters of broken JSON are searched for the keys of a tool call


def read_json_calls(text: str, start: int, line: int) -> tuple[list[EditBlock], int] | None:
    """Return the edits of the JSON value at `start` as blocks (not numbered), and the offset after the value.

    None if it is not JSON, or has no tool call. `line` is the line of the value, from 0.

    Raises:
        Refusal: (malformed) it has a tool call that cannot be read as an edit.
    """
    try:
        value, end = cast("tuple[JSON, int]", json.JSONDecoder(strict=False).raw_decode(text, start))
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits is a ValueError
        if _HINTS.search(text, start, start + _FAR):
            raise malformed(line, f"the tool call is not valid JSON ({error})", _FIX) from None
        return None
    found = _Calls(line, "tool_call")
    if not found.read(value):
        if _HINTS.search(text, start, end):
            raise malformed(line, "this looks like a tool call, but not like one that is an edit", _FIX)
        return None
    return found.blocks, end


def is_call_line(line: str) -> bool:
    """Return whether the line has an argument of a tool call in JSON."""
    return _KEY_LINE.match(line) is not None


def read_call(name: str, arguments: Mapping[str, JSON], line: int, kind: Format) -> list[EditBlock]:
    """Return the edits of one call with named arguments as blocks (not numbered).

    Raises:
        Refusal: (malformed) it cannot be read as an edit.
    """
    found = _Calls(line, kind)
    found.call(name, arguments)
    return found.blocks


def read_edits_in(text: str, path: str | None, line: int, kind: Format) -> list[EditBlock]:
    """Return the edits inside an argument: SEARCH blocks, a patch or a unified diff.

    Raises:
        Refusal: (malformed) there is none, or one cannot be read.
    """
    lines = [one.removesuffix("\r") for one in text.split("\n")]
    found: list[EditBlock] = []
    number = 0
    while number < len(lines):
        if is_marker_start(lines[number]):
            block, number = read_marker_block(lines, number, number=len(found) + 1)
            found.append(replace(block, path=path or block.path, path_is_sure=path is not None))
        elif is_patch_start(lines[number]):
            some, number = read_patch(lines, number)
            found += some
        elif not found and is_diff_start(lines, number) and not (path and lines[number].startswith("@@")):
            some, number = read_diff(lines, number, len(lines), fenced=True, path=path)
            found += some
        elif not found and path and lines[number][:1] in {"@", "+", "-", " "}:
            return [_placed(one, line, kind) for one in read_hunks(lines[number:], path)]
        elif lines[number].strip():
            raise malformed(line, f"{lines[number].strip()[:60]!r} in the tool call is not part of an edit", _FIX)
        else:
            number += 1
    if not found:
        raise malformed(line, "the tool call holds no edit", _FIX)
    return [_placed(one, line, kind) for one in found]


def _placed(block: EditBlock, line: int, kind: Format) -> EditBlock:
    return replace(block, format=kind, reply_line=line + 1)


class _Calls:
    """Collects the edits of the calls in one JSON value."""

    def __init__(self, line: int, kind: Format) -> None:
        self.line = line
        self.kind: Format = kind
        self.blocks: list[EditBlock] = []

    def read(self, value: JSON) -> bool:
        """Read the calls of a value. Return False if it has none."""
        if isinstance(value, list):
            return self._read_each(value)
        if not isinstance(value, dict):
            return False
        keys = _plain_keys(value)
        name = keys.get("name") or keys.get("toolname") or keys.get("recipientname") or keys.get("type")
        for inner in _INNER_CALLS:
            inside = keys.get(inner)
            if isinstance(inside, dict):
                called = _plain_keys(inside)
                self.call(str(called.get("name") or name or ""), _arguments(called) or {})
                return True
        if isinstance(name, str) and (arguments := _arguments(keys)) is not None:
            self.call(name, arguments)
            return True
        if _is_call(keys):
            self.call("", value)
            return True
        return self._read_each([keys[one] for one in _WRAPPERS if isinstance(keys.get(one), list | dict)])

    def _read_each(self, values: Sequence[JSON]) -> bool:
        """Read all of the values. Return whether one of them has a call. Then each that looks like one must be one."""
        has_call = list(map(self.read, values))
        for value, is_call in zip(values, has_call, strict=True):
            if not is_call and any(has_call) and _HINTS.search(json.dumps(value)):
                raise self._unread("", "has no name, or is not an edit")
        return any(has_call)

    def call(self, name: str, arguments: Mapping[str, JSON] | str) -> None:
        """Add the edits of one call."""
        if isinstance(arguments, str):
            self.blocks += read_edits_in(arguments, None, self.line, self.kind)
            return
        keys = _plain_keys(arguments)
        command = keys.get("command") or keys.get("cmd")
        tool = _plain(name).removeprefix("functions")
        if isinstance(command, list):
            self._command_line(name, command)
        elif tool in _NOT_EDITS or (isinstance(command, str) and _plain(command) in _NOT_EDITS):
            return
        elif isinstance(keys.get("calls"), list) or isinstance(keys.get("tooluses"), list):
            self.read(keys.get("calls") or keys.get("tooluses"))
        else:
            self._edit(name, keys, None)

    def _command_line(self, name: str, words: Sequence[JSON]) -> None:
        for word in words:
            if isinstance(word, str) and "*** Begin Patch" in word:
                lines = word.split("\n")
                first = next(number for number, line in enumerate(lines) if "*** Begin Patch" in line)
                lines[first] = "*** Begin Patch"
                last = next(
                    (number for number, line in enumerate(lines) if line.startswith("*** End Patch")), len(lines)
                )
                self.blocks += read_edits_in("\n".join(lines[first : last + 1]), None, self.line, self.kind)
                return
        raise self._unread(name, "is a command, which is not run")

    def _edit(self, name: str, keys: Mapping[str, JSON], outer_path: str | None) -> None:
        path = _text(keys, _PATH) or outer_path
        if keys.get("useregex") in {True, "true"} or keys.get("isregex") in {True, "true"}:
            raise self._unread(name, "uses a regular expression")
        for key in _LISTS:
            several = keys.get(key)
            if isinstance(several, dict):
                several = [several]
            if isinstance(several, list) and several:
                self._several(name, several, path)
                return
        patch = _text(keys, _PATCHES)
        if patch is not None and _text(keys, _OLD) is None:
            self.blocks += self._patch(keys, patch, path)
            return
        block = self._one(name, keys, path)
        if block is None:
            raise self._unread(name, "is not an edit that can be applied")
        self.blocks.append(block)

    def _several(self, name: str, several: Sequence[JSON], path: str | None) -> None:
        for one in several:
            if not isinstance(one, dict):
                raise self._unread(name, "has an edit that is not an object")
            self._edit(name, _plain_keys(one), path)

    def _patch(self, keys: Mapping[str, JSON], patch: str, path: str | None) -> list[EditBlock]:
        action = _plain(str(keys.get("type", "")))
        if action.startswith("create") and path:
            lines = _lines(patch)
            if all(line.startswith("+") for line in lines if line):
                lines = tuple(line[1:] for line in lines)
            return [self._block(path, (), lines, kind="add")]
        return read_edits_in(patch, path, self.line, self.kind)

    def _one(self, name: str, keys: Mapping[str, JSON], path: str | None) -> EditBlock | None:
        action = _plain(f"{name} {keys.get('command', '')} {keys.get('type', '')}")
        after_line = _number(keys, ("insertline", "afterline", "line"))
        old, new, content = _text(keys, _OLD), _text(keys, _NEW), _text(keys, _CONTENT)
        if after_line is not None and old is None and "insert" in action:
            text = _text(keys, ("inserttext", "newstr", "text", *_CONTENT))
            return None if text is None else self._insertion(name, path, after_line, text)
        if old is not None and (new is not None or "strreplace" in action):
            return self._replacement(name, keys, path, old, new or "")
        if content is not None and path and old is None and new is None:
            return self._block(path, (), _lines(content), kind="whole")
        if "delete" in action and path:
            return self._block(path, (), (), kind="delete")
        target = _text(keys, ("newpath", "destination", "to", "moveto"))
        source = path or _text(keys, ("oldpath", "source", "from"))
        if target is not None and source is not None and ("move" in action or "rename" in action):
            return replace(self._block(source, (), (), kind="move"), move_to=target)
        return None

    def _insertion(self, name: str, path: str | None, after_line: int, text: str) -> EditBlock:
        if self.kind == "xml" and _plain(name) == "insertcontent":  # the line before which to insert; 0 is the end
            at_end, after_line = after_line == 0, after_line - 1
        else:
            at_end = False
        block = self._block(path, (), _lines(text), kind="insert")
        return replace(block, after_line=None if at_end else after_line, at_end=at_end)

    def _replacement(self, name: str, keys: Mapping[str, JSON], path: str | None, old: str, new: str) -> EditBlock:
        find, lines = _lines(old), _lines(new)
        if old.endswith("\n") and new and not new.endswith("\n") and old.strip("\n"):
            if self.kind == "tool_call" and "\n" in old.rstrip("\n"):
                raise self._unread(name, "ends its old text with a line end, and its new text without one")
        elif new.endswith("\n") and not old.endswith("\n") and old and self.kind == "tool_call":
            lines = (*lines, "")  # the tool would leave the old line end in place
        numbered = without_numbers(find, lines) if not lines and len(find) > 1 else None
        if numbered is not None and not numbered[1][-1]:
            find = find[:-1]  # without the numbers, the old text ends with a line end
        every = keys.get("replaceall") in {True, "true"} or keys.get("allowmultiple") in {True, "true"}
        places = _number(keys, ("expectedreplacements", "expectedoccurrences"))
        block = self._block(path, find, lines, kind="edit")
        return replace(block, every=every or (places or 1) > 1, places=places)

    def _block(self, path: str | None, find: Lines, new: Lines, *, kind: str) -> EditBlock:
        block = EditBlock(
            number=0, find=find, replace=new, path=path, path_is_sure=path is not None, format=self.kind,
            reply_line=self.line + 1,
        )  # fmt: skip
        match kind:
            case "add" | "delete" | "insert" | "whole" | "move":
                return replace(block, kind=kind)
            case _:
                return block

    def _unread(self, name: str, what: str) -> Exception:
        return malformed(self.line, f"{f'the tool call {name!r}' if name else _EMPTY_NAME} {what}", _FIX)


def _plain(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())


def _plain_keys(value: Mapping[str, JSON]) -> dict[str, JSON]:
    return {_plain(key): one for key, one in value.items()}


def _arguments(keys: Mapping[str, JSON]) -> Mapping[str, JSON] | str | None:
    """Return the arguments of a named call, parsed if they are JSON in a string."""
    for key in _ARGUMENTS:
        value = keys.get(key)
        if isinstance(value, str):
            try:
                parsed = cast("JSON", json.loads(value, strict=False))
            except (ValueError, RecursionError):
                return value
            return parsed if isinstance(parsed, dict) else value
        if isinstance(value, dict):
            return {"type": keys.get("type"), **value} if key == "operation" and "type" not in value else value
    return None


def _is_call(keys: Mapping[str, JSON]) -> bool:
    """Return whether an object without the name of a tool has the arguments of an edit."""
    has_old, has_new = (any(key in keys for key in names) for names in (_OLD, _NEW))
    if has_old and has_new:
        return all(isinstance(keys[key], str) for key in (*_OLD, *_NEW) if key in keys)
    path = any(isinstance(keys.get(key), str) for key in _PATH)
    if isinstance(keys.get("command"), list):
        return any(isinstance(word, str) and "apply_patch" in word for word in cast("list[JSON]", keys["command"]))
    named = isinstance(keys.get("command"), str) and path
    whole = path and "filetext" in keys
    written = path and "content" in keys and set(keys) <= {"path", "filepath", "content", "explanation", "description"}
    several = path and any(_is_edit_list(keys.get(key)) for key in _LISTS)
    return named or whole or written or several


def _is_edit_list(value: JSON) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) and _is_call(_plain_keys(one)) for one in value)


def _text(keys: Mapping[str, JSON], names: Sequence[str]) -> str | None:
    return next((value for name in names if isinstance(value := keys.get(name), str)), None)


def _number(keys: Mapping[str, JSON], names: Sequence[str]) -> int | None:
    for name in names:
        value = keys.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and re.fullmatch(r"\s*\d{1,9}\s*", value):
            return int(value)
    return None


def _lines(text: str) -> Lines:
    return tuple(_split(text))


def _split(text: str) -> Iterator[str]:
    lines = text.split("\n") if text else []
    if lines and not lines[-1]:
        lines.pop()
    yield from (line.removesuffix("\r") for line in lines)
