"""Replaces private text with made-up text of the same shape before anything is sent, and restores it in the response.

A stand-in has letters where the original has letters, digits where it has digits, and the same separators. Paths keep
their segments, and a pattern that matches one also matches the other. Stand-ins are numbered, not computed from the
original.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.rule.asking.secrets import DATE, found_in, units_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from retouch.recipes.rule.asking.source import RuleJob

_LETTERS = "qxzj"  # rarely adjacent in words, so that a stand-in is no word
_FIRST_DAY = date(1901, 1, 1)
_RUN = re.compile(r"[^\W\d_]+|[0-9]+")
_SET = re.compile(r"(\[[^\]]*\])")
_TELLING = re.compile(r"[A-Za-z]{2}|[0-9]{5}")
_WORD = re.compile(r"[^\W_]+")
_QUOTE = re.compile(r"[\"`]")
_MOST = 1_000_000
UNKNOWN = "[hidden]"
SHORT = 4


@dataclass(frozen=True)
class PathRedactor:
    """The stand-ins of one source. `secrets` are the strings that they replace, joined with NUL characters.

    `strangers` finds further private strings, in text that is not part of the source.
    """

    stand_ins: Mapping[str, str]
    secrets: str
    strangers: Callable[[str], list[str]]

    def hide(self, text: str) -> str:
        """Return `text` with stand-ins for everything private, and "[hidden]" for a private string without one."""
        return self._hidden(text, self._hiding)

    def hide_in_prose(self, text: str) -> str:
        """Return the same for a sentence about paths, in which words and numbers of one to three characters stay."""
        return self._hidden(text, self._hiding_long)

    def hide_part(self, text: str) -> str:
        """Return the same for a part of a path, for example a column, which may be a part of a private text."""
        hidden = self.hide(text)
        kept = (word for word in _RUN.findall(hidden) if len(word) > 2 and word in text and word in self.secrets)
        for word in dict.fromkeys(kept):
            hidden = hidden.replace(word, _shaped(word, 0))
        return hidden

    def hide_glob(self, glob: str) -> str:
        """Return the same for a glob. Its character sets stay."""
        return "".join(one if one.startswith("[") else self.hide_part(one) for one in _SET.split(glob))

    def _hidden(self, text: str, pattern: re.Pattern[str] | None) -> str:
        if pattern is not None:
            text = pattern.sub(lambda hit: self.stand_ins[hit[0]], text)
        for stranger in self.strangers(text):
            if not self._is_made_up(stranger):
                text = text.replace(stranger, UNKNOWN)
        return text

    def _is_made_up(self, text: str) -> bool:
        made = self.stand_ins.values()
        return text in made or all(unit in made for unit in units_of(text)) or UNKNOWN in text

    def reveal(self, text: str) -> str:
        """Return a model's text with the originals in place of the stand-ins, escaped if the stand-in is escaped.

        Short stand-ins stay, because they can be the model's own text.
        """
        if self._revealing is None:
            return text
        return self._revealing.sub(self._revealed, text)

    def _revealed(self, hit: re.Match[str]) -> str:
        real = self._reals[hit[0].replace("\\", "")]
        return re.sub(r"([.+*?()\[\]{}|^$])", r"\\\1", real) if "\\" in hit[0] else real

    @cached_property
    def _reals(self) -> Mapping[str, str]:
        return {stand_in: real for real, stand_in in self.stand_ins.items()}

    @cached_property
    def _hiding(self) -> re.Pattern[str] | None:
        return _any_of(self.stand_ins)

    @cached_property
    def _hiding_long(self) -> re.Pattern[str] | None:
        return _any_of(one for one in self.stand_ins if len(one) >= SHORT)

    @cached_property
    def _revealing(self) -> re.Pattern[str] | None:
        telling = [one for one in self._reals if _TELLING.search(one)]
        if not telling:
            return None
        return re.compile("|".join(_escaped_or_not(one) for one in sorted(telling, key=len, reverse=True)))


def _any_of(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that matches any of `texts`, the longest first. A short one is found only as a whole word."""
    longest_first = sorted(texts, key=lambda one: (-len(one), one))
    return re.compile("|".join(_as_whole_word(re.escape(one), one) for one in longest_first)) if longest_first else None


