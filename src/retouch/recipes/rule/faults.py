"""Typical mistakes of models in rules. Each function damages an answer, or returns it unchanged."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from retouch.text import fenced_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    Fault = Callable[[str, Random], str]

_SEGMENT = re.compile(r"segment\(-([0-9])\)|parts\[-([0-9])\]")
_TYPES = ("integer", "date", "uuid")


def _columns(text: str) -> dict[str, Any] | None:
    """Return the object of an answer about columns, or None for any other answer."""
    blocks = fenced_blocks(text)
    if len(blocks) != 1 or blocks[0].language != "json":
        return None
    try:
        found: object = json.loads(blocks[0].text)
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _as_answer(answer: Mapping[str, Any]) -> str:
    return f"```json\n{json.dumps(answer, ensure_ascii=False, indent=1)}\n```"


def _with_changed_column(text: str, random: Random, change: Callable[[dict[str, Any]], None]) -> str:
    answer = _columns(text)
    if answer is None or not answer.get("columns"):
        return text
    change(random.choice(answer["columns"]))
    return _as_answer(answer)


def bad_syntax(text: str, random: Random) -> str:
    """Leave out one colon."""
    places = [found.start() for found in re.finditer(r":(?=[ \n])", text)]
    return text if not places else _without(text, random.choice(places))


def _without(text: str, at: int) -> str:
    return text[:at] + text[at + 1 :]


def unknown_key(text: str, random: Random) -> str:
    """Misspell one key."""
    if _columns(text) is not None:
        return _with_changed_column(text, random, lambda column: column.update(nmae=column.pop("name", "x")))
    return re.sub(r"^extract:", "extarct:", text, count=1, flags=re.MULTILINE)


def unknown_source(text: str, random: Random) -> str:
    """Name a column or a source that does not exist."""
    if _columns(text) is not None:
        return _with_changed_column(text, random, lambda column: column.update(of=[f"c{random.randrange(50, 99)}"]))
    return text.replace("segment(", "folder(", 1)


def wrong_type(text: str, random: Random) -> str:
    """Give a text the type number, date or UUID."""
    if _columns(text) is not None:

        def change(column: dict[str, Any]) -> None:
            column["type"] = random.choice([one for one in _TYPES if one != column.get("type")])

        return _with_changed_column(text, random, change)
    return re.sub(r"type: (?:integer|date)", "type: uuid", text, count=1)


def wrong_segment(text: str, random: Random) -> str:
    """Count segments from the directory instead of the file name, off by one."""
    found = list(_SEGMENT.finditer(text))
    if not found:
        return text
    chosen = random.choice(found)
    number = int(chosen[1] or chosen[2])
    return text[: chosen.start()] + chosen[0].replace(f"-{number}", f"-{number + 1}") + text[chosen.end() :]


def wrong_glob(text: str, random: Random) -> str:
    """Write a glob that matches nothing, if the answer writes a glob itself."""
    return re.sub(
        r"^glob: '\**/?", f"glob: 'no_such_folder_{random.randrange(100)}/", text, count=1, flags=re.MULTILINE
    )


def escaped_twice(text: str, random: Random) -> str:
    """Double the backslashes of a pattern, so that it matches nothing."""
    lines = text.split("\n")
    chosen = [number for number, line in enumerate(lines) if "pattern:" in line and "\\" in line]
    if not chosen:
        return text
    at = random.choice(chosen)
    lines[at] = lines[at].replace("\\", "\\\\")
    return "\n".join(lines)


def no_function(text: str, _random: Random) -> str:
    """Give the function another name."""
    return text.replace("def extract(", "def extract_values(", 1)


def raises(text: str, _random: Random) -> str:
    """Assume a value that some paths lack."""
    return re.sub(r" if found else None", "", text, count=1) if "def extract(" in text else text


def forbidden_import(text: str, _random: Random) -> str:
    """Import a module that no sandbox has."""
    return text.replace("import re\n", "import os\nimport re\nimport subprocess\n", 1)


FAULTS: Mapping[str, Fault] = {
    one.__name__: one
    for one in (
        bad_syntax,
        unknown_key,
        unknown_source,
        wrong_type,
        wrong_segment,
        wrong_glob,
        escaped_twice,
        no_function,
        raises,
        forbidden_import,
    )
}
