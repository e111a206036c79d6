"""The frames of ordinary sentences: what permits, what forbids, what asks first. All readings are returned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english import lexicon, rates
from retouch.recipes.policy.english.acts import ANYTHING, Act, Qualifier, count_of
from retouch.recipes.policy.english.phrases import Phrases, target_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.acts import Thing
    from retouch.recipes.policy.english.phrases import Form
    from retouch.recipes.policy.english.tokens import Token

Stance: TypeAlias = Literal["permit", "forbid", "ask"]
_WHO = ("you", "the agent", "the assistant", "the bot", "the ai", "the model", "agents", "this agent", "the system")
_MAY = (
    "may", "can", "could", "may always", "can always", "may also", "can also", "may freely", "can freely",
    "are allowed to", "is allowed to", "are permitted to", "is permitted to", "are free to", "is free to",
    "are welcome to", "have permission to", "has permission to", "are authorized to", "is authorized to",
    "are always allowed to", "is always allowed to", "are also allowed to",
)  # fmt: skip
_MUST_NOT = (
    "must not", "must never", "may not", "may never", "can not", "can never", "should not", "should never",
    "shall not", "shall never", "will not", "will never", "are not allowed to", "is not allowed to",
    "are not permitted to", "is not permitted to", "are never allowed to", "is never allowed to",
    "are forbidden to", "is forbidden to", "are prohibited from", "is prohibited from", "are not authorized to",
    "is not authorized to", "must not ever", "are forbidden from", "is forbidden from",
)  # fmt: skip
_PERMIT_OPENINGS = (
    "feel free to", "it is fine to", "it is ok to", "it is always ok to", "it is always fine to", "it is allowed to",
    "go ahead and", "allow the agent to", "let the agent", "it is fine if you", "it is ok if you",
    "it is ok for you to", "it is fine for you to",
)  # fmt: skip
_FORBID_OPENINGS = (
    "never", "never ever", "do not", "do not ever", "please do not", "please never", "it is forbidden to",
    "it is prohibited to", "it is not allowed to", "it is not ok to", "it is never ok to",
    "under no circumstances may you", "under no circumstances should you", "under no circumstances must you",
    "you do not have permission to", "not", "under no circumstances",
    "refrain from",
)  # fmt: skip
_FINE = (
    "fine", "ok", "allowed", "permitted", "no problem", "always fine", "always ok", "always allowed", "also fine",
    "also ok", "also allowed", "perfectly fine",
)  # fmt: skip
_BAD = (
    "forbidden", "prohibited", "not allowed", "not permitted", "not ok", "never allowed", "never ok", "off limits",
    "off-limits", "not fine", "banned", "strictly forbidden", "strictly prohibited", "never permitted", "not an option",
)  # fmt: skip
_ASKERS = (
    "ask", "ask me", "ask us", "ask the user", "ask first", "ask me first", "ask for permission", "ask for approval",
    "ask for confirmation", "ask for my approval", "ask for my permission", "ask for my confirmation",
    "ask me for permission", "ask me for approval", "ask me for confirmation", "check with me", "check with the user",
    "confirm with me", "confirm with the user", "confirm", "get my permission", "get my approval", "get my ok",
    "get my confirmation", "get permission", "get approval", "get confirmation", "request approval",
    "request permission", "request confirmation", "request my approval", "escalate", "escalate to a human",
    "escalate to me", "wait for my approval", "wait for my ok", "consult me", "ask a human", "obtain approval",
    "obtain my approval", "ask a supervisor", "ask a manager", "ask your supervisor", "ask the owner",
)  # fmt: skip
_ASK_PREFIXES = (
    "", "always", "please", "please always", "you must", "you must always", "you should", "you should always",
    "you have to", "you need to", "make sure to", "the agent must", "the agent should", "the agent has to",
)  # fmt: skip
_ADJECTIVES = (
    "",
    "my",
    "my explicit",
    "a human's",
    "human",
    "the user's",
    "user",
    "explicit",
    "manual",
    "prior",
    "your",
)
_APPROVALS = ("approval", "confirmation", "permission", "ok", "consent", "sign-off", "authorization")
_CONSENT = tuple(f"{one} {two}".strip() for one in _ADJECTIVES if one != "your" for two in _APPROVALS)
_WITHOUT = (
    "without asking", "without asking me", "without asking first", "without asking me first",
    "without checking with me", "without checking with me first", "without confirming with me",
    *(f"without {one}" for one in _CONSENT),
)  # fmt: skip
_I_AGREE = (
    "i agree", "i approve", "i confirm", "i say so", "i allow it", "i approve it", "i confirm it", "i agree to it",
    "i approved", "i confirmed", "i approved it", "i confirmed it", "i have approved", "i have confirmed",
    "i have approved it", "i have confirmed it", "i have agreed", "i tell you to", "i agreed", "i said so",
)  # fmt: skip
_UNLESS = (
    *(f"unless {one}" for one in _I_AGREE), "unless you ask me first", "unless you asked me", "until i agree",
    "until i confirm", "until i approve", "until i confirm it", "until i approve it",
)  # fmt: skip
_ONLY_IF = (
    *(f"only {word} {one}" for word in ("after", "if", "when", "once") for one in _I_AGREE),
    *(f"only with {one}" for one in _CONSENT), "only after asking", "only after asking me",
    "only after asking me first",
    *(f"only after {one}" for one in _CONSENT),
)  # fmt: skip
_NEEDS = (
    *(f"{verb} {one}" for verb in ("need", "needs", "require", "requires") for one in _CONSENT),
    *(f"{verb} be {done}{by}" for verb in ("must", "should", "has to", "have to", "needs to", "need to")
      for done in ("confirmed", "approved") for by in ("", " by me", " by a human", " by the user", " first")),
)  # fmt: skip
_FREELY = (
    "at any time", "any time", "whenever you like", "whenever you want", "whenever you need", "whenever you need to",
    "without asking", "without asking me", "freely", "as you like", "without approval", "without confirmation", "too",
    "as well", "without further confirmation", "without asking first", "without asking me first", "if you like",
)  # fmt: skip
_EVER = ("at all", "under any circumstances", "ever", "for any reason")
_CONTRASTS = (", but", "but", "; but", ";", ", however")
_JOINTS = (", but", "but", "; but", ";", ", and", "and", ",", ", while", ", however", ", or")


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What one part of a sentence permits, forbids or asks about. `only`: nothing else of the kind is permitted."""

    stance: Stance
    acts: tuple[Act, ...]
    only: bool = False


