"""Arguments that a call may leave out: "emails with an attachment", "without a condition", "as drafts"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.said_verbs import in_form
from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.acts import Qualifier
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.amount_tests import Side
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.naming import SentenceWords

GIVEN, LEFT_OUT = "given: ", "left out: "  # the `word` of a qualifier, and `arg` is the noun of the argument
_OPENINGS = (("with", GIVEN), ("without", LEFT_OUT))
_ARTICLES = ("a", "an", "any")
_NO_NOUNS = word_set("name id key title text body query limit page number type date time it them")
# "Recurring events" have the argument `recurrence`.
_RECURRING = re.compile(
    r"\b(?P<open>(?:an? |any |the |my )?)(?:recurring|repeating|repeated|recurrent) (?P<noun>[a-z]+)(?![\w-])",
    re.IGNORECASE,
)
_IN_COPY = re.compile(
    r"\b(?P<put>put|putting|add|adding) (?:anyone|anybody|someone|somebody|people)(?: else)? "
    r"(?:in|into|to|on) (?:the )?(?P<arg>bcc|cc)\b"
    r"(?:, not even in (?:an? |your |any )?drafts?(?: emails?)?(?=[.!]?$))?",
    re.IGNORECASE,
)
_MAILS = r"(?:the |any |your |my |an? )?(?:e-?mails?|messages?|mails?)"
# "No attachments in the emails you send", "attachments must never be sent to people outside acme.example"
_NO_ATTACHMENTS = re.compile(
    rf"^[Nn]o attachments?(?: (?:in|with|on|to) {_MAILS}(?P<sent> (?:that )?you send)?)?(?P<end>[.!]?)$"
)
_NOT_SENT = re.compile(r"^(?:[Aa]ny )?[Aa]ttachments? (?:must|may|should|can) ?(?:not|never)(?: ever)? be sent\b")
_SENDING = re.compile(
    r"\b(?P<send>[Ss]end(?:ing)?) (?:an? |any |the )?attachments?\b(?=[.,;!]?$| (?:to|without|unless|is|needs|on|at) ?)"
)
_ATTACHING = re.compile(
    r"\b(?P<put>attach|attaching) (?:an? |any |the )?(?:files?|documents?|anything) to (?:an? |any )?"
    r"(?:e-?mails?|messages?|mails?|anything(?: that (?:gets|is) sent)?)(?![\w-])",
    re.IGNORECASE,
)


# "Post outside a thread", "send messages in threads": a message of a thread names it
_IN_THREAD = re.compile(
    r"\b(?P<verb>post(?:ing)?|send(?:ing)?|writ(?:e|ing))(?: (?:(?:an?|any|new) )?(?:messages?|anything))?"
    r"(?P<where>(?: (?:in|to) (?:the )?#[\w-]+(?: channel)?)?) (?:(?P<out>(?:outside(?: of)?|not in))|in(?:side)?) "
    r"(?:(?:an?|any|the|existing) )*threads?(?=[.,;!]?$|[,;] | (?:without|unless|only|but|and|or|is|are|needs?)\b)",
    re.IGNORECASE,
)
_WITH = "with an attachment"
_ATTACHED = re.compile(
    r"\b(?:that|which) (?:has|have|contains?|includes?|carr(?:y|ies)) (?:an attachment|any attachments?|attachments)\b|"
    r"\b(?:that|which) (?:has|have) (?:an?|any|some) (?:files?|documents?) attached(?: to (?:it|them))?\b|"
    r"\bwith (?:any attachments?|attachments)\b|\bwith (?:an? (?:attached )?file|files|anything|something)"
    r"(?: attached)?(?=[.,;]?$)"
)
_ATTENDING = word_set("attendee guest invitee participant")
_PEOPLE = r"(?:people|persons|anyone|anybody|someone|somebody|others|guests|attendees|participants)(?: else)?"
_INVITING = re.compile(
    rf"\b(?P<put>invite|inviting) (?:any |some |other |any other )?{_PEOPLE}"
    r"(?: to (?:an |any |the |my |our )?(?:event|meeting|appointment)s?)?(?=[.,;]?$|,? (?:unless|without) )",
    re.IGNORECASE,
)
_NOBODY_INVITED = re.compile(
    r",? (?:(?:as long as|so long as|provided(?: that)?|if) (?:nobody|no one|no-one)(?: else)? "
    rf"(?:is|gets|will be) invited|without inviting (?:any |other |any other )?{_PEOPLE})(?: to (?:it|them))?"
    r"(?=[.,;]?$)",
    re.IGNORECASE,
)
_PERMITS = re.compile(rf"{idioms.PERMITTING}|allow", re.IGNORECASE)
# "You may look at my calendars but not change them": nothing that is in them
_ONLY_LOOK = re.compile(
    r"^(?P<look>.*\b(?:look at|read|view|see) (?:any of |all of |all )?(?:my |our |the |any )?(?P<noun>[a-z]+)),? "
    r"but (?:(?:you )?(?:must |may |can |should )?(?:not|never)|cannot|can't|don't|do not) "
    r"(?:change|modify|edit|alter) (?:them|it|anything(?: in (?:them|it|there))?)(?=\.?$)",
    re.IGNORECASE,
)
_HOLDERS = word_set("calendar board notebook table database mailbox inbox list spreadsheet workspace")
# "Messages with an attachment need my approval before they go out"
_NEEDS_APPROVAL = re.compile(
    rf"^(?:[Aa]ny |[Aa]ll )?(?:[Ee]-?mails?|[Mm]essages?|[Mm]ails?) {_WITH} (?:needs?|requires?|must have) (?:my|our) "
    r"(?:approval|ok|okay|permission|consent|confirmation|go-ahead)"
    r"(?:,? (?:before (?:it|they) (?:go(?:es)?|is|are) (?:out|sent)|first))?(?=\.?$)"
)


def optional_nouns(one: KnownTool) -> dict[str, str]:
    """Return the arguments that a call may leave out, by what they are called: `condition` for "SQL condition"."""
    found: dict[str, str] = {}
    for arg in one.tool.args:
        words = split_name(arg)
        if arg in one.required or not one.takes_text(arg) or arg in one.listed or not words:
            continue
        told = re.match(r"(?:[a-z]+ ){0,2}?([a-z]+)(?=[.,;:(]|$| \()", one.described(arg).lower())
        own = words[-2] if len(words) > 1 and words[-1] in {"id", "ids", "ts"} else words[-1]
        for noun in dict.fromkeys((singular(own), singular(told[1]) if told else "")):
            if noun and noun not in _NO_NOUNS:
                found.setdefault(noun, arg)
    return found


def given(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "with an attachment" and "without a condition", if some tool has an optional argument for it."""
    for opening, word in _OPENINGS:
        for then in words.after(at, opening):
            for start in words.optional(then, *_ARTICLES):
                noun = singular(words.word(start)) if words.word(start) else ""
                plural = words.word(start).endswith("s") or words.word(start) in {"bcc", "cc", "media"}
                if noun in words.left_out and (start > then or plural):
                    yield Qualifier(kind="chosen", word=word, arg=noun), start + 1


