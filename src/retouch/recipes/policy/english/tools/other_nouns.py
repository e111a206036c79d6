"""Nouns that people use for what the tools at hand call otherwise: a ticket is an issue where no tool has tickets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import singular

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

# Each line are words for the same thing. A word is only replaced if no tool says it, and they say one of the others.
_SAME = """
ticket issue
song track
client customer
resume cv
parcel package shipment
pupil student
employee staff
picture photo image
holiday vacation leave
booking reservation
purchase-order order
thermostat heating climate
advert ad
job-ad posting
article post
grade mark
trash bin
rule filter
meal takeaway food
catalogue catalog
film movie
vendor supplier
applicant candidate
depot warehouse
voucher coupon discount
quotation quote
workbook spreadsheet sheet
graph chart
prospect lead
deal opportunity
clip video
lorry truck
physician doctor
timetable schedule
coworker colleague
sum amount
wording text
"""
_GROUPS = tuple(frozenset(line.split()) for line in _SAME.split("\n") if line)
_WORD = re.compile(
    r"(?<![\w/.@#~-])(?P<word>[A-Za-z]+)(?![\w/@-]|\.\w|'s)(?=(?P<quoted>[^`\"]*(?:[`\"][^`\"]*[`\"])*[^`\"]*$))"
)


_BEFORE_VERB = re.compile(
    r"(?:^|[.,;:] |\b(?:not|never|may|can|must|should|to|you|only|please|always|freely|and|or|don['\u2019]t) )$",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\b(?P<whole>[a-z]{3,}s) and (?:their|its) (?P<part>[a-z]+)(?=[.,;!]?$|, )")
_TWO_WORDS = re.compile(
    r"(?<![\w/.@#~-])(?P<first>[A-Za-z]+)[ -](?=(?P<last>(?!(?:up|out|off|on|in|down|over|to)\b)[a-z]+)(?![\w/@-]|\.\w)"
    r"[^`\"]*(?:[`\"][^`\"]*[`\"])*[^`\"]*$)"
)
_DRAFTS = re.compile(r"\b(?:write|create|prepare|make)(?: (?:a|new|the|some))? drafts?(?: emails?)?\b", re.IGNORECASE)


_PRIVATE = re.compile(
    r"\b(?:(?P<one>a DM|a private message)|DMs|private messages)\b(?=[.,;]|$| (?:to|without|unless|and|or)\b)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"\b(?P<look>(?:look|looking) at|(?:check|checking|read|reading|see|seeing)) (?:the|our|my) "
    r"(?:numbers|stats|statistics|figures|metrics)\b(?=[.,;]|$| (?:and at|as|whenever|without|any) ?)",
    re.IGNORECASE,
)


_LEVELS = re.compile(r"\b(?P<noun>stock|inventory) levels?\b")


# "A hotel stay" is a hotel that is booked.
_STAYS = re.compile(r"\b(?P<noun>hotel|hostel|apartment) (?P<stay>stay|night)(?P<many>s?)\b", re.IGNORECASE)
_TICKETS = re.compile(r"\b(?P<noun>flight|train|bus|ferry) (?P<stay>ticket)(?P<many>s?)\b", re.IGNORECASE)


# The kinds of the resources of Kubernetes, which its tools take as `apiVersion` and `kind`.
_KINDS: Mapping[str, str] = {
    found[0].lower(): found[0]
    for found in re.finditer(
        r"\S+",
        "Deployment StatefulSet DaemonSet ReplicaSet Pod Service Secret ConfigMap Ingress Job CronJob Node Namespace "
        "Event PersistentVolumeClaim PersistentVolume ServiceAccount",
    )
}
_NO_KIND_ALONE = frozenset({"event", "namespace", "node", "pod"})  # "in the staging namespace"
_THEN = (
    r"(?=[.,;:!]|$| (?:and|or|in|to|from|with|without|is|are|must|may|can|cannot|should|needs?|requires?|unless|except|"
    r"only|up|down|above|below|beyond|outside|inside|before|after|on|at|by|if|but|other|anywhere)\b)"
)
_ALTERS = (
    r"\b(?:scal(?:e|ing)|resiz(?:e|ing)|delet(?:e|ing)|remov(?:e|ing)|restart(?:ing)?|read(?:ing)?|list(?:ing)?|"
    r"view(?:ing)?|get(?:ting)?|see(?:ing)?|look(?:ing)? at|inspect(?:ing)?|chang(?:e|ing)|edit(?:ing)?|patch(?:ing)?|"
    r"updat(?:e|ing)|modify(?:ing)?) (?:an? |any |the |all |our |my )?$"
)
_OF_KIND = re.compile(
    r"(?<![\w/.@#~\"`-])(?P<noun>"
    + "|".join("[ -]?".join(re.findall("[A-Z][a-z]+", kind)) for kind in _KINDS.values())
    + r")(?P<many>(?:e?s)?)(?![\w/@-])"
    + _THEN,
    re.IGNORECASE,
)


def kind_argument(one: KnownTool) -> str | None:
    """Return the argument of a tool that says of which kind a resource of Kubernetes is. None if it has none."""
    return "kind" if {"apiVersion", "kind"} <= one.required and one.head else None


def kind_of(noun: str | None) -> str | None:
    """Return the kind of resources of Kubernetes that a noun names: `Pod`."""
    return _KINDS.get(noun or "")


def _with_kinds(text: str, toolbox: Toolbox) -> str:
    """Return `resources of kind "Secret"` for "secrets", if the tools choose resources by their kind."""
    heads = {one.head for one in toolbox.tools if kind_argument(one)}
    if len(heads) != 1:
        return text
    head = next(iter(heads))
    taken = {noun for one in toolbox.tools for noun in (*one.nouns, *one.server_words)} | _NO_KIND_ALONE

    def known(found: re.Match[str]) -> str:
        noun, before = re.sub("[ -]", "", found["noun"].lower()), text[: found.start()]
        acts = noun == "deployment" and re.search(_ALTERS, before, re.IGNORECASE) is None  # "no deployments on Fridays"
        if noun in taken or acts or len(re.findall('[`"]', before)) % 2:
            return found[0]
        return f'{head}{"s" if found["many"] else ""} of kind "{_KINDS[noun]}"'

    return re.sub(
        rf'(?<=")(?P<joint> (?:and|or) )(?:any |the )?{head}s? of kind (?=")', r"\g<joint>", _OF_KIND.sub(known, text)
    )


def _phrases(text: str, toolbox: Toolbox) -> str:
    """Return "direct messages" for "DMs" and "analytics" for "the numbers", if one tool here is about these."""
    direct = [one for one in toolbox.tools if one.nouns[-2:] == ("direct", "message")]
    if (
        len(direct) == 1
        and toolbox.said_words.isdisjoint({"dm"})
        and not any("private" in one.nouns for one in toolbox.tools)
    ):
        text = _PRIVATE.sub(lambda found: "a direct message" if found["one"] else "direct messages", text)
    measured = [
        one for one in toolbox.tools if one.reads and one.head in {"analytic", "metric", "insight", "statistic"}
    ]
    if len(measured) == 1 and not any(one.head in {"number", "figure", "stat"} for one in toolbox.tools):
        (noun,) = {
            word
            for one in measured
            for word in one.tool.name.lower().replace("-", "_").split("_")
            if singular(word) == one.head
        }
        text = _NUMBERS.sub(lambda found: f"{found['look']} {noun}", text)
    return text


def _with_parts(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "invoices and invoice items" for "invoices and their items", if a tool is about these."""
    own = (singular(found["whole"]), singular(found["part"]))
    known = any(one.nouns[-2:] == own for one in toolbox.tools)
    return f"{found['whole']} and {own[0]} {found['part']}" if known else found[0]


