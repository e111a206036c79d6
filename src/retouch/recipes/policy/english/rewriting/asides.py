"""Replaces what stands between commas after a thing and says which one it is, as in written English.

"The live server, web1.example.com," is web1.example.com, "spreadsheets, by which I mean files ending in .xlsx," are
files ending in .xlsx, "checkout-api, which belongs to acme," is acme/checkout-api, and "the account, which has the code
095," is the account code 095.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import PEOPLE
from retouch.recipes.policy.english.words.lexicon import singular

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_END = r"(?:,(?! (?:and|or|nor)\b)|(?=[.;]?$)|(?=[.;] ))"
_NOUNS = r"(?!(?:and|or|but|to|in|on|at|of|for|from|with|by|not|only|is|are)\b)[a-z-]+"
_ID = r"(?:(?=[\w.-]*\d)[A-Za-z][\w-]*(?:[.-][\w-]+)*|(?:[a-z][\w-]*\.)+[a-z]{2,}|[~/][\w./-]*\w)"
# "The live server, web1.example.com," and "the boardroom, LIS-A-5.01"
_NAME = re.compile(rf"(?<!, )\b(?:[Tt]he|[Mm]y|[Oo]ur) (?:{_NOUNS} ){{0,2}}{_NOUNS}, (?P<id>{_ID}){_END}")
_MEANING = r"(?:by which (?:I|we) mean|that is(?: to say)?|which (?:are|is)|meaning|in other words)"
_FILES = r"(?:all |the )?(?:files?|ones?|documents?)(?: that| which)? (?:end|ends|ending) (?:in|with)"
_ENDINGS = r"\.[a-z0-9]{1,7}(?:(?:, or |, and |, | or | and )\.[a-z0-9]{1,7})*"
_KINDS = re.compile(rf"\b[A-Za-z]+(?: files| documents)?, {_MEANING} {_FILES} (?P<ends>{_ENDINGS}){_END} ?")
_OWNED = re.compile(
    r"(?<![\w/.-])(?P<repo>[A-Za-z0-9][\w.-]*[\w]),? which (?:belongs to|is owned by|is part of) (?:the )?"
    rf"(?P<owner>[A-Za-z0-9][\w-]*)(?: organi[sz]ation| group)?{_END}"
)
_CODED = re.compile(
    r"\b(?P<start>the (?:[a-z]+ )?)(?P<noun>[a-z]+)(?:, which has|, with| which has| with| that has) "
    rf"the (?P<what>code|number|id) (?P<value>\w*\d[\w-]*){_END}"
)


# "The staging project, that is stgqkxwplo", "the billing group, which is number 4410", "my family calendar (f@x.org)"
_WORD = r"[A-Za-z0-9][\w.@+-]*\w"
_CALLED = re.compile(
    rf"\b(?:the|my|our|this|The|My|Our) (?:{_NOUNS} ){{0,3}}(?P<noun>{_NOUNS})"
    rf"(?: \((?:id |number |no\.? |#)?(?P<in>{_WORD})\)"
    r"|, (?:that is|that['\u2019]s|which is|i\.e\.|namely|(?:with |its )?id(?: is)?)"
    rf"(?: the)?(?: (?:number|id|one with id))? (?P<id>{_WORD})(?:,|(?=[.;]?$)))"
)
# No word of English: it says which thing, and not how it is.
_CODE_LIKE = re.compile(r"[\d_@]|[bcdfghjklmnpqrstvwxz]{5}")


def _identified(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "the project stgqkxwplo", if the tools take the id or name of such a thing."""
    value, noun = found["in"] or found["id"], singular(found["noun"])
    choosing = {name for one in toolbox.tools for name in one.named_arguments}
    if noun in PEOPLE or noun not in choosing or _CODE_LIKE.search(value) is None:
        return found[0]
    return f"{'The' if found[0][0].isupper() else 'the'} {found['noun']} {value}"


def without_asides(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with what its asides say in their place. A sentence with quoted text stays as it is."""
    if "`" in text or '"' in text:
        return text
    owners = any({"github-owner", "github-repo"} <= one.roles for one in toolbox.tools)
    text = _OWNED.sub(lambda found: f"{found['owner']}/{found['repo']}", text) if owners else text
    text = _CALLED.sub(lambda found: _identified(found, toolbox), text)
    text = _CODED.sub(lambda found: _coded(found, toolbox), text)
    text = _NAME.sub(lambda found: found["id"], text)
    return _KINDS.sub(lambda found: f"files ending in {found['ends']} ", text).strip()


def _coded(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "the account code 095", if an argument of a tool is called like that."""
    noun = f"{found['noun']} {found['what']}"
    return f"the {noun} {found['value']}" if noun in toolbox.words.given else found[0]
