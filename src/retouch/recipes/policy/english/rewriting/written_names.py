"""Replaces ways to name owners, calendars, tables and branches: "every repository of the acme organisation"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument
from retouch.recipes.policy.english.tools.project_paths import takes_projects
from retouch.recipes.policy.english.words.lexicon import DAY_WORDS, ENVIRONMENTS, MAYBE_BRANCHES, is_name, singular

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_ORG = r"(?:organi[sz]ation|org|group|account|user|namespace)"
_OWNER = r"(?P<owner>(?!(?:same|other|whole|right|new|own)\b)[A-Za-z0-9][\w-]*)"
_OWNED = re.compile(
    r"\b(?P<in>(?:in|of|to|from|on|for) )?(?:any|every|each|all|the|all the|all of the) "
    r"(?:repositor(?:y|ies)|repos?|projects?) (?:of|in|under|owned by|belonging to|that belongs? to) (?:the )?"
    rf"{_OWNER} {_ORG}\b"
)
# "In the acme organization"
_IN_OWNER = re.compile(
    rf"\b(?P<in>in|of|to|from|for|inside|within) (?:the |my |our )?(?:GitHub |GitLab )?{_OWNER} "
    r"(?:organi[sz]ation|org|namespace|group)(?=[.,;!]|$| (?:only|but|and|or|unless|without|is|are|may|must)\b)",
)
# "'primary' for the main calendar"
_CALLED = re.compile(
    r"['\"`](?P<code>[\w-]+)['\"`] (?:for|is|means|=) (?:the |a |your )?(?P<word>main|default|primary|own|personal)\b"
)
_RESTRICTS = re.compile(
    r"\b(?:never|not|no|nothing|forbidden|prohibited|ask|before|unless|except|approval)\b|n['\u2019]t"
)
_AGAINST = re.compile(
    r"\bagainst (?=(?:(?:the|any|every|all|our|my) )?(?:[\w-]+ )?(?:databases?|schemas?|tables?|db)\b)"
)

# "The users and payment_methods tables", "the tables users and payment_methods": each word looks like a name
_ITEM = r"(?:[a-z]+s|(?!\d+\b)\w*[_\d][\w-]*)"
_ITEMS = rf"(?P<names>{_ITEM}(?:, {_ITEM})*,? (?P<joint>and|or) (?:the )?{_ITEM})"
_BEFORE_NOUN = re.compile(rf"\b(?P<the>[Tt]he) {_ITEMS} (?P<noun>[a-z]+)\b(?! of\b)")
_AFTER_NOUN = re.compile(rf"\b(?P<the>[Tt]he) (?P<noun>[a-z]+s) {_ITEMS}(?=[.,;:!?]|$)")

_CREATED = r"(?:that |which )?you (?:create|make|open|set up|add)"
_MUST = r"(?:must|should|have to|has to|needs? to)(?: always)?"
# "Branches you create should start with bot/", "names of new channels have to begin with proj-"
_NAMED_SO = re.compile(
    rf"^(?:(?:[Tt]he )?[Nn]ames? of (?:any |all |the )?new (?P<of>[a-z]+)|(?:[Aa]ny |[Aa]ll |[Ee]very |"
    rf"[Tt]he |[Ee]ach )?"
    rf"(?:[Nn]ames? of )?(?P<made>[A-Za-z]+) {_CREATED}|(?:[Aa]ny |[Aa]ll |[Ee]very )?[Nn]ew "
    rf"(?P<new>[a-z]+)(?:'s? names?)?) "
    rf"{_MUST} (?:be named|have names? that|be called)? ?(?:start|begin)(?:s|ning)? with (?P<begin>[\w./-]*\w[/-]?)"
    r"(?:, (?:or )?(?:otherwise|else) (?:do not|don't|never) (?:create|make|open) (?:them|it))?(?=\.?$)"
)
_BELONG = re.compile(
    r"\b(?P<many>repositor(?:y|ies)|repos?|projects?) (?:that|which) belongs? to (?=(?:the )?[A-Za-z])"
)
_IN_ALL = re.compile(r"\b(?P<any>[Nn]othing|[Aa]nything|[Ee]verything) in (?:the|my|our) (?P<whole>database)\b")
# "The account called holiday fund": words in small letters that are a name
_CALLED_SO = re.compile(
    r"\b(?P<the>[Tt]he|[Mm]y|[Oo]ur) (?P<noun>[a-z]+)(?:,? (?:which is|that is))? (?:called|named) "
    r"(?P<name>(?!the |an? |my |our |like |so |after |by )[a-z][\w-]*(?: (?!(?:alone|is|are|and|or|but|in|on|to|from|"
    r"for|with|without|unless|except|if|may|must|can|should|untouched|as|needs)\b)[a-z][\w-]*){1,2})"
    r"(?=[.,;!]?$| (?:alone|untouched|is|are|may|must|can|should|without|unless)\b)"
)
# Namespaces that every cluster has
_KUBE = re.compile(r"(?<![\w/.-])kube-(?:system|public|node-lease)(?![\w/-]|\.\w)")
_OWN = re.compile(r"\b(?P<my>[Mm]y|[Oo]ur) (?P<name>[A-Z][\w-]*(?: [A-Z][\w-]*)?) (?P<noun>[a-z]+)\b")
_THE_BRANCH = re.compile(
    rf"\b(?P<in>(?:to|into|onto|on|from|against|or|and) )the (?P<name>{'|'.join(sorted(MAYBE_BRANCHES))}) branch\b"
)


def with_plain_owners(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "repositories of acme" for "every repository of the acme organisation".

    The names of branches, calendars and tables are written as the readers know them, too.
    """
    if "`" in text or '"' in text:
        return text
    text = _NAMED_SO.sub(lambda found: _only_named_so(found, toolbox), text)
    text = _BELONG.sub(lambda found: f"{found['many']} of ", text)
    given = toolbox.words.given
    text = _IN_ALL.sub(lambda found: found[0] if found["whole"] in given else found["any"], text)
    text = _CALLED_SO.sub(lambda found: _quoted_name(found, toolbox), text)
    if "namespace" in given and "namespace" not in text.lower():
        text = _KUBE.sub(lambda found: f"the {found[0]} namespace", text)
    paths = any(takes_projects(one) for one in toolbox.tools)
    if paths or any("github-owner" in one.roles for one in toolbox.tools):
        text = _OWNED.sub(lambda found: f"{found['in'] or ''}repositories of {found['owner']}", text)
        noun = "repositories" if any("github-owner" in one.roles for one in toolbox.tools) else "projects"
        text = _IN_OWNER.sub(lambda found: _in_repositories(found, noun), text)
    if any("branch-name" in one.roles for one in toolbox.tools):
        noun = "" if re.search(r"\b(?:main|master|trunk)\b", text) else "branch "
        text = _THE_BRANCH.sub(lambda found: f"{found['in']}{noun}{found['name']}", text)
    text = _OWN.sub(lambda found: _the_named(found, toolbox), text)
    for pattern in (_BEFORE_NOUN, _AFTER_NOUN):
        text = pattern.sub(lambda found: _each_of(found, toolbox), text)
    return _AGAINST.sub("on ", _with_codes(text, toolbox))


