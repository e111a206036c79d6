"""Hides texts behind made-up ones of the same shape before anything leaves the machine, and takes the veil off again.

A stand-in has letters where the text has letters, digits where it has digits, and its separators: paths keep their
segments, and a pattern that fits the one fits the other. Stand-ins are counted, not computed from what they hide.
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

_LETTERS = "qxzj"  # seldom beside each other: a stand-in is no word
_FIRST_DAY = date(1901, 1, 1)
_RUN = re.compile(r"[^\W\d_]+|[0-9]+")
_SET = re.compile(r"(\[[^\]]*\])")
_TELLING = re.compile(r"[A-Za-z]{2}|[0-9]{5}")
_WORD = re.compile(r"[^\W_]+")
_MOST = 1_000_000
UNKNOWN = "[hidden]"
SHORT = 4


@dataclass(frozen=True)
class PathRedactor:
    """What stands in for what; `secrets` are the texts that it makes up.

    `strangers` finds more of them in texts that the job does not hold.
    """

    stand_ins: Mapping[str, str]
    secrets: str
    strangers: Callable[[str], list[str]]

    def hide(self, text: str) -> str:
        """Return `text` with stand-ins for all that is to be hidden, and "[hidden]" for what has none."""
        return self._hidden(text, self._hiding)

    def hide_in_prose(self, text: str) -> str:
        """Return the same for a sentence about paths, where words and numbers of one to three characters stay."""
        return self._hidden(text, self._hiding_long)

    def hide_part(self, text: str) -> str:
        """Return the same for a part of a path, as a column holds it, which may be a part of what is to be hidden."""
        hidden = self.hide(text)
        kept = (word for word in _RUN.findall(hidden) if len(word) > 2 and word in text and word in self.secrets)
        for word in dict.fromkeys(kept):
            hidden = hidden.replace(word, _shaped(word, 0))
        return hidden

    def hide_glob(self, glob: str) -> str:
        """Return the same for a glob, whose sets of characters stay."""
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
        """Return a model's text with what the stand-ins in it stand for; in a pattern, written as a pattern has it.

        Short stand-ins stay: they may as well be the model's own text.
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
        return re.compile("|".join(_as_written(one) for one in sorted(telling, key=len, reverse=True)))


def _any_of(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds any of `texts`, the longest first; a short one only where it stands by itself."""
    longest_first = sorted(texts, key=lambda one: (-len(one), one))
    return re.compile("|".join(_alone(re.escape(one), one) for one in longest_first)) if longest_first else None


def _alone(pattern: str, text: str) -> str:
    if len(text) >= SHORT:
        return pattern
    kind = "[0-9]" if text.isdigit() else "[^\\W\\d_]" if text.isalpha() else "[^\\W_]"
    return f"(?<!{kind}){pattern}(?!{kind})"


def _as_written(stand_in: str) -> str:
    written = "".join(char if char.isalnum() else rf"\\?{re.escape(char)}" for char in stand_in)
    return _alone(written, stand_in)


@lru_cache(maxsize=16)
def veil_of(job: RuleJob) -> PathRedactor:
    """Return the veil over a job: the same job has the same stand-ins, so that prompts stay the same bytes."""
    texts = (*job.paths, *job.unwanted, *job.others)
    spoken = found_in((job.hint,), "permissive" if job.mode == "permissive" else "standard", job.hide)
    secrets = dict.fromkeys((*found_in(texts, job.mode, job.hide), *spoken))
    units = dict.fromkeys(unit for secret in secrets for unit in units_of(secret))
    making = _Making({word for text in (*texts, job.hint) for word in _WORD.findall(text)})
    stand_ins = {secret: making.stand_in(secret) for secret in units}
    mode = "permissive" if job.mode == "permissive" else "standard"
    return PathRedactor(stand_ins, "\0".join(secrets), lambda text: found_in((text,), mode, job.hide))


class _Making:
    """Makes stand-ins, each once: none is a word that is there, if that can be."""

    def __init__(self, words: set[str]) -> None:
        self._words = words
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def stand_in(self, secret: str) -> str:
        """Return the next text of the shape of `secret`; a longer one when there is none left."""
        made = self._of_shape(secret)
        while made is None:
            secret += "0" if secret[-1:].isdigit() else "a"
            made = self._of_shape(secret)
        self._taken.add(made)
        return made

    def _of_shape(self, secret: str) -> str | None:
        shape = _shaped(secret, 0)
        capacity = min(4 ** sum(map(str.isalpha, secret)) * 10 ** sum(map(str.isdigit, secret)), _MOST)
        for number in range(self._next.get(shape, 0), capacity):
            made = _shaped(secret, number)
            if made not in self._taken and made != secret and (made not in self._words or len(made) < SHORT):
                self._next[shape] = number + 1
                return made
        self._next[shape] = capacity
        return None


def _shaped(secret: str, number: int) -> str:
    """Return stand-in `number` for a text: letters count from the first one on, so that few begin alike."""
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
    """Return a day in the form of `secret`."""
    day = _FIRST_DAY + timedelta(days=number)
    mark = re.sub(r"[0-9]", "", secret)[:1]
    if secret[:4].isdigit():
        second = secret[7 if mark else 6 : 8 if mark else 6]
        return f"{day:%Y}{mark}{day:%m}{second if mark else ''}{day:%d}"
    return f"{day:%d}{mark}{day:%m}{mark}{day:%Y}"
