"""Finds private text in paths and other text, so that it is not sent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.rule.asking.source import Mode

_TODAY = r"[0-9]{4}[-_.]?[0-9]{2}[-_.]?[0-9]{2}|[0-9]{2}[-_.][0-9]{2}[-_.][0-9]{4}"
DATE: Final = re.compile(  # with the same mark twice: 2024-0117 is a year and a number
    r"(?<![0-9])(?:[0-9]{4}([-_.]?)[0-9]{2}\1[0-9]{2}|[0-9]{2}([-_.])[0-9]{2}\2[0-9]{4})(?![0-9])"
)

# Searched in every mode: people, their numbers, and keys.
CRITICAL: Final = (
    re.compile(r"(?:^|[/\\])(?:home|Users|Documents and Settings)[/\\]+([^/\\]+)"),
    re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*?\.[A-Za-z]{2,}"),
    re.compile(r"(?<![0-9])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9])"),
    re.compile(r"(?i)(?<![a-z])mrn[-_ #:=]*([0-9]{4,})"),
    re.compile(rf"(?i)(?<![a-z])(?:dob|birth(?:date|day)?)[-_ :=]*({_TODAY})"),
)
KEYS: Final = (
    re.compile(r"AKIA[0-9A-Z]{16}"),
    re.compile(r"gh[pousr]_[A-Za-z0-9]{20,}"),
    re.compile(r"(?<![A-Za-z])sk-[A-Za-z0-9_-]{16,}"),
    re.compile(r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)?"),
    re.compile(r"xox[abpr]-[A-Za-z0-9-]{10,}"),
    re.compile(r"AIza[0-9A-Za-z_-]{30,}"),
    re.compile(r"(?i)(?:api[-_]?key|token|secret|passw(?:or)?d|pwd)[-_=:]+([^/\\_.=&\s]{6,})"),
)
# Probably personal: names of people, accounts and machines, as wholes. A name continues over words that start with
# a letter (`patient_John_Doe`), but not into the extension of a file.
_IN_NAME = r"[^/\\_.=\s<>\[\]*?{}]"
_JOIN = r"(?:[-_ ]|\.(?=[^/\\]*[/\\]|[^/\\.]*\.))"
_FIRST = rf"(?:{_IN_NAME}{{2,}}|[^\W\d_](?={_JOIN}[^\W\d_]{{2}}))"  # also an initial, as in j.doe
_NAME = rf"{_FIRST}(?:{_JOIN}(?-i:[^\W\d_a-z]){_IN_NAME}*|{_JOIN}[^\W\d_]{_IN_NAME}+(?=[/\\.]|$))*"
_PEOPLE = (
    "patient|client|customer|user|username|employee|person|member|surname|lastname|firstname|account|owner|author|"
    "contact|doctor|physician|nurse|student|teacher|tenant"
)
_MACHINES = "host|hostname|server|machine|computer"
_DOMAINS = "com|net|org|edu|gov|mil|io|local|localdomain|internal|lan|corp|home|intranet|test"
_KINDS = (  # directories that describe their content, not its owner
    "(?:archive|backups?|cache|config|data|docs|documents|events|exports?|files|images|imports?|in|input|logs?|media|"
    "metrics|orders|out|output|photos|public|raw|reports|sessions|shared|src|static|tables?|temp|tmp|uploads)"
)
_KEY = "(?:id|name|no|nr|num|number|code|key|ref)"  # user_id=alice, patient_no_4711
PERSONAL: Final = (
    re.compile(
        rf"(?i)(?<![a-z])(?:{_PEOPLE}|{_MACHINES})(?:[-_. ]?{_KEY}(?=[-_=]))?[-_=](?!{_KEY}(?![^\W_]))({_NAME})"
    ),
    re.compile(
        rf"(?i)(?<![a-z])(?:{_PEOPLE}|{_MACHINES})s?[/\\]+(?!{_KINDS}[/\\])((?=[^\W\d_]|[0-9]{{5}}){_NAME})(?=[/\\])"
    ),
    re.compile(rf"(?i)(?<![a-z0-9.-])((?:[a-z0-9][a-z0-9-]*\.){{2,}}(?:{_DOMAINS}))(?=[/\\:]|$)"),
    re.compile(r"(?i)(?:AWSLogs[/\\]|account[-_=])([0-9]{12})(?![0-9])"),
    re.compile(r"(?<![0-9])\+?[0-9]{3}[- ][0-9]{3}[- ][0-9]{4}(?![0-9])"),
    re.compile(r"(?<![0-9.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9.])"),
)
WORD: Final = re.compile(r"[^\W\d_]{2,}|[0-9]+")
LONG_NUMBER: Final = 5
_RUN = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_MIXED = re.compile(r"[^\W\d_][0-9'\u2019]|[0-9][^\W\d_]")
_STRUCTURE = re.compile(r"(?:\.[A-Za-z0-9]{1,5}){1,2}$|[^/=]+=")  # file extensions, and keys


def found_in(texts: Iterable[str], mode: Mode, own: Iterable[str]) -> list[str]:
    """Return the private parts of `texts`, each once, in order of appearance. None contains a `/`.

    `own` are the user's patterns. If a pattern has groups, its first group is the private part. In the mode "strict"
    every word and number of a path is private, except for file extensions and the keys of key=value directories.
    """
    found: dict[str, None] = {}
    patterns = (*CRITICAL, *KEYS, *(PERSONAL if mode != "permissive" else ()), *(re.compile(one) for one in own))
    for text in texts:
        for pattern in patterns:
            for hit in pattern.finditer(text):
                found.update(dict.fromkeys(part for part in re.split(r"[/\\]", _private_part(hit)) if part.strip()))
        if mode == "strict":
            found.update(dict.fromkeys(_strict_words(text)))
    return list(found)


def units_of(secret: str) -> list[str]:
    """Return the parts of a private text that get a stand-in of their own: its words and its long numbers.

    A word with digits or apostrophes in it is one part. A key is one part, and so is a text of numbers only. Because
    parts are replaced separately, paths keep what they have in common, and so do the parts of an address.
    """
    if any(key.fullmatch(secret) for key in KEYS):
        return [secret]
    words = [word for run in _RUN.findall(secret) for word in ([run] if _MIXED.search(run) else WORD.findall(run))]
    found = [word for word in words if not word.isdigit() or len(word) >= LONG_NUMBER]
    return found if any(not word.isdigit() for word in words) else [secret]


def _private_part(hit: re.Match[str]) -> str:
    return next((group for group in hit.groups() if group), hit[0])


def _strict_words(path: str) -> Iterator[str]:
    for part in re.split(r"[/\\]", path):
        kept = {at for span in _STRUCTURE.finditer(part) for at in range(*span.span())}
        days = [hit for hit in DATE.finditer(part) if hit.start() not in kept]
        yield from (hit[0] for hit in days)
        kept |= {at for hit in days for at in range(*hit.span())}
        yield from (hit[0] for hit in WORD.finditer(part) if hit.start() not in kept)
