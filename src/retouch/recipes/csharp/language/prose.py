"""Makes text of the document safe for C# source, prompts and tables."""

from __future__ import annotations

import re

_LONGEST = 300

_MARKER = re.compile(r"\[\s*SCHMITH\s*:", re.IGNORECASE)
_FENCE = re.compile(r"`{3,}\w*|~{3,}")
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they can make code look different from its meaning
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # the categories Cc, Zl and Zp, with every line end
HALF_A_PAIR = re.compile("[\ud800-\udfff]")

_LONG_SUMMARY = 200  # characters; a longer description has its first sentence as its summary
_SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\b[A-Z])[.!?][)\"'`*]*\s+(?=[^a-z\s])")


def summary_and_remarks(description: str) -> tuple[str, str]:
    """Return a description as its summary and its remarks, which together are the whole of it.

    Remarks follow the first line end. Without a line end, they are what follows the first sentence of a description
    that is too long for a summary.
    """
    summary, line_end, remarks = description.partition("\n")
    if line_end or len(description) <= _LONG_SUMMARY:
        return summary, remarks
    end = _SENTENCE_END.search(description)
    if end is None or end.end() >= len(description):
        return description, ""
    return description[: end.end()].rstrip(), description[end.end() :]


def one_line(text: str, *, longest: int = _LONGEST) -> str:
    """Return the text on one line without markdown fences, marker text or control characters, cut between words."""
    text = _MARKER.sub("(SCHMITH ", _FENCE.sub(" ", HALF_A_PAIR.sub("\ufffd", text[: 20 * longest])))
    text = _BIDI_CONTROLS.sub("", text)
    text = " ".join(_CONTROLS.sub(" ", text).split())
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[longest // 2 :] else cut).rstrip(" ,;:") + "…"