def flagged(words: SentenceWords, at: int) -> Iterator[tuple[Qualifier, int]]:
    """Yield "as drafts" and "that is not a draft": an argument that is true or not."""
    for negated, phrases in ((False, ("as", "as a", "as an")), (True, _NOT)):
        for start in words.after(at, *phrases):
            flag = singular(words.word(start)) if words.word(start).isalpha() else ""
            if flag in words.flags and words.word(start) not in words.values:
                yield Qualifier(kind="flag", word=flag, is_negated=negated), start + 1
            both = f"{words.word(start)} {singular(words.word(start + 1) or '')}"
            if both in words.flags:
                yield Qualifier(kind="flag", word=both, is_negated=negated), start + 2  # "as a dry run"


_NOT = ("that is not", "that is not a", "that are not", "which is not a", "which are not", "unless it is a")


def is_given(qualifier: Qualifier) -> bool:
    """Return whether a qualifier says that an argument is given or left out."""
    return qualifier.kind == "chosen" and qualifier.word in {GIVEN, LEFT_OUT}


def gives_none(one: KnownTool, qualifier: Qualifier) -> bool:
    """Return whether a tool has no argument that a qualifier says is given, so that no call gives it."""
    missing = is_given(qualifier) and qualifier.word == GIVEN and qualifier.arg not in optional_nouns(one)
    return missing and not one.has_free_fields and qualifier.arg not in one.argument_words


def given_limit(one: KnownTool, qualifier: Qualifier, side: Side) -> Limit | None:
    """Return the test whether an argument is given, or left out. None if the tool has none for it.

    Raises:
        Unclear: it is permitted with the argument, and it is not said whether it is without.
    """
    arg = optional_nouns(one).get(qualifier.arg)
    if arg is None:
        return None
    if side == "permit" and qualifier.word == GIVEN and qualifier.arg != "thread":  # it is where a message is
        raise Unclear(f"it is not said whether it is permitted without {qualifier.arg!r} as well")
    return Limit(arg=arg, state="present" if qualifier.word == GIVEN else "absent")


