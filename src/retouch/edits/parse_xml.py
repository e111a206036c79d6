"""Parses tool calls in XML: those of Cline and Roo, and calls with an `invoke` or `function` tag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.edits.reply_lines import malformed
from retouch.edits.tool_calls import read_call, read_edits_in, read_json_calls

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.edits.values import EditBlock

_TOOLS = (
    "apply_diff|replace_in_file|write_to_file|write_file|new_file|create_file|insert_content|search_and_replace|"
    "search_replace|edit_file|edit|str_replace|delete_file|rename_file|file|tool_call|tool_use|function_call|"
    "execute_command|apply_patch|invoke|function"
)
_OPENING = re.compile(
    rf"[ \t]*<(?P<tag>(?:antml:)?(?:{_TOOLS}))(?P<name>=[\w.-]+)?(?P<attributes>(?:\s+[\w:-]+=\"[^\"]*\")*)\s*>"
)
_ATTRIBUTE = re.compile(r"([\w:-]+)=\"([^\"]*)\"")
_CHILD = re.compile(r"\s*<(?P<tag>[\w:.-]+)(?P<name>=[\w.-]+)?(?P<attributes>(?:\s+[\w:-]+=\"[^\"]*\")*)\s*>")
_WRAPPERS = re.compile(r"[ \t]*</?(?:(?:antml:)?function_calls|tool_calls|tools?|files|edits|actions?)>[ \t]*$")
_CDATA = re.compile(r"\A\s*<!\[CDATA\[(.*)\]\]>\s*\Z", re.DOTALL)
_FIX = "Send the whole call again, with its closing tags."
_FILE_NEEDS = {"path", "name"}


def is_tool_tag(line: str) -> bool:
    """Return whether the line starts a tool call in XML."""
    match = _OPENING.match(line)
    if match is None:
        return False
    if match["tag"] == "function":
        return match["name"] is not None
    return match["tag"] != "file" or any(name in _FILE_NEEDS for name, _ in _ATTRIBUTE.findall(match["attributes"]))


def is_wrapper_tag(line: str) -> bool:
    """Return whether the line only opens or closes a list of calls."""
    return _WRAPPERS.match(line) is not None


def read_tag(text: str, start: int, line: int) -> tuple[list[EditBlock], int]:
    """Return the edits of the call whose tag starts at `start` as blocks (not numbered), and the offset after it.

    Raises:
        Refusal: (malformed) it is not closed, or cannot be read as an edit.
    """
    match = _OPENING.match(text, start)
    if match is None:
        raise malformed(line, "there is no tool call", _FIX)
    closing = f"</{match['tag']}>"
    end = text.find(closing, match.end())
    if end < 0:
        raise malformed(line, f"<{match['tag']}> is never closed", _FIX)
    body = text[match.end() : end]
    tag = match["tag"].removeprefix("antml:")
    attributes = dict(_ATTRIBUTE.findall(match["attributes"]))
    name = (match["name"] or "").lstrip("=") or (attributes.pop("name", "") if tag == "invoke" else "") or tag
    return _edits(name, tag, attributes, body, line), end + len(closing)


def _edits(name: str, tag: str, attributes: dict[str, str], body: str, line: int) -> list[EditBlock]:
    inner = body.lstrip()
    if inner[:1] in {"{", "["}:
        found = read_json_calls(body, len(body) - len(inner), line)
        if found is None:
            raise malformed(line, f"<{tag}> has no tool call that is an edit", _FIX)
        return found[0]
    if tag == "file":
        arguments: dict[str, JSON] = {"path": attributes.get("path") or attributes.get("name"), "content": _plain(body)}
        return read_call("write_file", arguments, line, "xml")
    children = _children(body, line)
    if children is None:
        return read_edits_in(_plain(body), attributes.get("path"), line, "xml")
    values: list[tuple[str, str]] = [*attributes.items(), *children]
    several = [one for key, one in values if key == "args"]
    if several:
        return _files(name, several[0], line)
    return _call(name, values, line)


def _files(name: str, body: str, line: int) -> list[EditBlock]:
    """Return the edits of a call whose `args` have several files."""
    blocks: list[EditBlock] = []
    for key, file in _children(body, line) or []:
        if key != "file":
            raise malformed(line, f"<{key}> in <args> is not known", _FIX)
        values = _children(file, line) or []
        path = next((value for name, value in values if name == "path"), None)
        for key_of_file, value in values:
            if key_of_file == "diff":
                content = dict(_children(value, line) or [("content", value)]).get("content", "")
                blocks += read_call(name, {"path": path, "diff": _plain(content)}, line, "xml")
    if not blocks:
        raise malformed(line, f"the tool call {name!r} holds no edit", _FIX)
    return blocks


def _call(name: str, values: list[tuple[str, str]], line: int) -> list[EditBlock]:
    arguments: dict[str, JSON] = {}
    for key, value in values:
        if key in arguments:
            raise malformed(line, f"<{key}> occurs twice in the tool call {name!r}", _FIX)
        text = _plain(value)
        arguments[key] = text.strip() if key in {"path", "file_path", "file", "line", "insert_line"} else text
        if name != "edit" and key in {"edits", "operations"}:
            found = read_json_calls(value, len(value) - len(value.lstrip()), line)
            if found is None:
                raise malformed(line, f"<{key}> of the tool call {name!r} is not JSON", _FIX)
            path = str(arguments.get("path") or arguments.get("file_path") or "")
            return [_with_path(block, path) for block in found[0]]
    return read_call(name, arguments, line, "xml")


def _with_path(block: EditBlock, path: str) -> EditBlock:
    from dataclasses import replace

    return block if block.path or not path else replace(block, path=path, path_is_sure=True)


def _children(body: str, line: int) -> list[tuple[str, str]] | None:
    """Return the tags inside, in order: name and content. None if there is none."""
    found: list[tuple[str, str]] = []
    position = 0
    while (match := _CHILD.match(body, position)) is not None:
        attributes = dict(_ATTRIBUTE.findall(match["attributes"]))
        tag = match["tag"]
        key = (match["name"] or "").lstrip("=") or attributes.get("name") or tag
        end = _end_of_child(body, match.end(), tag)
        if end is None:
            raise malformed(line, f"<{tag}> is never closed", _FIX)
        found.append((key, body[match.end() : end]))
        position = end + len(f"</{tag}>")
    if found and body[position:].strip():
        raise malformed(line, f"{body[position:].strip()[:60]!r} is not inside a tag", _FIX)
    return found or None


def _end_of_child(body: str, start: int, tag: str) -> int | None:
    """Return where the tag is closed: the first place after which another tag or nothing follows."""
    closing = f"</{tag}>"
    end = body.find(closing, start)
    while end >= 0:
        rest = body[end + len(closing) :].lstrip()
        if not rest or rest.startswith("<"):
            return end
        end = body.find(closing, end + 1)
    return None


def _plain(content: str) -> str:
    """Return the text of a tag without the line ends next to the tags, and without CDATA."""
    if match := _CDATA.match(content):
        content = match[1]
    if content.startswith(("\n", "\r\n")):
        content = content[content.index("\n") + 1 :]
        last = content.rfind("\n")
        if not content[last + 1 :].strip():
            content = content[: last + 1]
    return content
