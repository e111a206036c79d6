"""HTML comments of a Markdown text, which are no part of what it says."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def without_comments(text: str) -> str:
    """Return a text without its HTML comments. Their line ends stay, so that every line keeps its number."""
    return _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