def with_given(text: str, toolbox: Toolbox) -> str:
    """Return "events with a recurrence" for "recurring events", and "send email with a bcc" for "put anyone in bcc"."""
    names = toolbox.words.left_out
    recurring = sorted(noun for noun in names if noun.startswith(("recurr", "repeat", "rrule")))
    if len(recurring) == 1 and not {"recurring", "repeating"} & toolbox.said_words:
        text = _RECURRING.sub(lambda found: f"{found['open']}{found['noun']} with a {recurring[0]}", text)
    text = _ONLY_LOOK.sub(
        lambda found: (
            f"{found['look']}, but never change anything in any {singular(found['noun'])}"
            if singular(found["noun"]) in _HOLDERS & toolbox.words.given
            else found[0]
        ),
        text,
    )
    text = _with_marked_names(_with_guests(text, toolbox), toolbox)
    if "thread" in names:
        text = _IN_THREAD.sub(
            lambda found: f"{found['verb']} messages{found['where']} with{'out' if found['out'] else ''} a thread", text
        )
    if {"send", "email"} <= toolbox.said_words:
        drafts = "draft" in toolbox.verbs
        text = _IN_COPY.sub(
            lambda found: (
                _sent(found, found["arg"].lower(), drafts=drafts) if found["arg"].lower() in names else found[0]
            ),
            text,
        )
        if "attachment" in names:
            text = _NOT_SENT.sub(f"Never send emails {_WITH}", _NO_ATTACHMENTS.sub(_without_attachments, text))
            text = _SENDING.sub(lambda found: f"{found['send']} emails {_WITH}", text)
            text = _NEEDS_APPROVAL.sub("Ask me before you send emails with an attachment", _ATTACHED.sub(_WITH, text))
        if "attachment" in names and "attach" not in toolbox.verbs:
            text = _ATTACHING.sub(lambda found: _sent(found, "attachment", drafts=False), text)
    return text


def _without_attachments(found: re.Match[str]) -> str:
    return f"{'Never send' if found['sent'] else 'No'} emails {_WITH}{found['end']}"


def _with_marked_names(text: str, toolbox: Toolbox) -> str:
    """Return 'the calendar "ada@a.example"' without quotes, and "the calendar primary" for "my primary calendar".

    The latter only in what permits: the same calendar may also be named by its id.
    """
    for one in toolbox.tools:
        for arg, values in one.examples.items() if not one.reads else ():
            noun = split_name(arg)[0]
            if len(split_name(arg)) != 2 or "email-address" in one.tool.args[arg].all_roles:
                continue
            text = re.sub(rf"(?<![\w-])({noun}) ([\w.+-]+@[\w-]+(?:\.[\w-]+)+)(?=[\s,;]|\.?$)", r'\1 "\2"', text)
            if _PERMITS.match(text) and re.search(r"\b(?:only|except|but|not|never|nothing)\b", text) is None:
                known = "|".join(map(re.escape, values))
                text = re.sub(rf"\b(?:my|the|our) ({known}) {noun}(?![\w-])", rf"the {noun} \1", text)
    return text


def _with_guests(text: str, toolbox: Toolbox) -> str:
    """Return "create or update events with an attendee" for "invite people", if no tool invites anybody by its verb."""
    nouns = sorted(toolbox.words.left_out & _ATTENDING)
    tools = [one for one in toolbox.tools if not one.reads and set(nouns) & optional_nouns(one).keys()]
    heads, verbs = {one.head for one in tools}, [min(one.verbs) for one in tools if len(one.verbs) == 1]
    if len(nouns) != 1 or len(heads) != 1 or len(verbs) != len(tools) or "invite" in toolbox.verbs:
        return text
    guest = f"with {'an' if nouns[0][0] in 'aeiou' else 'a'} {nouns[0]}"
    if _PERMITS.match(text):
        return _NOBODY_INVITED.sub(f" without {guest.removeprefix('with ')}", text)
    return _INVITING.sub(
        lambda found: (
            f"{' or '.join(in_form(verb, 'ing' if found['put'].lower() == 'inviting' else 'base') for verb in verbs)} "
            f"{min(map(str, heads))}s {guest}"
        ),
        text,
    )


def _sent(found: re.Match[str], noun: str, *, drafts: bool) -> str:
    end = "ing" if found["put"].endswith("ing") else ""
    verbs = f"send{end} or draft{end}" if drafts else f"send{end}"
    return f"{verbs} emails with {'an' if noun[0] in 'aeiou' else 'a'} {noun}"