def _in_repositories(found: re.Match[str], noun: str) -> str:
    place = "in" if found["in"].lower() in {"inside", "within"} else found["in"]
    return f"{place} {noun} of {found['owner']}"


def _quoted_name(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return 'the account "holiday fund"', if an argument is named by the noun."""
    if found["noun"] not in toolbox.words.given:
        return found[0]
    return f'{found["the"]} {found["noun"]} "{found["name"]}"'


def _is_also_in(one: KnownTool, noun: str) -> bool:
    """Return whether an argument of a tool is described with a noun, and not called so."""
    said = (arg for arg in one.tool.args if re.search(rf"\b{noun}s?\b", one.described(arg).lower()))
    return any(noun not in nouns_of_argument(one, arg) and one.takes_text(arg) for arg in said)


def _only_named_so(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "never create channels except those whose names start with proj-" for what new names must begin with."""
    noun = singular((found["of"] or found["made"] or found["new"]).lower())
    if noun == "branch":
        return f"Never create branches except branches that start with {found['begin']}"
    if not any(one.head == noun and "create" in one.verbs for one in toolbox.tools):
        return found[0]
    return f"Never create {noun}s except those whose names start with {found['begin']}"


def _the_named(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "the calendar Work" for "my Work calendar", if calendars are chosen by their names."""
    the = "The" if found["my"][0].isupper() else "the"
    known = found["noun"] in toolbox.words.given and found["noun"] not in {"folder", "directory"}
    return f"{the} {found['noun']} {found['name']}" if known else found[0]


def _each_of(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "the users table or the orders table" for "the users and orders tables", if tables are told by names."""
    noun = singular(found["noun"])
    names = re.split(r",? (?:and|or) (?:the )?|, ", found["names"])
    others = {*toolbox.words.choices, *toolbox.values, *toolbox.words.flags, *ENVIRONMENTS, *DAY_WORDS, "branch"}
    known = any({one.lower(), singular(one.lower())} & others or not is_name(one) for one in names)
    if noun not in toolbox.words.choices or noun == "branch" or known:
        return found[0]
    if any(_is_also_in(one, noun) for one in toolbox.tools):
        return found[0]  # `copy_table(source)` is about a table, too
    joint = "or" if _RESTRICTS.search(found.string.lower()) else found["joint"]
    return f"{found['the']} " + f" {joint} the ".join(f"{one} {noun}" for one in names)


def _with_codes(text: str, toolbox: Toolbox) -> str:
    """Return a permission with the calendar `primary` for "my main calendar", if a description calls it so.

    It may be called otherwise as well, so what restricts is not replaced.
    """
    if _RESTRICTS.search(text.lower()):
        return text
    for one in toolbox.tools:
        for arg in one.tool.args:
            found = _CALLED.search(one.described(arg))
            for noun in nouns_of_argument(one, arg) if found is not None else ():
                text = _named(text, found, noun)
    return text


def _named(text: str, found: re.Match[str] | None, noun: str) -> str:
    """Return a sentence with the "primary" calendar for "my main calendar"."""
    if found is None:
        return text
    return re.sub(rf"\b(?:[Mm]y|[Tt]he|[Oo]ur) {found['word']} {noun}\b", f'the "{found["code"]}" {noun}', text)