def _as_whole_word(pattern: str, text: str) -> str:
    if len(text) >= SHORT:
        return pattern
    kind = "[0-9]" if text.isdigit() else "[^\\W\\d_]" if text.isalpha() else "[^\\W_]"
    return f"(?<!{kind}){pattern}(?!{kind})"


def _escaped_or_not(stand_in: str) -> str:
    written = "".join(char if char.isalnum() else rf"\\?{re.escape(char)}" for char in stand_in)
    return _as_whole_word(written, stand_in)


@lru_cache(maxsize=16)
def redactor_of(job: RuleJob) -> PathRedactor:
    """Return the redactor of a source. It is the same for the same source, so that prompts keep the same bytes."""
    texts = (*job.paths, *job.unwanted, *job.others)
    in_hint = found_in((job.hint,), "permissive" if job.mode == "permissive" else "standard", job.hide)
    secrets = dict.fromkeys((*found_in(texts, job.mode, job.hide), *in_hint))
    units = dict.fromkeys(unit for secret in secrets for unit in units_of(secret))
    units |= dict.fromkeys(_in_other_case(units, (*texts, job.hint)))
    maker = _StandInMaker({word for text in (*texts, job.hint) for word in _WORD.findall(text)})
    stand_ins = {secret: maker.stand_in(secret) for secret in units}
    mode = "permissive" if job.mode == "permissive" else "standard"
    # A quote ends a text in an answer: what follows "patient_2" in JSON is no part of a name.
    return PathRedactor(stand_ins, "\0".join(secrets), lambda text: found_in(_QUOTE.split(text), mode, job.hide))


def _in_other_case(units: Iterable[str], texts: Iterable[str]) -> list[str]:
    """Return the words of `texts` that are private words written in another case: `SMITH` for `smith`."""
    private = {unit.casefold() for unit in units if len(unit) >= SHORT}
    words = dict.fromkeys(word for text in texts for word in _RUN.findall(text))
    return [word for word in words if word.casefold() in private]


class _StandInMaker:
    """Makes stand-ins, each one once. If possible, none is a word of the source."""

    def __init__(self, words: set[str]) -> None:
        self._source_words = words
        self._used: set[str] = set()
        self._next: dict[str, int] = {}

    def stand_in(self, secret: str) -> str:
        """Return the next text of the shape of `secret`, or a longer one if none is left."""
        made = self._of_shape(secret)
        while made is None:
            secret += "0" if secret[-1:].isdigit() else "a"
            made = self._of_shape(secret)
        self._used.add(made)
        return made

    def _of_shape(self, secret: str) -> str | None:
        shape = _shaped(secret, 0)
        capacity = min(4 ** sum(map(str.isalpha, secret)) * 10 ** sum(map(str.isdigit, secret)), _MOST)
        for number in range(self._next.get(shape, 0), capacity):
            made = _shaped(secret, number)
            if made not in self._used and made != secret and (made not in self._source_words or len(made) < SHORT):
                self._next[shape] = number + 1
                return made
        self._next[shape] = capacity
        return None


def _shaped(secret: str, number: int) -> str:
    """Return stand-in `number` for a text. Letters vary from the first one on, so that few share a prefix."""
    if DATE.fullmatch(secret):
        return _a_day(secret, number)
    made = list(secret)
    letters = [at for at, char in enumerate(secret) if char.isalpha()]
    digits = [at for at, char in enumerate(secret) if char.isdigit()]
    for at in (*letters, *reversed(digits)):
        kinds = "0123456789" if secret[at].isdigit() else _LETTERS
        number, place = divmod(number, len(kinds))
        made[at] = kinds[place].upper() if secret[at].isupper() else kinds[place]
    return "".join(made)


def _a_day(secret: str, number: int) -> str:
    """Return a day in the format of `secret`."""
    day = _FIRST_DAY + timedelta(days=number)
    mark = re.sub(r"[0-9]", "", secret)[:1]
    if secret[:4].isdigit():
        second = secret[7 if mark else 6 : 8 if mark else 6]
        return f"{day:%Y}{mark}{day:%m}{second if mark else ''}{day:%d}"
    return f"{day:%d}{mark}{day:%m}{mark}{day:%Y}"
