"""Replaces forms of written English by plain ones: "under no circumstances are files to be read", "neither X nor Y".

A form is only replaced by one that means the same, and no word of it is lost: what is not understood stays. The other
modules then need to know the plain form only, with all qualifiers that it may have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.replacing import QUOTED, replaced, rewriting, rewritten, text_of
from retouch.recipes.policy.english.words import idioms, lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, word_set

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.english.rewriting.replacing import Rewriting
    from retouch.recipes.policy.english.words.tokens import Token

_AGENT = r"(?:you|it|(?:the|this|my|our|your) (?:ai )?(?:agent|assistant|bot|ai|model))"
_MODAL = r"(?:may|can|could|must|should|shall|will)"
_MUST_NOT = rf"(?:{_MODAL} (?:not|never)(?: ever)?)"
_NO_CASE = (
    r"(?:under no circumstances?|under no conditions?|in no circumstances?|at no time|in no case|at no point|"
    r"by no means|on no account|in no event|in no way|never)"
)
_WHO = rf"(?!(?:you|i|we|{_AGENT}) )"
_WORDS = r"[^,;]+?"  # of one clause
_VERDICT = r"(?:allowed|permitted|fine|ok|acceptable)"
_NEGATIONS = word_set("not never no nor neither nobody nothing none without")
_PREPOSITIONS = word_set("to in on from into at with for of by under below within inside against onto")
_BEGIN_TIMES = word_set("weekday weekdays weekend weekends a the") | lexicon.DAY_WORDS
_OTHERS = word_set("no nobody nothing none nowhere any anyone anything other others another all every everyone")
_PLACING = r"(?:to|in|into|on|onto|from|with|at|under|below|inside)"
_LASTING = r"(?:goes|go|may go|can go|must go|should go|is to go|are to go|is going|may be going)"


def _neither() -> tuple[Rewriting, ...]:
    """Return "may neither X nor Y" and "neither X nor Y may be done" as prohibitions of both."""
    nor = rf"(?P<x>{_WORDS})(?: ,)? nor (?:be )?(?P<y>[^;]+)"
    allowed = rf"(?:is|are) (?:{_VERDICT} neither|neither {_VERDICT}) to"
    return (
        rewriting(
            rf"(?:{_MODAL} neither be|{_MODAL} be neither|(?:is|are) neither to be) {nor}",
            "must not be {x} or {y}",
        ),
        rewriting(
            rf"(?P<who>{_AGENT}) {allowed} (?P<x>{_WORDS})(?: ,)? nor (?:to )?(?P<y>[^;]+)",
            "{who} must not {x} or {y}",
        ),
        rewriting(
            rf"{_MODAL} (?P<b>{_WORDS}) neither (?P<p>{_PLACING} {_WORDS})(?: ,)? nor (?P<q>{_PLACING} [^,;]+)$",
            "must not {b} {p} or {q}",
        ),
        rewriting(
            rf"(?P<x>(?:{_MUST_NOT}|never|do not) {_WORDS})(?: ,)? nor (?P<q>{_PLACING} [^,;]+)$",
            "{x} or {q}",
        ),
        rewriting(rf"(?P<who>{_AGENT}) (?:{_MODAL}|do|does|is to|are to) neither {nor}", "{who} must not {x} or {y}"),
        rewriting(
            rf"^neither (?P<x>{_WORDS})(?: ,)? nor (?P<y>{_WORDS}) {_MODAL} be (?P<z>[^;]+)",
            "{x} or {y} must not be {z}",
        ),
        rewriting(
            rf"^neither (?P<x>{_WORDS})(?: ,)? nor (?P<y>{_WORDS}) (?:is|are)(?: ever)? to be (?P<z>[^;]+)",
            "{x} or {y} must not be {z}",
        ),
        rewriting(
            rf"^neither (?P<x>{_WORDS})(?: ,)? nor (?P<y>{_WORDS}) (?:is|are) (?P<z>{_VERDICT})",
            "{x} or {y} is not {z}",
        ),
        rewriting(
            rf"(?P<x>(?:{_MUST_NOT}|never|do not) .+?)(?: ,)? nor (?:{_MODAL} {_AGENT} )?(?P<y>(?!be |"
            rf"to |in |for )[a-z]+ (?!(?:them|it|those|these|one|any)(?: |$))[^;]+)$",
            "{x} , and never {y}",
        ),
    )  # fmt: skip


_INVERTED = (
    rewriting(
        rf"^{_NO_CASE} (?:{_MODAL}|is|are) (?:anything|any thing) (?:to )?(?:be )?(?P<y>.+)",
        "nothing may be {y}",
    ),
    rewriting(rf"^{_NO_CASE} {_MODAL} {_WHO}any (?P<x>{_WORDS})(?: ever)? be (?P<y>.+)", "no {x} may be {y}"),
    rewriting(rf"^{_NO_CASE} {_MODAL} {_WHO}(?P<x>{_WORDS})(?: ever)? be (?P<y>.+)", "{x} must not be {y}"),
    rewriting(rf"^{_NO_CASE} (?:is|are) {_WHO}any (?P<x>{_WORDS})(?: ever)? to be (?P<y>.+)", "no {x} may be {y}"),
    rewriting(rf"^{_NO_CASE} (?:is|are) {_WHO}(?P<x>{_WORDS})(?: ever)? to be (?P<y>.+)", "{x} must not be {y}"),
    rewriting(
        rf"^(?:not a single|no single|not one|not a) (?P<x>{_WORDS}) (?:{_MODAL}|is to|are to)(?: "
        rf"ever)? be (?P<y>.+)",
        "no {x} may be {y}",
    ),
    rewriting(rf"^no (?P<x>{_WORDS}) (?:is|are) (?:ever )?to be (?P<y>.+)", "no {x} may be {y}"),
    rewriting(
        r"^nothing (?P<x>(?:in|on|from|under|below) [^,;]+?) (?:is|are) (?:ever )?to be (?P<y>.+)",
        "nothing {x} may be {y}",
    ),
    rewriting(
        rf"^(?P<o>only (?:in|on|at|to|from|with|between|after|before|during|if|when) {_WORDS}) (?:may|"
        rf"can) {_WHO}(?P<x>{_WORDS}) be (?P<v>[a-z]+)$",
        "{x} may be {v} {o}",
    ),
    rewriting(
        rf"^(?P<o>only (?:in|on|at|to|from|with|between|after|before|during|if|when) {_WORDS}) (?:may|"
        rf"can) (?P<w>{_AGENT}) (?P<v>[^,;]+)$",
        "{w} may {v} {o}",
    ),
    rewriting(
        rf"^no (?P<x>{_WORDS}) may (?:ever )?be (?P<y>[^,;]+ (?:before|until|unless) (?:i|we) .+)$",
        "{x} must not be {y}",
    ),
    rewriting(rf"^(?P<x>(?:no|nothing|none|nobody) {_WORDS} )(?:may|must|should|can) ever be", "{x} may be"),
    rewriting(r"^nothing (?:may|must|should|can) ever be", "nothing may be"),
    rewriting(
        r"(?P<n>nothing|anything|everything) (?:that|which) (?:was|is|has been) (?:said|written|"
        r"posted|sent|kept)(?= (?:in|on|under|below) )",
        "{n}",
    ),
    rewriting(r"(?P<a>is|are) to be (?P<v>[a-z]+) (?:exclusively|solely)", "may only be {v}"),
    rewriting(r"(?:exclusively|solely)", "only"),
    rewriting(r"^permission is (?:hereby )?(?:given|granted) to", "you may"),
)  # fmt: skip
# What goes out is sent, and what goes live is published.
_GOING = (
    rewriting(rf"^(?P<no>no|not a|not a single) (?P<x>{_WORDS}) {_LASTING} out", "no {x} may be sent"),
    rewriting(rf"^(?P<no>no|not a|not a single) (?P<x>{_WORDS}) {_LASTING} live", "no {x} may be published"),
    rewriting(rf"^nothing {_LASTING} out", "nothing may be sent"),
    rewriting(rf"^nothing {_LASTING} live", "nothing may be published"),
    rewriting(rf"(?P<x>before {_WORDS}) (?:goes|go) out", "{x} is sent"),
    rewriting(rf"(?P<x>before {_WORDS}) (?:goes|go) live", "{x} is published"),
    rewriting(rf"(?P<a>{_LASTING}) out only", "may be sent only"),
    rewriting(rf"{_LASTING} out (?P<q>[^,;]+ only)$", "may be sent {q}"),
    rewriting(rf"{_LASTING} live (?P<q>[^,;]+ only)$", "may be published {q}"),
    rewriting(rf"(?P<a>{_LASTING}) live only", "may be published only"),
    rewriting(rf"(?P<x>{_MUST_NOT}) go out", "must not be sent"),
    rewriting(rf"(?P<x>{_MUST_NOT}) go live", "must not be published"),
    rewriting(r"(?:may|can) go out(?! to (?:eat|lunch))", "may be sent"),
    rewriting(r"(?:may|can) go live", "may be published"),
)
_AGREED = (
    rewriting(r"(?:is|are) (?P<v>[a-z]+) (?P<x>only (?:after|once|if|when) (?:i|we))", "may be {v} {x}"),
    rewriting(
        r"(?P<x>only (?:after|once|if|when) (?:i|we) have agreed) to (?:it|them|this|that|each|each "
        r"one|each of them)",
        "{x}",
    ),
    rewriting(
        r"(?P<x>(?:ask|consult) (?:me|us)) (?:whether|if) (?:that|this|it|they) (?:is|are) (?:in "
        r"order|ok|fine|all right|acceptable|permitted|allowed)",
        "{x}",
    ),
)  # fmt: skip
_ASKED_BEFORE = (
    rewriting(
        rf"^(?:if|when|whenever) (?P<x>[a-z]+ing [^,;]+?) (?P<c>costs? [^,;]+) , (?P<z>{idioms.ASK.pattern})$",
        "{z} before {x} if it {c}",
    ),
    rewriting(
        rf"^(?:if|when|whenever) (?P<x>{_WORDS}) (?:is|are) to be (?P<y>{_WORDS}) , "
        rf"(?P<z>{idioms.ASK.pattern})$",
        "before {x} is {y} , {z}",
    ),
    rewriting(
        rf"^should (?P<x>{_WORDS}) (?:need to |have to )?be (?P<y>[a-z]+(?: {_WORDS})?) , "
        rf"(?P<z>{idioms.ASK.pattern})$",
        "before {x} is {y} , {z}",
    ),
)  # fmt: skip
_ELSE = (
    rewriting(
        r"for (?P<x>(?:anything|everything|all) (?:above|over|beyond|more)(?: (?:than )?that| it| this)?) , "
        rf"(?:my|our) (?:[a-z]+ )?{idioms.APPROVAL} is (?:needed|required|necessary)(?: first)?$",
        "{x} needs my approval",
    ),
    rewriting(r"(?:is|are) to be (?P<v>[a-z]+ .+ (?:no other .+|nowhere else|nobody else))$", "may be {v}"),
    rewriting(
        rf"(?:;|,)(?: and| but)? outside (?:of )?(?:those|these|that) (?:hours|times|days|period) {_AGENT} "
        r"(?:stays silent|stays quiet|does nothing|must not|may not|is not allowed to|must not do so|may not do so|"
        r"is not to|does not|keeps silent)$",
        "and at no other time",
    ),
    rewriting(
        r"(?:itself )?(?:, )?(?:or|and) (?:to |in |into )?(?:a|any|all|every|its) (?:folders?|"
        r"sub-?folders?|directory|directories|"
        r"sub-?directory|sub-?directories) (?:below|in|within|inside|under|beneath|of) it",
        "",
    ),
    rewriting(
        r"(?P<joint>and|but|, and|, but) (?P<p>to|with|from|for) (?:nobody|no one|none|no-one) (?:outside|beyond)"
        r"(?: of)?(?: (?:it|that|them|this|that domain|the domain))?$",
        "{joint} {p} nobody else",
    ),
)
_WHATEVER = (
    rewriting(
        r", (?:whatever|whichever|regardless of|irrespective of|no matter (?:what|which)) (?:the )?[a-z-]+"
        r"(?: (?:it|they) (?:is|are|may be|come|comes|belongs|belong)(?: (?:in|on|from|for|to|about|under|at|of))?)?"
        r"(?P<end>$| (?=[,;]))",
        "",
    ),
)
_CONDITIONS = (
    rewriting(
        r"(?:, )?(?:but |and )?(?:(?:on (?:the )?condition|under the condition|providing|provided(?: only)?)(?: that)?|"
        r"(?:only )?(?:as|so) long as) (?P<x>it|they|their|its|the)",
        "only if {x}",
    ),
    rewriting(
        r"(?P<a>only if) (?P<x>it|they) (?:do|does|must|may|will) not "
        r"(?:exceed|cost more than|go over|go above|amount to more than|come to more than)",
        "only if it is up to",
    ),
    rewriting(
        r"(?:,|;|, but|but|; but|, and) (?P<x>it|they) (?:must|has to|have to|should|needs to|need to) (?:always )?be "
        r"(?P<v>(?:[a-z]+(?:ed|en) |put |sent )?)(?P<p>in|into|to|inside|under|below|within)(?= [~/\x00])",
        "only if it is {v} {p}",
    ),
)  # fmt: skip
_OFF_LIMITS = (
    rewriting(
        r"^(?:(?:whatever|what|everything that|anything that|all that) (?:is|lies)|everything|anything) "
        r"(?P<x>(?:in|on|under|below|inside) [^,;]+?) (?:is|are) (?:strictly )?(?:off limits|off-limits|out of bounds|"
        r"closed|forbidden|taboo) (?:, )?(?:for|to) (?P<v>[a-z]+ing(?:(?: ,)? (?:and|or) (?:for |to )?[a-z]+ing)*)$",
        "{v} anything {x} is forbidden",
    ),
)
_BY_AGENT = (
    rewriting(
        rf"^(?P<x>(?:.* )?{_AGENT} (?:may|can) [^;]+?) (?:by (?:itself|himself|herself)|of its own "
        r"accord|on its own authority)$",
        "{x}",
    ),
    rewriting(
        rf"^only (?P<x>{_WORDS}) may be (?P<v>[a-z]+)(?: ,)? and only (?P<q>(?:to|in|into|from|on|at|"
        r"with|between) [^,;]+)$",
        "only {x} may be {v} {q}",
    ),
    rewriting(
        rf"(?P<x>(?:may|can|could|{_MUST_NOT}|(?:is|are) (?:not|never) to)(?: only| always)? be [a-z-]+"
        r"(?:(?: ,)?(?: or| and|(?<= ,)) [a-z-]+){0,3}) "
        r"by (?:you|(?:the|this|my|our) (?:agent|assistant|bot|ai|model))(?= (?:in any|at all|to|in|"
        r"on|from|between|if|only|,)|$)",
        "{x}",
    ),
)  # fmt: skip
# "With fraudulent as the reason"
_VALUED = rewriting(
    rf"(?:with|giving|using) (?P<v>{QUOTED}|(?!it |them |this |that )[a-z_-]+) as (?:the|its) (?P<a>[a-z]+)",
    "with the {a} {v}",
)
_RULES = (
    _VALUED,
    *_BY_AGENT,
    *_neither(),
    *_INVERTED,
    *_GOING,
    *_AGREED,
    *_ASKED_BEFORE,
    *_ELSE,
    *_WHATEVER,
    *_CONDITIONS,
)
_PASSIVE = re.compile(
    rf"^(?P<x>(?:(?!{_MODAL} )[^,;\s]+ )+?)(?P<m>{_MUST_NOT}|may|can) be (?P<v>[a-z-]+(?:(?: ,)?(?: or|"
    rf" and|(?<=,)) [a-z-]+)*?)"
    r"(?P<r>(?: (?!(?:or|and) ).+)?)$"
)
_NO_SUBJECTS = word_set(
    "at only anything everything it they them this that these those one all every each if when in on before"
)
_STRANDED = re.compile(
    rf"^(?P<x>{_WORDS}) (?P<m>{_MUST_NOT}|may|can) be (?P<v>[a-z]+) (?P<p>to|in|into|from|on)"
    r"(?P<end>(?: (?:in any (?:form|way|case)|at all|ever|under any circumstances))?)$"
)


def in_plain_form(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the words of a sentence with forms of written English replaced by plain ones, each once."""
    tokens = _without_both(_joined_by_and(tokens))
    for one in _RULES:
        tokens = rewritten(tokens, one)
    tokens = _without_prepositions(tokens)
    for one in _OFF_LIMITS:
        tokens = rewritten(tokens, one)
    return _with_ending_preposition(tokens)


