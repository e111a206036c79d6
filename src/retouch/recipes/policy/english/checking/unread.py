"""Says why a sentence is not understood: by the words that no tool says, or else by its form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import unsaid_words
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.tokens import tokens_of

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

MOST_WORDS = 3
FORMS = "write one rule in each sentence, such as 'You may ...', 'Never ...', 'Ask me before ...' or 'Only ...'"
_STRICT = re.compile(r"(?:allow|ask before|never)\b", re.IGNORECASE)


def why_unread(text: str, toolbox: Toolbox) -> str:
    """Return why a sentence is not understood, and what to write. "" if it begins as a rule of the strict grammar.

    The strict grammar itself knows best where such a rule goes wrong.

    >>> why_unread("Reticulate the splines.", toolbox)  # doctest: +SKIP
    "not understood: 'reticulate', 'splines'; say it in the words of the tools, and put names in quotes"
    """
    if _STRICT.match(text):
        return ""
    try:
        words = unsaid_words(tokens_of(text), toolbox)
    except Unclear as error:
        return error.why
    if not words:
        return f"each word is known, but not the form of the sentence; {FORMS}"
    listed = ", ".join(f"{one!r}" for one in words[:MOST_WORDS])
    return f"not understood: {listed}; say it in the words of the tools, and put names in quotes"
