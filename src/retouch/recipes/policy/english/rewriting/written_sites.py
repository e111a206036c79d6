"""Replaces ways to name links, sites and channels: "a link that anyone can open", "my bank, bank.example"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import FILE_TYPES, word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

# "A link that anyone on the internet can open"
_OPEN_LINKS = re.compile(
    r"\b(?:an?|any|the)? ?(?:(?:share|shared|sharing) )?links? (?:that|which) (?:anyone|anybody|everyone|everybody)"
    r"(?: (?:on the (?:internet|web)|in the world|with it|who has it))? (?:can|may|could) "
    r"(?:open|see|view|use|read|access|follow)\b"
)
_PUBLIC_LINKS = re.compile(r"\b(?:an? |any )?public (?:(?:share|shared|sharing) )?links?\b", re.IGNORECASE)
_FOR_ANYONE = ("public", "anyone", "everyone")  # as values of an argument
# "My bank, caixaverde.pt, including its subdomains"
_SITE = re.compile(
    r"\b(?:my|our|the) (?:(?!and |or |at |not )[a-z-]+ ){0,2}(?!and\b|or\b|at\b)[a-z-]+(?:'s (?:site|website|page))?, "
    r"(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,})(?:,(?= (?:and|but|or|including|with|without|unless|except|"
    r"under|not)\b)|(?=[.;]?$))"
)
_SUBDOMAINS = re.compile(
    r"(?<![\w.@/*-])(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,}),? (?:including|and|or|with|plus|along with|"
    r"together with|as well as) "
    r"(?:from |on |in )?(?:any of |all of |all |any )?(?:its|their) sub-?domains\b"
)
# "Nordbank.com, which is my bank": it only explains
_WHICH_IS = re.compile(
    r"(?P<host>(?:[a-z0-9-]+\.)+[a-z]{2,}), (?:which|that) (?:is|belongs to) (?:my|our|the) "
    r"(?:(?!not |only )[a-z-]+ ){0,2}[a-z-]+(?:,|(?=[.;]?$))"
)
_WEB = re.compile(r"\b[Ww]eb (?P<page>pages?|sites?)\b")
_TO_SITES = re.compile(
    r"\b(?P<upload>upload(?:ing)? (?:(?:any|my|some|more|new) )?[a-z]+) to (?:(?:any|other) )?"
    r"(?:web ?sites?|web ?pages?|sites?|pages?|the (?:web|internet))(?=[.,;]?$| (?:without|unless)\b)"
)
# What is done in a browser is done to pages: "don't click anything on a website" names no page.
_ON_PAGES = re.compile(
    r"(?P<done>\b(?:click|hover|type|typing|drag|press|run|running|execut\w+|evaluat\w+|accept\w*|upload\w*)\b[^,;]*?) "
    r"(?:on|in|into|to) (?:(?:a|an|any|the|some) )?(?:web ?sites?|web ?pages?|sites?|pages?|"
    r"the (?:web|internet|browser))(?=[.!]?$|,? (?:without|unless)\b)"
)
# "Upload files from my machine": no others can be uploaded
_FROM_HERE = re.compile(
    r"\b(?P<upload>upload(?:ing)? (?:(?:any|my|the|local|new) )*[a-z]+) from (?:(?:my|this|the|your|our|a) )?(?:own )?"
    r"(?:local )?(?:machine|computer|laptop|pc|mac|disk|drive|device|desktop|hard (?:disk|drive)|file ?system)"
    r"(?=[.,;!]?$|,? (?:without|unless|but)\b)"
)
# "Websites that end in .gov", "pages with a .gov address", ".gov pages", but not "pages that end in .pdf"
_ENDING = r"\.[a-z]{2,}(?:(?:, (?:or |and )?| or | and )\.[a-z]{2,})*"
_PAGES = r"(?P<pages>(?:[Ww]eb ?)?(?:[Ss]ites?|[Pp]ages?)|[Dd]omains?|[Hh]osts?)"
_WHOSE = r"(?:urls?|address(?:es)?|domains?(?: names?)?|host ?names?|hosts?|names?)"
_ENDING_IN = re.compile(
    rf"\b{_PAGES} (?:(?:that |which |whose {_WHOSE} )?(?P<no>(?:do not|does not|don['\u2019]t|doesn['\u2019]t) )?"
    rf"(?:ends?|ending) (?:in|with)|with|on|under|from) "
    rf"(?:an? )?(?P<ends>{_ENDING})(?: {_WHOSE}| endings?)?(?=[.,;]?$|[.,;] | (?:without|unless|and|but)\b)"
)
_DOT_PAGES = re.compile(
    r"(?<!on )(?<!outside )(?<!leave )(?<!to )(?<!or )(?<!and )(?<!, )(?<!any )(?<![\w.])"
    rf"(?P<ends>{_ENDING}) {_PAGES}(?=[.,;]?$|[.,;] | (?:without|unless|and|but)\b)"
)
_ELSEWHERE = re.compile(
    r"^(?P<never>[Nn]ever|[Dd]o not|[Dd]on['\u2019]t) (?:visit|open|go to|navigate to|browse(?: to)?|load) "
    r"(?:(?:any|a|other) )*(?:(?:web ?)?(?:sites?|pages?)|domains?)(?: that (?:is|are))? "
    r"(?:outside(?: of)?|other than|except(?: for)?|not on|apart from) (?:those on |ones on |on )?"
    r"(?P<host>(?:(?:[a-z0-9-]+\.)+[a-z]{2,}(?:, (?:and |or )?| and | or )?)+|[.a-z, ]+ sites)(?P<end>[.!]?)$"
)
_NO_DOMAINS = FILE_TYPES | word_set("htm php asp aspx jsp js css ico rss atom tar gz")
_IN_CHANNEL = re.compile(r"\bwrit(?:e|(?P<ing>ing)) (?:in|into|to) (?=(?:the )?#[A-Za-z])")


def with_plain_sites(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "public links" for "links that anyone can open", and with hosts for what they are called.

    To write in a channel is to post there.
    """
    text = _FROM_HERE.sub(lambda found: found["upload"], _with_plain_links(text, toolbox))
    if any("fetch-url" in one.roles for one in toolbox.tools):
        text = _SITE.sub(lambda found: found["host"], text)
        text = _WHICH_IS.sub(lambda found: found["host"], text)
        if all(one.reads or {"browser"} & one.server_words for one in toolbox.tools):
            text = _ON_PAGES.sub(lambda found: found["done"], text)
        text = _WEB.sub(lambda found: found["page"], _TO_SITES.sub(lambda found: found["upload"], text))
        text = _SUBDOMAINS.sub(lambda found: f"{found['host']} and its subdomains", text)
        text = _ENDING_IN.sub(_on_sites, _DOT_PAGES.sub(_on_sites, text))
        text = _ELSEWHERE.sub(lambda found: f"{found['never']} leave {found['host']}{found['end']}", text)
    return _IN_CHANNEL.sub(lambda found: f"post{found['ing'] or ''} in ", text)


def _on_sites(found: re.Match[str]) -> str:
    """Return "pages on .gov sites" for "websites that end in .gov" and for ".gov pages"."""
    if not _NO_DOMAINS.isdisjoint(re.findall("[a-z]+", found["ends"])):
        return found[0]
    within = "outside" if found.groupdict().get("no") else "on"
    pages = "pages" if found["pages"].endswith("s") else "page"
    return f"{pages} {within} {found['ends']} sites"


def _with_plain_links(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "public links" for "links that anyone can open", in the word that the tools have."""
    must = {value.lower() for one in toolbox.tools for arg in one.required for value in one.listed.get(arg, ())}
    value = next((one for one in _FOR_ANYONE if one in must), "")  # what is left out may be public, too
    text = _OPEN_LINKS.sub(" public links", text).replace("  ", " ") if value else text
    return _PUBLIC_LINKS.sub(f"{value} links", text) if value not in {"", "public"} else text