def _joined_by_and(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "X and Y" for "X as well as Y", and for "X along with Y" in a permission.

    Never to do one thing along with another is not never to do each of them.
    """
    tokens = rewritten(tokens, rewriting(r"(?P<x>\S+)(?: ,)? as well as", "{x} and"))
    if _NEGATIONS.isdisjoint(one.text for one in tokens):
        tokens = rewritten(
            tokens, rewriting(r"(?P<x>\S+)(?: ,)? (?:along|together) with (?=(?:the|its|their|all|any) )", "{x} and")
        )
    return tokens


def _without_both(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the words without the "both" of "both X and Y" and the "either" of "either X or Y".

    After a negation, "both" says that only one of them is no matter.
    """
    texts = [one.text for one in tokens]
    for at, text in enumerate(texts[:-1]):
        stop = next((end for end in range(at, len(texts)) if texts[end] in {";", "but"}), len(texts))
        rest = texts[at + 1 : stop]
        if text == "both" and "and" in rest and _NEGATIONS.isdisjoint(texts[:at]) and _are_alike(rest):
            return (*tokens[:at], *tokens[at + 1 :])
        if text == "either" and "or" in rest and rest[0] not in {"of", "way"} and (at == 0 or texts[at - 1] != "not"):
            return (*tokens[:at], *tokens[at + 1 :])
    return tokens


def _are_alike(rest: list[str]) -> bool:
    """Return whether "both" is not about two things that were named before: "read both files and write to them"."""
    verb = rest[rest.index("and") + 1] if rest[-1] != "and" else ""
    return rest[0] != "of" and (rest[0] in lexicon.VERBS or verb not in lexicon.VERBS)


def _without_prepositions(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "to Pictures or Music" for "to Pictures or to Music": a preposition that is said again is left out."""
    last = ""
    found: list[Token] = []
    for at, one in enumerate(tokens):
        before = tokens[at - 1].text if at else ""
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        again = (
            one.text in _PREPOSITIONS and one.text == last and before in {"or", "and", ","} and following is not None
        )
        if again and following is not None and following.text not in _OTHERS and not _is_time(following):
            continue
        if one.text in _PREPOSITIONS or one.text in {"but", ";", "be"}:
            last = one.text
        found.append(one)
    return tuple(found)


def _is_time(one: Token) -> bool:
    return one.text[:1].isdigit() or one.text in _BEGIN_TIMES


def in_active_form(tokens: tuple[Token, ...], verbs: Collection[str]) -> tuple[Token, ...] | None:
    """Return "you may drop tables whose names begin with tmp_" for the same in the passive. None if it is none."""
    found = _PASSIVE.fullmatch(text_of(tokens))
    if found is None or found["x"].split()[0] in _NEGATIONS | _NO_SUBJECTS:
        return None
    made: list[str] = []
    for word in found["v"].split():
        known = [one for one in dict.fromkeys(bases_of(word, form="ed")) if one in lexicon.VERBS or one in verbs]
        if word not in {",", "or", "and"} and len(known) != 1:
            return None
        made += [word] if word in {",", "or", "and"} else known
    opening = "you may" if found["m"] in {"may", "can"} else "never"
    return replaced(tokens, found, "{opening} {v} {x} {r}", {"opening": opening, "v": " ".join(made)})


def _with_ending_preposition(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return "never write to X" for "X must not be written to"."""
    found = _STRANDED.fullmatch(text_of(tokens))
    bases = [one for one in bases_of(found["v"], form="ed") if one in lexicon.VERBS] if found else []
    if found is None or not bases or found["x"].split()[0] in _NEGATIONS | {"only", "anything", "everything"}:
        return tokens
    if found["v"] == "written" and "database" in found["x"]:
        return replaced(tokens, found, "{x} {m} be changed {end}")
    opening = "you may" if found["m"] in {"may", "can"} else "never"
    return replaced(tokens, found, "{opening} {v} {p} {x} {end}", {"opening": opening, "v": bases[0]})
