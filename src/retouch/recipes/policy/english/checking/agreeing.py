"""A second look at what an ordinary sentence was read as: its words and the rules must show the same things.

The reader consumes every word, but a word can be consumed without effect, and a tool can be missed. So each reading
is compared with the words of the sentence, by other means than it was made: every negation, exception, "only" and
question of the sentence must be visible in what the tools are tested for, and the other way round. (`lost_names`
compares names, `agreeing_sizes` what sizes count, and the clause ledger numbers and times.) A tool that does the same
to the same things must not be left out of a prohibition, and an allowed one needs a word that says so. A sentence
that does not agree with its reading is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.agreeing_sizes import strange_size, uncounted
from retouch.recipes.policy.english.rewriting.spoken import without_emphasis
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.toolbox import shows_page
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.countries import COUNTRIES
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Mood, ToolPart

_FREELY = re.compile(
    r"\bwithout(?: first| further| any)? (?:asking|checking|approval|confirmation|permission|hesitation|"
    r"restrictions?|limits?|limitations?"
    r"|questions?|delay|confirming|having to|needing to|a second|me)\b"
    r"|\b(?:with no|no|see no|have no) (?:need|problem|issue|objection|questions?|hesitation|limits?)\b"
    r"|\b(?:no|not) (?:earlier|later|longer|sooner) than\b"  # bounds, as they are in "starting no earlier than 10 am"
    r"|\b(?:do|does|need)(?: not|n't) (?:need|require|have to|mind|ask)\b|\bneedn't\b|\bneeds? no\b"
    r"|\b(?:not|n't) (?:(?:an?|any|really an?) )?(?:problem|forbidden|prohibited|banned|off[- ]limits)\b"
    r"|\b(?:not|n't) (?:an?|any|really an?) issue\b"  # "do not issue refunds"
    r"|(?<=is|re)(?: not|n't) (?:needed|required|necessary)\b"
    r"|\b(?:do not|don't) (?:hesitate|bother asking|worry|object)\b"
    r"|\bno objections?\b|\b(?:have nothing|nothing) (?:against|wrong with)\b|\bwithout (?:me|us)\b(?=[.!,;]?$)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:never|not|no|nothing|nobody|none|nor|neither|cannot|nowhere|without)\b|n['\u2019]t\b"
    r"|\b(?:forbid\w*|prohibit\w*|ban(?:s|ned)?|disallow\w*|refrain|avoid|refuse|prevent|block)\b|\boff[- ]limits\b",
    re.IGNORECASE,
)
_RESTRICTS = re.compile(
    _NEGATED.pattern + r"|\b(?:only|exclusively|solely|"
    r"except|unless|besides|but|other than|apart from|outside|at most|maximum|max|up to|limit\w*|"
    r"cap(?:ped)?|below|under|less|fewer|within|exceed\w*|alone|untouched|unchanged|read-only|read only|stay|stick|"
    r"keep|confine|admin\w*|owners?|decide|excluded|condition|providing|"
    r"restrict\w*|reserved|humans?|people|business|job|task|responsibility|mine|ours|me|taboo|off|out|"
    r"myself|none of|the most|plenty|enough|"
    r"away|leave|"
    r"hands|hold|"
    r"must|should|deny|as long as|provided|between|from|stop|once|twice|steer|clear|remain|"
    r"has to|have to|needs? to)\b"
    r"|\b(?:my|our|\w+'s) (?:call|decision|department|choice)\b|\b(?:up|left) to\b|\bremit\b|\bred line\b|\bno-go\b|"
    r"\bwould hate\b|\bpay grade\b",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(
    r"\b(?:except\w*|unless|other than|apart from|aside from|excluding|besides|save for|with the exception)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"(?<!read-)(?<!read )\bonly\b(?! reads?\b| looks?\b)|\bnowhere else\b|\bnothing else\b|\bexclusively\b|\bsolely\b",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:any|all|no|every|another) others?\b|\b(?:but|and|,) (?:no )?others?\b|\belse\b", re.IGNORECASE
)
_ASKS = re.compile(
    r"\b(?:ask|asked|asking|check(?:ing)? with|confirm\w*|approv\w*|permission|consent|consult\w*|go-ahead|"
    r"sign[- ]off|signed off|"
    r"ok|okay|okayed|agree\w*|authori[sz]\w*|green light|escalate\w*|ping|run (?:it|this|that) (?:by|past)|"
    r"through me|clear(?:ed)?|sa(?:y|ys|id) so|verify|review\w*|see|look at|vet|decide|needs? (?:me|a human|an? \w+)|"
    r"(?:have|has) seen|had a look|blessing|agreement|wait for|get back to|double-check|told|tell|said yes|"
    r"say yes|a yes|a nod|okayed|hold of me)\b"
    r"|\b(?:talk|come|comes|speak|back|goes?) to (?:me|us)\b|\bby (?:me|us)\b|\bwith (?:me|us)\b"
    r"|\bshow (?:(?:it|them) to )?(?:me|us)\b|\blet (?:me|us) know\b|\binvolve (?:me|us)\b"
    r"|\bthumbs[- ]up\b|\ball[- ]clear\b|\bsay[- ]so\b|\bfinal say\b",
    re.IGNORECASE,
)
_CLASSES = {
    "read": "read get list search find view show describe fetch lookup look check inspect browse retrieve see "
    "examine review "
    "consult query preview count watch visit open navigate load select track access download",
    "create": "create make add insert new open register book schedule draft generate issue write put save store "
    "place post "
    "upload file raise set invite start plan enter take append mkdir submit",
    "change": "edit update modify change alter adjust patch set rename reschedule write replace append overwrite "
    "upsert move "
    "save put label tag assign convert apply",
    "delete": "delete remove erase destroy drop wipe purge truncate clear trash cancel void terminate prune unlink "
    "discard "
    "fire dismiss close change modify alter move touch",
    "send": "send email mail message reply respond forward post publish share invite write tell notify comment contact",
    "pay": "pay transfer wire spend charge buy purchase order refund withdraw donate send book",
}  # fmt: skip
_CLASSES_OF: dict[str, set[str]] = {}
for _name, _words in _CLASSES.items():
    for _word in _words.split():
        _CLASSES_OF.setdefault(_word, set()).add(_name)
_TAKEN = re.compile(r"\b(?:take|taking|taken)\b[^,;]* (?:away|off)\b|\bget(?:ting)? rid of\b", re.IGNORECASE)
_LABEL_IS_VERB = re.compile(
    r"\b(?:can|may|to|never|not|or|and|you) label (?:(?:and|or) [a-z]+ )?(?:(?:any|the|my|our|new|incoming) )*"
    r"(?:e-?mails?|messages?|mails?|threads?|conversations?|issues?|pull|tickets?|tasks?)\b",
    re.IGNORECASE,
)
_GENERAL = word_set("use work do anything everything touch access handle manage tool tools leave off alone")
# What verbs without a meaning of their own say, and the only class of a tool's verb.
_GENERIC = {
    "write": ("create", "change"), "change": ("change",), "modify": ("change",), "edit": ("change",),
    "update": ("change",),
    "delete": ("delete",), "remove": ("delete",), "erase": ("delete",), "send": ("send",),
    "create": ("create",), "insert": ("create",),
}  # fmt: skip
_PRIMARY = {
    **dict.fromkeys(word_set("create insert new"), "create"),
    **dict.fromkeys(word_set("update edit modify change set patch"), "change"),
    **dict.fromkeys(word_set("delete remove erase destroy"), "delete"),
    **dict.fromkeys(word_set("send email"), "send"),
}
CONTAINERS = {
    "row": frozenset({"table"}), "file": frozenset({"directory", "folder"}), "event": frozenset({"calendar"}),
    "email": frozenset({"mailbox", "inbox"}), "message": frozenset({"email", "mailbox", "inbox"}),
}  # fmt: skip


def disagreement(text: str, parts: Iterable[tuple[Mood, bool, ToolPart]], toolbox: Toolbox) -> str:
    """Return what the words of a sentence and its reading do not agree about. "" if they agree.

    `parts` are what it means for the tools: each with its mood, and whether it is the exception of a permission.
    """
    found = tuple(parts)
    plain = without_emphasis(text.replace("\u2019", "'"))
    rules = [part for _, _, part in found]
    strange = _strange_value(plain, found, toolbox) or strange_size(plain, rules, toolbox)
    strange = strange or uncounted(plain, rules, toolbox)
    return strange or _lost_mood(plain, found) or _missed_tool(plain, found, toolbox)


def _strange_value(text: str, parts: tuple[tuple[Mood, bool, ToolPart], ...], toolbox: Toolbox) -> str:
    """Return which listed value of an argument is tested although no word of the sentence is like it."""
    known = {one.key: one for one in toolbox.tools}
    words = re.findall(r"[a-z0-9]+", text.lower().replace("e-mail", "email"))
    words += [form for word in words for form in lexicon.FORMATS.get(word, ())]
    words += [lexicon.CURRENCY_CODES[word].lower() for word in words if word in lexicon.CURRENCY_CODES]
    words += [code.lower() for name in COUNTRIES if name in text.lower() for code in COUNTRIES[name]]
    words += ["create"] if "new" in words else []  # "no more than 5 new issues a day"
    words += ["trash"] if any(word.startswith(("delet", "remov", "discard")) for word in words) else []
    for _, _, part in parts:
        one = known.get((part.server, part.tool))
        for limit in (*part.where, *part.unless) if one is not None else ():
            values = one.listed.get(limit.arg or "", ()) if one is not None else ()
            stems = [each[:-2] or each for each in split_name(limit.arg or "") if len(each) > 2]
            switched = re.search(r"\b(?:turn|switch)\w* ", text.lower()) is not None
            if (
                limit.among == (True,)
                and not switched
                and stems
                and not any(word.startswith(tuple(stems)) for word in words)
            ):
                return f"{limit.arg!r} is tested, and no word says so"
            for value in (one for one in limit.among if isinstance(one, str) and one in values):
                texts = re.findall(r"[a-z0-9]+", value.lower())
                if not all(_is_shown(text, words) for text in texts):
                    return f"{value!r} is tested, and no word says so"
    return ""


def _is_shown(text: str, words: list[str]) -> bool:
    """Return whether a word of a sentence is like a listed value, or its verb: "ship" and "freezing"."""
    bases = bases_of(text, form="ed")
    stem = text[: max(3, len(text) - 2)]
    return any(word.startswith(stem) or not {word, *bases_of(word, form="ing")}.isdisjoint(bases) for word in words)


def _lost_mood(text: str, parts: tuple[tuple[Mood, bool, ToolPart], ...]) -> str:
    moods = {mood for mood, excepted, _ in parts if not excepted}
    strict = bool(moods - {"allow"}) or any(excepted or part.unless for _, excepted, part in parts)
    strict = strict or any(limit.state == "absent" for _, _, part in parts for limit in part.where)
    plain = _FREELY.sub(" ", text)
    for pattern, held, what in (
        (_NEGATED, strict, "negation"),
        (
            _EXCEPTS,
            any(part.unless or excepted for _, excepted, part in parts) or len(moods) > 1 or "ask" in moods,
            "exception",
        ),
        (_ONLY, strict, "limit"),
        (_REST, strict, "rest"),
    ):
        found = pattern.search(plain)
        if found is not None and not held:
            return f"no rule shows the {what} in {found[0]!r}"
    if "never" in moods and _RESTRICTS.search(plain) is None:
        return "it is read as a prohibition, and no word of it says so"
    if "ask" in moods and _ASKS.search(text) is None:
        return "it is read as a question, and no word of it says so"
    return ""


def _missed_tool(text: str, parts: tuple[tuple[Mood, bool, ToolPart], ...], toolbox: Toolbox) -> str:
    words = {word for one in re.findall(r"[a-z]+(?:-[a-z]+)*", text.lower()) for word in _forms(one)}
    words |= {"remove"} if _TAKEN.search(text) else set()
    said = {name for word in words for name in _CLASSES_OF.get(word, ())}
    allowed = {(part.server, part.tool) for mood, _, part in parts if mood == "allow"}
    strict = {(part.server, part.tool) for mood, _, part in parts if mood != "allow"}
    known = {one.key: one for one in toolbox.tools}
    chosen = {(one.server, one.tool) for _, _, one in parts if not _values_in(one).isdisjoint(words)}
    for key in sorted(allowed - strict - chosen) if said and words.isdisjoint(_GENERAL) else ():
        if key in known and not _is_said(known[key], words, said):
            return f"it is read as a permission for {key[1]}, and no word of it says what that does"
    words -= {"label"} if _LABEL_IS_VERB.search(text) and "remove" not in words else set()
    tested = {limit.role for mood, _, part in parts if mood != "allow" for limit in (*part.where, *part.unless)}
    spoken = words - ({"write"} if re.search(r"\bwritten (?!to\b|by\b|in)", text, re.IGNORECASE) else set())
    meant = {name for word in spoken for name in _GENERIC.get(word, ())}
    if "write" in spoken and "email-address" in tested:
        meant = {"send"}  # "never write to anyone outside acme.example"
    placed = any(limit.within for mood, _, part in parts if mood != "allow" for limit in (*part.where, *part.unless))
    for one in toolbox.tools if strict else ():
        done = one.key in strict | allowed or one.reads or one.computes or one.code
        done = done or (placed and not one.paths)
        same = _is_thing(one, words) or "email-address" in tested & one.roles
        if not done and same and any(_PRIMARY.get(verb) in meant for verb in one.verbs):
            return f"{one.tool.name} may be meant as well"
    return ""


def _values_in(part: ToolPart) -> set[str]:
    """Return the values that a tool is tested for: the action itself, as in "buy" for `place_trade(side)`.

    A role has none: the owner of a repository says nothing about what is done with it.
    """
    return {str(value).lower() for limit in part.where if limit.role is None for value in limit.among}


def _is_thing(one: KnownTool, words: set[str]) -> bool:
    """Return whether a tool acts on what a sentence names, or on what that contains."""
    return one.head in words or not words.isdisjoint(CONTAINERS.get(one.head or "", frozenset()))


def _own_classes(one: KnownTool) -> set[str]:
    acts = {one.head or ""} & lexicon.VERBS.keys()
    return {name for verb in one.verbs | acts for name in _CLASSES_OF.get(verb, ())}


def _is_said(one: KnownTool, words: set[str], said: set[str]) -> bool:
    """Return whether a word of a sentence says what a tool does: its verb, one of the same class, or its action."""
    own = _own_classes(one)
    named = not words.isdisjoint(one.verbs) or any(noun in words and noun in lexicon.NOMINAL for noun in one.nouns)
    named = named or ("page" in words and shows_page(one))
    named = named or (one.head in words and one.head in lexicon.VERBS) or not words.isdisjoint(one.done)
    return named or not own or bool(own & said)


def _forms(word: str) -> Iterator[str]:
    yield word
    yield singular(word)
    yield from bases_of(word, form="ing")
    yield from bases_of(word, form="ed")
    if word in lexicon.NOMINAL or singular(word) in lexicon.NOMINAL:
        yield lexicon.NOMINAL[singular(word) if singular(word) in lexicon.NOMINAL else word]
    noun = singular(word)
    if noun in lexicon.ACTIONS:
        yield lexicon.ACTIONS[noun]