def _compound(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "usergroups" for "user groups", if the tools write it as one word, and no tool has groups."""
    first, last = found["first"].lower(), singular(found["last"])
    whole = f"{first}{last}" in toolbox.nouns and last not in {one.head for one in toolbox.tools}
    return found["first"] if whole else found[0]


def _of_one_tool(noun: str, group: frozenset[str], toolbox: Toolbox) -> list[str]:
    """Return what the only tool for a thing calls it: `climate` of its name, if its description says "heating"."""
    tools = [one for one in toolbox.tools if not group.isdisjoint(one.told_words | one.vocabulary)]
    named = [sorted(group & words) for one in tools for words in (one.vocabulary, one.told_words) if group & words]
    return named[0][:1] if len(tools) == 1 and noun not in named[0] else []


def with_known_nouns(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "issues" for "tickets", if the tools have issues and no tickets. Quoted text stays."""
    said = toolbox.said_words
    text = _with_kinds(text, toolbox)
    text = _PARTS.sub(lambda found: _with_parts(found, toolbox), text)
    text = _TWO_WORDS.sub(lambda found: _compound(found, toolbox), text)

    def known(found: re.Match[str]) -> str:
        word = found["word"]
        if word.lower() == "issue" and _BEFORE_VERB.search(text[: found.start()]):
            return word  # "issue a refund"
        noun = singular(word)
        group = next((each for each in _GROUPS if noun in each or word.lower() in each), frozenset[str]())
        others = sorted(one for one in group if one in said)
        if group and (noun in said or word.lower() in said or len(others) > 1):
            others = _of_one_tool(noun, group, toolbox)
        if len(others) != 1:
            return word
        return f"{others[0]}s" if word.lower().endswith("s") and not noun.endswith("s") else others[0]

    for spoken, own in (("merge", "pull"), ("pull", "merge")):
        theirs = any(f"{spoken}_request" in "_".join(one.words) for one in toolbox.tools)
        ours = any(f"{own}_request" in "_".join(one.words) for one in toolbox.tools)
        if ours and not theirs:
            text = re.sub(
                rf"\b(?P<first>[{spoken[0]}{spoken[0].upper()}]){spoken[1:]} (?=requests?\b)", f"{own} ", text
            )
    for pattern in (_STAYS, _TICKETS):
        text = pattern.sub(
            lambda found: found[0] if found["stay"].lower() in said else f"{found['noun']}{found['many']}", text
        )
    if said.isdisjoint({"level", "levels"}):
        text = _LEVELS.sub(lambda found: found["noun"], text)
    text = _phrases(_WORD.sub(known, text), toolbox)
    drafts = "draft" in toolbox.verbs and not any(one.head == "draft" for one in toolbox.tools)
    return _DRAFTS.sub("draft emails", text) if drafts and "email" in said else text
