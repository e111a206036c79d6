"""Replaces what a parenthesis explains: "the landlord (payee_landlord)" is payee_landlord.

"People inside the company (addresses ending in @acme.example)" are people at acme.example, "a database server (their
names start with db-)" is a database server whose name starts with db-, and "installer files (.exe, .msi)" are files
ending in .exe or .msi. Any other parenthesis stays, and is not understood.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, in_case_of, word_set

if TYPE_CHECKING:
    from collections.abc import Callable

_EMAIL = r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
_DOMAIN = r"@?(?:[\w-]+\.)+[a-z]{2,}"
_ID = r"(?:[A-Za-z][\w-]*[_\d][\w-]*|[~/][\w./-]*\w|https?://[^\s()]+|(?:[\w-]+\.)+[\w-]+)"
_NO_NOUNS = (
    r"(?:and|or|but|to|in|on|at|of|for|from|with|by|not|never|only|you|me|i|may|can|must|delete|read|send|is|are|be|"
    r"any|all|every|no|if|unless|except|who|that|which)"
)
_NO_KINDS = word_set(
    "and or but to in on at of for from with by not never only you me i may can must any all every no if unless except "
    "who that which a an the my our your these those"
)
_WORD = rf"(?!{_NO_NOUNS}\b)[A-Za-z][\w'-]*"
# What a parenthesis explains: nouns with an article, or a name.
_EXPLAINED = rf"(?:\b(?:[Mm]y|[Oo]ur|[Tt]he|[Yy]our) (?:{_WORD} ){{1,4}}|\b(?:[A-Z][\w.-]+ )+)"
_CROWD = (
    r"people|colleagues|coworkers|anyone|anybody|everyone|everybody|somebody|someone|contacts|employees|staff|users"
)
_INSIDE = r"(?: (?:in|inside|within|at|from|of) (?:the |our |my )?[A-Za-z]+(?: [A-Z][a-z]+)?)?"
_TEAMS = r"(?:my|our|the)(?: whole| entire)? (?:team|company|staff|colleagues|coworkers|people|office|department)"
_ADDRESSES = (
    r"(?:(?:their |whose )?(?:(?:e-?mail )?addresses|those|emails) (?:all )?(?:end(?:ing)? (?:in|with)|at|with) )?"
)
_THEIR = r"(?:their|whose|its|the)"
_THEY = r"(?:they|these|those|all(?: of (?:them|these|those))?)(?: (?!all\b)[a-z]+)?(?:['\u2019]re| are)?(?: all)?"
_NAMES = r"(?:names?|ids?|numbers?|titles?|file names?)"
_STARTS = r"(?:all )?(?:start|begin)s? with"
_TEXT = r"[\"`]?[\w./#@-]+[\"`]?"


def _listed(one: str) -> str:
    return rf"{one}(?:(?:, and |, or |, | and | or ){one})*"


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(rf"(?:{_EXPLAINED}|\b(?:{_CROWD}) )\((?P<value>{_listed(_EMAIL)})\)"),
        lambda found: found["value"],
    ),
    (
        re.compile(rf"\b(?:(?P<crowd>{_CROWD}){_INSIDE}|(?P<team>{_TEAMS})) \({_ADDRESSES}(?P<value>{_DOMAIN})\)"),
        lambda found: f"{found['crowd'] or 'people'} at {found['value'].removeprefix('@')}",
    ),
    (re.compile(rf"{_EXPLAINED}\((?P<value>{_listed(_ID)})\)"), lambda found: found["value"]),
    (
        re.compile(
            r"\b(?:for|to|than|but|of) me \((?:I['\u2019]m |I am |that['\u2019]s )?(?P<value>[\w@.-]+)"
            r"(?: there| here)?\)"
        ),
        lambda found: f"{found[0].partition(' ')[0]} {found['value']}",
    ),
    (
        re.compile(r"\b(?P<open>for|to|with) me \((?P<value>[A-Z][a-z]+(?: [A-Z][a-z]+)+)\)"),
        lambda found: f"{found['open']} {found['value']}",
    ),
)
# What the names of things have in common, after their noun: "release branches (they're all called release/ something)".
_NAMED = tuple(
    (
        re.compile(
            r"(?P<open>(?:\b(?:an?|the|any|all|every|my|our|each|those) )?)(?P<kind>(?:\b[A-Za-z]+ )?)"
            rf"(?P<noun>\b[a-z]+) \((?:{inner})\)"
        ),
        said,
    )
    for inner, said in (
        (rf"(?P<value>{_listed(r'[.][a-z0-9]{1,7}')})", "ending in {value}"),
        (
            rf"(?:the ones |those )?(?:{_THEIR} (?P<what>{_NAMES})|{_THEY}) {_STARTS} (?P<value>{_TEXT})",
            "{whose} {start} with {value}",
        ),
        (rf"with (?P<what>{_NAMES}) (?:starting|beginning) with (?P<value>{_TEXT})", "{whose} {start} with {value}"),
        (
            rf"(?:{_THEY} )?(?:called|named) (?P<value>{_TEXT}[/_-]) ?(?:something|anything|whatever)",
            "{whose} {start} with {value}",
        ),
        (
            rf"(?:{_THEY} (?:have|has|contain) |with )(?P<value>{_TEXT}) in (?:the|their|its) (?P<what>{_NAMES})",
            "with {value} in the name",
        ),
        (
            r"(?P<value>[A-Za-z][\w.-]*?[_.-])\d+(?:, (?P=value)\d+)*(?:, | and )?(?:\u2026|\.\.\.|etc\.?|and so on)",
            "{whose} {start} with {value}",
        ),
    )
)
# "Hidden files, the ones whose names start with a dot"
_THE_ONES = re.compile(r", (?:I mean |meaning |that is |i\.e\. )?(?:the ones|those) (?=(?:whose|that|which|with) )")
# "The prod- servers" and "any release/ branch"
_PREFIXED = re.compile(
    r"(?<![\w/])(?P<open>(?:the|any|all|our|my|every|those) )?(?<!\S)(?P<value>[A-Za-z][\w.-]*[/_-]) "
    r"(?P<noun>[a-z]+)(?![\w/])"
)
# "To main or to any release/ branch": such a name stands in a list of branches.
_BRANCHES = re.compile(
    r"(?P<open>\b(?:to|into|on|from|against) |(?:,|,? or|,? and|,? nor) (?:(?:to|into|on|from|against) )?)"
    r"(?:the |any |all |every |our |my )?(?P<value>[A-Za-z][\w.-]*/) branch(?:es)?(?!\S*[/\w])"
)
_ANY_BRANCH = re.compile(
    r"(?P<open>(?:,|,? or|,? and) )(?:anything|everything|all) (?:that |which )?"
    r"(?:starts?|starting|begins?|beginning) with (?P<value>[A-Za-z][\w.-]*/)(?!\w|\.\w)"
)
_HIDDEN = re.compile(
    r"\b(?P<first>[Hh])idden (?P<what>(?:files?|folders?|directories)(?: (?:and|or) (?:folders?|directories|files?))?)"
    r"(?: whose names start with a dot)?(?! [a-z]+ing\b)"
)
_DOT_FILES = re.compile(r"(?:(?<![\w/.#@-])[Dd]ot-?|(?<![\w/])\.)files?\b(?![/-])(?! [a-z]+ing\b)")
_PLAIN_HTTP = re.compile(r"\b(?:plain|unencrypted|insecure|bare) http\b")
_FREE_ACCOUNTS = re.compile(
    r"\b(?:private|personal|free|freemail) (?:e-?mail )?(accounts|addresses|mailboxes) "
    r"(?:such as|like|for example|e\.g\.)"
)
# "https pages"
_PAGES = r"(?:pages?|links?|address(?:es)?|urls?|sites?|websites?|connections?)"
_BY_SCHEME = re.compile(
    rf"\b(?P<scheme>https?)[ -](?:only )?{_PAGES}\b|\b(?:secure |safe )?{_PAGES},? (?:that|which) "
    r"(?:begin|start)s? with (?P<begun>https?)(?:://)?(?![\w/])",
    re.IGNORECASE,
)
_NO_HTTPS = re.compile(
    rf"\b(?:(?:non-https|insecure|unencrypted|unsecured|http-only) {_PAGES}\b|{_PAGES} (?:that|which) "
    r"(?:(?:are|is)n['\u2019]t|are not|is not|(?:do not|don['\u2019]t) (?:use|begin with|start with))"
    r" (?:on |over |served over )?https\b(?:://)?|" + _PAGES + r" without https\b)",
    re.IGNORECASE,
)
_NO_OBJECT = word_set(
    "something anything and or in to for on may can must should shall will could is are be need needs require requires "
    "not never only unless if when without with before after from into at by but as"
)


def _starting_with_dot(found: re.Match[str]) -> str:
    """Return "files and folders whose names start with a dot" for "hidden folders and files"."""
    first, joint, second = [*found["what"].split(), "", ""][:3]
    words = (second, joint, first) if second.startswith("file") else (first, joint, second)
    return f"{in_case_of(found['first'], ' '.join(words).strip())} whose names start with a dot"


def with_explained(text: str) -> str:
    """Return a sentence with what its parentheses say in the place of what they explain."""
    for pattern, explained in _RULES if "(" in text else ():
        text = pattern.sub(explained, text)
    for pattern, said in _NAMED if "(" in text else ():
        text = pattern.sub(partial(_with_names, said), text)
    text = _THE_ONES.sub(" ", text)
    text = _DOT_FILES.sub(lambda found: f"{'Hidden' if found[0][0] == 'D' else 'hidden'} files", text)
    text = _HIDDEN.sub(_starting_with_dot, text)
    text = _ANY_BRANCH.sub(lambda found: f"{found['open']}{found['value']}", text)
    text = _PLAIN_HTTP.sub("http", text)
    text = _FREE_ACCOUNTS.sub(lambda found: f"{found[1]} such as", text)
    text = _BY_SCHEME.sub(lambda found: f"pages over {found['scheme'] or found['begun']}", text)
    text = _NO_HTTPS.sub("pages over http", text)
    text = _BRANCHES.sub(_in_list, text)
    return _PREFIXED.sub(_after_noun, text)


def _in_list(found: re.Match[str]) -> str:
    joined = not found["open"][0].isalpha()
    open_ = re.sub(r"(?:to|into|on|from|against) $", "", found["open"]) if joined else found["open"]
    return f"{open_}{found['value']}{'' if joined else ' branches'}"


def _with_names(said: str, found: re.Match[str]) -> str:
    """Return "a server whose name starts with db-" for "a database server (their names start with db-)"."""
    kind = found["kind"].strip().lower()
    if kind and not _is_kind(kind) and not found["value"].lower().startswith(kind):
        kept = found["kind"]
        if lexicon.is_adjective(kind):
            return found[0]  # "old servers" may be some of those with such names
    else:
        kept = ""
    many = found["noun"].endswith("s")
    what = (found.groupdict().get("what") or "name").removesuffix("s")
    words = {
        "value": found["value"],
        "whose": f"whose {what}{'s' if many else ''}",
        "start": "start" if many else "starts",
    }
    return f"{found['open']}{kept}{found['noun']} {said.format(**words)}"


def _is_kind(word: str) -> bool:
    """Return whether a word before a noun says what kind of things the noun is about: `installer`, `release`."""
    done = {word, *bases_of(word, form="ing"), *bases_of(word, form="ed")}
    return not (done & lexicon.VERBS.keys()) and word not in _NO_KINDS and not lexicon.is_adjective(word)


def _after_noun(found: re.Match[str]) -> str:
    if found["noun"] in _NO_OBJECT:
        return found[0]
    many = "s" if found["noun"].endswith("s") else ""
    return f"{found['open'] or ''}{found['noun']} whose name{many} start{'' if many else 's'} with {found['value']}"