class Frames:
    """All readings of one sentence.

    `led`: a heading or a line that ends in a colon comes before. It may say "Never:", so that "Delete files" below it
    is no permission.
    """

    def __init__(
        self,
        tokens: tuple[Token, ...],
        *,
        verbs: frozenset[str],
        servers: frozenset[str],
        nouns: frozenset[str] = frozenset(),
        led: bool = False,
    ) -> None:
        self.words = Phrases(tokens, verbs=verbs, servers=servers, nouns=nouns)
        self.tokens = tokens
        self.led = led

    def readings(self) -> Iterator[tuple[Statement, ...]]:
        """Yield every reading of the whole sentence."""
        yield from self._whole(self.words)
        places = [at for at, one in enumerate(self.tokens) if one.text == "only"]
        if len(places) == 1 and self._limits(places[0]):
            rest = self.tokens[: places[0]] + self.tokens[places[0] + 1 :]
            words = Phrases(rest, verbs=self.words.verbs, servers=self.words.servers, nouns=self.words.nouns)
            for statements in self._whole(words):
                if len(statements) == 1 and statements[0].stance == "permit":
                    yield (replace(statements[0], only=True),)

    def _limits(self, at: int) -> bool:
        """Return whether "only" at this position limits a place or recipient that follows, or one just before it."""
        following = {"in", "inside", "into", "within", "under", "to", "from", "at", "on", "with"}
        last = at == len(self.tokens) - 1
        return (
            last or at == 0 or self.words.word(at + 1) in following or self.words.word(at - 1) in {"may", "can", "you"}
        )

    def _whole(self, words: Phrases) -> Iterator[tuple[Statement, ...]]:
        if words.size == 0:
            return
        for found, end in self._joined(words, 0, None):
            if end == words.size:
                yield found

    def _joined(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[tuple[Statement, ...], int]]:
        for one, then in self._part(words, at, before):
            yield (one,), then
            for more in words.after(
                then, ", but nowhere else", "but nowhere else", ", nowhere else", "and nowhere else"
            ):
                if one.stance == "permit":
                    yield (replace(one, only=True),), more
            joints = _JOINTS if _is_complete(one) else _CONTRASTS
            for more in words.after(then, *joints):
                antecedent = words.antecedent
                words.antecedent = target_of(one.acts[-1]) or antecedent
                following = list(self._joined(words, more, one))
                words.antecedent = antecedent
                for rest, end in following:
                    yield (one, *rest), end

    def _part(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        yield from self._permits(words, at, before)
        yield from self._forbids(words, at)
        yield from self._asks(words, at)
        yield from self._about_doing(words, at, before)
        yield from self._about_things(words, at, before)
        yield from self._limited(words, at)
        if before is not None:
            yield from self._continued(words, at, before)

    # Permissions

    def _permits(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        starts = [end for who in words.after(at, *_WHO) for end in words.after(who, *_MAY)]
        starts += words.after(at, *_MAY)
        starts += [*words.after(at, *_PERMIT_OPENINGS), *words.after(at, "please")]
        imperative = not self.led if before is None else before.stance == "permit"
        for start in (*starts, *([at] if imperative and self._is_imperative(words, at) else [])):
            for acts, then in words.acts(start, "base"):
                if start == at and before is None and not all(one.things or one.qualifiers for one in acts):
                    continue  # one word, as in a list, is no sentence
                for end in words.optional(then, *_FREELY):
                    yield Statement(stance="permit", acts=acts), end
                for end in words.after(then, *_ONLY_IF):
                    yield Statement(stance="ask", acts=acts), end
        for start in (*words.after(at, "allow", "permit"),):
            for acts, end in words.acts(start, "ing"):
                yield Statement(stance="permit", acts=acts), end

    def _is_imperative(self, words: Phrases, at: int) -> bool:
        return next(words.verb(at, "base"), None) is not None or words.word(at) in {"use", "work", "do"}

    # Prohibitions

    def _forbids(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        starts = [end for who in words.after(at, *_WHO) for end in words.after(who, *_MUST_NOT)]
        starts += words.after(at, *_MUST_NOT, *_FORBID_OPENINGS)
        for start in dict.fromkeys(starts):
            for form in ("base", "ing"):
                for acts, then in self._touching_or_acts(words, start, form):
                    for end in words.optional(then, *_EVER):
                        yield Statement(stance="forbid", acts=acts), end
                    for end in words.after(then, *_WITHOUT, *_UNLESS):
                        yield Statement(stance="ask", acts=acts), end
        for start in words.after(at, "no", "forbid", "do not even think about"):
            for acts, end in words.acts(start, "ing"):
                yield Statement(stance="forbid", acts=acts), end
        for start in words.after(at, "stay away from", "stay out of", "keep out of", "hands off", "keep away from"):
            yield from ((Statement(stance="forbid", acts=(act,)), end) for act, end in self._target(words, start))

    def _touching_or_acts(self, words: Phrases, at: int, form: Form) -> Iterator[tuple[tuple[Act, ...], int]]:
        yield from words.acts(at, form)
        verbs = {"base": ("touch", "access", "go near"), "ing": ("touching", "accessing"), "ed": ()}[form]
        for then in words.after(at, *verbs):
            for start in words.optional(then, "anything in", "anything inside", "anything under", "any file in"):
                yield from (((act,), end) for act, end in self._target(words, start))

    def _target(self, words: Phrases, at: int) -> Iterator[tuple[Act, int]]:
        """Yield a directory or host that must not be touched."""
        for names, end in words.folders(at):
            place = Qualifier(kind="inside", word="in", names=names)
            yield Act(verbs=("touch",), things=(ANYTHING,), qualifiers=(place,)), end
        for names, end in words.sites(at):
            site = Qualifier(kind="sites", word="from", names=names)
            yield Act(verbs=("touch",), things=(ANYTHING,), qualifiers=(site,)), end

    def _limited(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        """Yield "at most 3 refunds per day" and "limit refunds to 3 per day": more than that is forbidden."""
        for bound, number, start in rates.quantities(words, at) if at == 0 else ():
            for things, middle in _actions(words, start) if bound == "at_most" else ():
                for qualifiers, then in words.qualifiers(middle):
                    act = Act(verbs=(), things=things, qualifiers=(*qualifiers, count_of("above", number)))
                    for end in words.optional(then, "are allowed", "are fine", "are ok", "are permitted"):
                        yield Statement(stance="forbid", acts=(act,)), end
        for start, joint in (*((one, "to") for one in words.after(at, "limit")), (at, "are limited to")):
            for things, then in _actions(words, start):
                for more in words.after(then, joint):
                    yield from self._limited_to(words, more, things)

    def _limited_to(self, words: Phrases, at: int, things: tuple[Thing, ...]) -> Iterator[tuple[Statement, int]]:
        number = rates.number_of(words.word(at))
        for period, end in rates.periods(words, at + 1) if number is not None else ():
            limit = (count_of("above", number or 0), Qualifier(kind="per", word=period))
            yield Statement(stance="forbid", acts=(Act(verbs=(), things=things, qualifiers=limit),)), end

    # Questions

    def _asks(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        openings = tuple(f"{one} {two}".strip() for one in _ASK_PREFIXES for two in _ASKERS)
        for asked in words.after(at, *openings):
            for start in words.after(asked, "before", "before you", "if you want to"):
                for acts, end in self._both_forms(words, start):
                    yield Statement(stance="ask", acts=acts), end
        for start in words.after(at, "before", "before you"):
            for acts, then in self._both_forms(words, start):
                for asked in words.after(then, ","):
                    yield from ((Statement(stance="ask", acts=acts), end) for end in words.after(asked, *openings))

    def _both_forms(self, words: Phrases, at: int) -> Iterator[tuple[tuple[Act, ...], int]]:
        form: Form = "base" if words.word(at - 1) in {"you", "to"} else "ing"
        yield from words.acts(at, form)

    # Sentences about an action: "pushing is fine", "pushing needs approval"

    def _about_doing(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        for acts, then in words.acts(at, "ing"):
            yield from self._judged(words, then, acts, before)

    def _judged(
        self, words: Phrases, at: int, acts: tuple[Act, ...], before: Statement | None
    ) -> Iterator[tuple[Statement, int]]:
        for verb in words.after(at, "is", "are"):
            for then in words.after(verb, *_FINE):
                for end in words.optional(then, *_FREELY):
                    yield Statement(stance="permit", acts=acts), end
                yield from self._fine_where(words, then, acts)
            yield from ((Statement(stance="forbid", acts=acts), end) for end in words.after(verb, *_BAD))
            if before is not None and before.stance == "permit":
                yield from ((Statement(stance="forbid", acts=acts), end) for end in words.after(verb, "not"))
        yield from ((Statement(stance="ask", acts=acts), end) for end in words.after(at, *_NEEDS))

    def _fine_where(self, words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
        """Yield "is fine everywhere except in ~/.ssh": the place follows the verdict."""
        for qualifiers, then in words.qualifiers(at):
            if qualifiers and len(acts) == 1 and not acts[0].qualifiers:
                for act, end in words.with_exceptions(replace(acts[0], qualifiers=qualifiers), then):
                    yield Statement(stance="permit", acts=(act,)), end

    # Sentences about things: "files may be read", "refunds need approval"

    def _about_things(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        none = [(True, end) for end in words.after(at, "no")]
        for negated, start in (*none, (False, at)):
            for things, middle in words.things(start):
                nothing = negated or words.word(start) == "nothing"
                if negated and words.word(start) == "nothing":
                    continue
                for qualifiers, then in words.qualifiers(middle):
                    plain = Act(verbs=(), things=things, qualifiers=qualifiers)
                    if not nothing and ANYTHING not in things:
                        yield from self._judged(words, then, (plain,), before)
                    yield from self._passive(words, then, plain, nothing=nothing)
        for start in words.after(at, "any use of", "use of", "every use of", "all use of"):
            for things, middle in words.things(start):
                yield from self._judged(words, middle, (Act(verbs=("use",), things=things),), before)

    def _passive(self, words: Phrases, at: int, plain: Act, *, nothing: bool) -> Iterator[tuple[Statement, int]]:
        may = ("may be", "can be", "may always be", "can always be", "may only be", "can only be")
        must_not = ("must not be", "must never be", "may not be", "may never be", "can not be", "should not be")
        must_not = (*must_not, "should never be", "shall not be", "can never be", "are never to be", "are not to be")
        allowed = words.after(at, *may, *(("must be", "should be") if nothing else ()))
        starts = [(then, nothing) for then in allowed]
        starts += [(then, True) for then in words.after(at, *must_not) if not nothing]
        for start, forbidden in starts:
            once_only = words.word(start - 2) == "only"
            if once_only and forbidden:
                continue
            for verbs, middle in words.verb_list(start, "ed"):
                for qualifiers, then in words.qualifiers(middle):
                    whole = replace(plain, verbs=verbs, qualifiers=(*plain.qualifiers, *qualifiers))
                    for act, end in words.with_exceptions(whole, then):
                        yield from self._passive_statement(words, end, act, forbidden=forbidden, only=once_only)

    def _passive_statement(
        self, words: Phrases, at: int, act: Act, *, forbidden: bool, only: bool
    ) -> Iterator[tuple[Statement, int]]:
        acts = (act,)
        if forbidden:
            yield Statement(stance="forbid", acts=acts), at
            yield from ((Statement(stance="ask", acts=acts), end) for end in words.after(at, *_WITHOUT, *_UNLESS))
            return
        agreed = tuple(one.removeprefix("only ") for one in _ONLY_IF) if only else _ONLY_IF
        yield from ((Statement(stance="ask", acts=acts), end) for end in words.after(at, *agreed))
        for end in words.optional(at, *_FREELY):
            yield Statement(stance="permit", acts=acts, only=only), end

    # Parts that continue the one before: "but not sent", "everything above needs approval", "but ask in production"

    def _continued(self, words: Phrases, at: int, before: Statement) -> Iterator[tuple[Statement, int]]:
        act = before.acts[-1]
        if before.stance != "permit" or act.exceptions:
            return
        for start in words.after(at, "not", "never"):
            for verbs, middle in words.verb_list(start, "ed"):
                for qualifiers, end in words.qualifiers(middle):
                    yield Statement(stance="forbid", acts=(replace(act, verbs=verbs, qualifiers=qualifiers),)), end
        for start in words.after(at, "ask", "ask me", "ask first", "ask me first", "always ask"):
            for qualifiers, end in words.qualifiers(start):
                if qualifiers:
                    yield Statement(stance="ask", acts=(replace(act, qualifiers=qualifiers),)), end
        amounts = [one for one in act.qualifiers if one.kind == "amount"]
        for start in words.after(
            at, "everything above", "anything above", "everything over", "anything over", "above that"
        ):
            rest = _complement(amounts[0]) if len(amounts) == 1 else None
            if rest is not None:
                others = tuple(one for one in act.qualifiers if one.kind != "amount")
                over = replace(act, qualifiers=(*others, rest))
                yield from self._judged(words, start, (over,), None)


def _actions(words: Phrases, at: int) -> Iterator[tuple[tuple[Thing, ...], int]]:
    """Yield objects that name actions, such as "refunds"."""
    for things, end in words.things(at):
        if all(thing.nouns and thing.nouns[-1] in lexicon.NOMINAL for thing in things):
            yield things, end


def _is_complete(statement: Statement) -> bool:
    """Return whether the last action has an object of its own. In "edit and create files", `edit` has not."""
    last = statement.acts[-1]
    return bool(last.things or last.qualifiers)


def _complement(amount: Qualifier) -> Qualifier | None:
    if amount.below is not None:
        return Qualifier(kind="amount", at_least=amount.below)
    return Qualifier(kind="amount", above=amount.at_most) if amount.at_most is not None else None
