"""Reads what a text states about source code: a traceback, the output of failing tests, an issue, a commit message."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retouch.locate.indexing.words import terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FRAME = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)
_PLACE = re.compile(r"(?<![\w/.])(?P<path>[\w./\\-]+\.pyi?):(?P<line>\d+)\b")
_FILE = re.compile(r"(?<![\w/.])[\w./\\-]*\w\.pyi?\b")
_TEST = re.compile(r"(?P<path>[\w./\\-]+\.py)::(?P<name>[\w:]+)")
_BAR = re.compile(r"^_{3,} (?:[\w.]+\.)?(?P<name>test\w+)(?:\[.*\])? _{3,}$", re.MULTILINE)
_CODE = re.compile(r"``?([^`\n]+)``?")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DOTTED = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_CALL = re.compile(r"(?<!\w)([A-Za-z_]\w*)(?=\()")
_FIRST_LINE_WEIGHT = 2.0
_CODE_WEIGHT = 2.0
_ENDINGS = ("ies", "es", "s", "ing", "ed", "er", "ly")
_SHORTEST_STEM = 4
_STOP = frozenset(
    re.findall(
        r"\w+",
        """
    a an the of to in on for and or is are was were be been by with from as at this that these those it its if
    not no do does did done when then than so such can could should would may might must will shall we you he
    she they i my our your their there here now also only just use uses used using make makes made add adds
    added fix fixes fixed bug issue close closes closed pr see more most some any all into out up via per but
    because which who what why how where while after before between again still same other another new old test
    tests py python file line error none true false self def class return import assert co authored signed off
    users noreply github com http https www pull merge change changes changed update updates updated instead
    properly correctly
    """,
    )
)


@dataclass(frozen=True, kw_only=True)
class TextEvidence:
    """The evidence in a text. `words` are index terms with weights, `names` identifiers that look like code.

    `frames` are (path, line) in the order of the text: the innermost frame of a traceback is last. `files` are the
    paths in the text, `tests` the names of failing tests.
    """

    words: Mapping[str, float]
    names: Mapping[str, float] = field(default_factory=dict[str, float])
    frames: tuple[tuple[str, int], ...] = ()
    files: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


def read_text_evidence(text: str) -> TextEvidence:
    """Return the evidence in `text`. The first line counts double: it is the title of an issue or commit message."""
    frames = [(found["path"].replace("\\", "/"), int(found["line"])) for found in _places(text)]
    tests = [found["name"].rpartition("::")[2] for found in _TEST.finditer(text)]
    tests += [found["name"] for found in _BAR.finditer(text)]
    files = [found[0].replace("\\", "/") for found in _FILE.finditer(text)]
    return TextEvidence(
        words=_words(text),
        names=_names(text),
        frames=tuple(dict.fromkeys(frames)),
        files=tuple(dict.fromkeys([*files, *(path for path, _ in frames)])),
        tests=tuple(dict.fromkeys(tests)),
    )


def _places(text: str) -> Iterator[re.Match[str]]:
    found = [*_FRAME.finditer(text), *_PLACE.finditer(text)]
    return iter(sorted(found, key=lambda one: one.start()))


def _words(text: str) -> dict[str, float]:
    first, _, rest = text.strip().partition("\n")
    found: dict[str, float] = {}
    for part, weight in ((first, _FIRST_LINE_WEIGHT), (rest, 1.0)):
        for name in _IDENTIFIER.findall(part):
            for word in terms(name):
                for form, factor in _forms(word):
                    found[form] = max(found.get(form, 0.0), weight * factor)
    return found


def _forms(word: str) -> Iterator[tuple[str, float]]:
    """Yield a word and its stem: `parsers` and `parsing` are `parser` and `pars` in code."""
    if word in _STOP:
        return
    yield word, 1.0
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            stem = word.removesuffix(ending)
            yield from ((stem, 0.6), (f"{stem}e", 0.4)) if ending in {"ing", "ed", "es"} else ((stem, 0.6),)
            if ending == "ies":
                yield f"{stem}y", 0.6
            return


def _names(text: str) -> dict[str, float]:
    """Return the identifiers that are code: in backticks, dotted, called, with an underscore or an inner capital."""
    found: dict[str, float] = {}
    marked = {name for code in _CODE.findall(text) for name in _IDENTIFIER.findall(code)}
    dotted = {name for code in _DOTTED.findall(text) for name in code.split(".")}
    called = set(_CALL.findall(text))
    for name in _IDENTIFIER.findall(text):
        is_code = "_" in name.strip("_") or re.search(r"[a-z][A-Z]", name) or name.startswith("__")
        if name in marked or name in called:
            found[name] = _CODE_WEIGHT
        elif is_code or name in dotted:
            found.setdefault(name, 1.0)
        elif name.lower() not in _STOP and len(name) >= _SHORTEST_STEM:
            found.setdefault(name, 0.25)
    return found
