"""Makes text of the document safe for C# source, prompts and tables."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 300

_MARKER = re.compile(r"\[\s*SCHMITH\s*:", re.IGNORECASE)
_FENCE = re.compile(r"`{3,}\w*|~{3,}")
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they can make code look different from its meaning
HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def one_line(text: str, *, longest: int = _LONGEST) -> str:
    """Return the text on one line without markdown fences, marker text or control characters, cut between words."""
    text = _MARKER.sub("(SCHMITH ", _FENCE.sub(" ", HALF_A_PAIR.sub("\ufffd", text[: 20 * longest])))
    text = _BIDI_CONTROLS.sub("", text)
    text = "".join(" " if unicodedata.category(char) in {"Cc", "Zl", "Zp"} else char for char in text)
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[longest // 2 :] else cut).rstrip(" ,;:") + "…"
