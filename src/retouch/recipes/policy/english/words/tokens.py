"""Splits a clause into words, with contractions in full. Text in quotes or backticks is one name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retouch.recipes.policy.english.words.clock_words import with_times
from retouch.recipes.policy.english.words.scanning import Unclear

_TOKEN = re.compile(
    r"`(?P<code>[^`]*)`|\"(?P<said>[^\"]*)\"|(?P<comma>[,;])|(?P<sum>[$\u20ac\u00a3]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?(?=[\s,;]|$))|(?P<word>[^\s,;`\"]+)"
)
_REQUEST = re.compile(
    r"(?:could|would|can|will) you (?:please )?(?:always |first )?(?:ask|check|confirm|consult|never|not)\b",
    re.IGNORECASE,
)
# A dash, a colon or a question joins two parts: "Deleting events? Ask me." And "Music's fine": a possessive is followed
# by a noun, and never by such a word.
_JOINS = re.compile(
    r"(?P<quoted>`[^`]*`|\"[^\"]*\")|(?P<mark>\s+[\u2013\u2014-]\s+|\u2014|[?:]\s+)|(?P<noun>\b[A-Za-z]+)'s\s+"
    r"(?=(?:always |perfectly |totally )?(?:fine|ok|okay|allowed|forbidden|off|not|never)\b)"
)
_SPLIT = {
    "don't": "do not", "can't": "can not", "cannot": "can not", "mustn't": "must not", "shouldn't": "should not",
    "isn't": "is not", "aren't": "are not", "mayn't": "may not", "you're": "you are", "it's": "it is",
    "i've": "i have", "i'd": "i would", "i'm": "i am", "that's": "that is",
    "didn't": "did not", "haven't": "have not", "hasn't": "has not", "couldn't": "could not", "there's": "there is",
    "you'll": "you will", "you'd": "you would", "you've": "you have", "i'll": "i will", "we'll": "we will",
    "we're": "we are", "we've": "we have", "we'd": "we would", "what's": "what is", "that'll": "that will",
    "won't": "will not", "doesn't": "does not", "needn't": "need not", "wouldn't": "would not",
    "okay": "ok", "alright": "ok", "e-mail": "email", "e-mails": "emails", "e-mailing": "emailing",
    "e-mailed": "emailed",
    "they're": "they are", "who's": "who is", "nobody's": "nobody is", "everyone's": "everyone is",
    "weren't": "were not", "wasn't": "was not", "hadn't": "had not", "shan't": "shall not",
    "everywhere": "anywhere", "anyplace": "anywhere", "anybody": "anyone", "someone": "anyone", "somebody": "anyone",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Token:
    """One word in lower case and as written. A quoted word is only a name."""

    text: str
    raw: str
    quoted: bool = False


def _joined(found: re.Match[str]) -> str:
    if found["mark"]:
        return ", "
    return found[0] if found["quoted"] else f"{found['noun']} is "


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words of a clause, contractions in full, without the final full stop.

    Raises:
        Unclear: a character cannot be read.
    """
    text = re.sub(r"\*\*|__", "", text).replace("\u2019", "'").rstrip(" ;,")
    text = _JOINS.sub(_joined, with_times(text))
    body = text.removesuffix(".")
    body = body.removesuffix("!") if re.search(r"(?:^|\s)\w+!$", body) else body
    body = body.removesuffix("?") if _REQUEST.match(body) else body
    found: list[Token] = []
    end = 0
    for one in _TOKEN.finditer(body):
        if body[end : one.start()].strip():
            raise Unclear(f"not understood at {body[end : one.start()].strip()!r}")
        end = one.end()
        quoted = one["code"] if one["code"] is not None else one["said"]
        if quoted is not None:
            found.append(Token(text="", raw=quoted, quoted=True))
            continue
        low = one[0].lower()
        whole = _SPLIT.get(low)
        words = whole.split() if whole else [low]
        found += [Token(text=word, raw=one[0] if whole is None else word) for word in words]
    if body[end:].strip():
        raise Unclear(f"not understood at {body[end:].strip()!r}")
    return tuple(found)
