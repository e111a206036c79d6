"""The frames of ordinary sentences: what permits, what forbids, what asks first. All readings are returned."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.frames import (
    continuing,
    demands,
    duties,
    others,
    properties,
    small_frames,
    touching,
)
from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.words import idioms, lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement, with_listed_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.phrases import Form
    from retouch.recipes.policy.english.words.naming import KnownWords
    from retouch.recipes.policy.english.words.tokens import Token

_CONTRASTS = (", but", "but", "; but", ";", ", however", ", just", "but just")
_JOINTS = (
    ", but",
    "but",
    "; but",
    ";",
    ", and",
    "and",
    ",",
    ", while",
    ", just",
    "but just",
    ", but please",
    "but please",
    "while",
    ", however",
    ", or",
    "; and",
    "; however ,",
)
_CARRIED_OUT = ("saved", "stored", "written", "made", "done", "performed", "carried out", "started", "put")
_ARE_DONE = ("must be", "should be", "is", "are", "gets", "get", "will be", "shall be", "is to be", "are to be")
_VERDICTS = frozenset({"is", "are", "needs", "need", "requires", "require"})


class Frames:
    """All readings of one sentence.

    `led`: a heading or a line that ends in a colon comes before. It may say "Never:", so that "Delete files" below it
    is no permission.
    """

    def __init__(
        self,
        tokens: tuple[Token, ...],
        *,
        known: KnownWords,
        led: bool = False,
    ) -> None:
        self.phrases = partial(Phrases, known=known)
        self.words = self.phrases(tokens)
        self.tokens = tokens
        self.led = led

    def readings(self) -> Iterator[tuple[Statement, ...]]:
        """Yield every reading of the whole sentence."""
        yield from self._whole(self.words)
        places = [at for at, one in enumerate(self.tokens) if one.text == "only"]
        if len(places) == 1 and self._limits(places[0]):
            rest = self.tokens[: places[0]] + self.tokens[places[0] + 1 :]
            for statements in self._whole(self.phrases(rest)):
                if len(statements) == 1 and statements[0].stance == "permit":
                    yield (self._limited(statements[0]),)

    def _limited(self, statement: Statement) -> Statement:
        """Return a permission with "only". A listed word, as in "double rooms", is the limit if nothing else is."""
        (act, *more) = statement.acts
        listed = act if more else with_listed_word(act, self.words.values)
        limits = tuple(one if one.kind == "about" else replace(one, only=True) for one in act.qualifiers)
        if listed == act or limits == act.qualifiers:
            return replace(statement, acts=(listed, *more), only=True)
        return replace(statement, acts=(replace(listed, qualifiers=(listed.qualifiers[0], *limits)),))

    def _limits(self, at: int) -> bool:
        """Return whether "only" at this position limits a place or recipient that follows, or one just before it."""
        following = {"in", "inside", "into", "within", "under", "to", "from", "at", "on", "with", "between"}
        last = at == len(self.tokens) - 1
        files = self.words.word(at + 1) in {"file", "files", "folders", "documents", "anything", "things", "rows"}
        command = at == 1 and files and next(self.words.verb(0, "base"), None) is not None  # "delete only files in"
        near = self.words.word(at + 1) in following or self.words.word(at - 1) in {"may", "can", "you"}
        return last or at == 0 or near or command

    def _whole(self, words: Phrases) -> Iterator[tuple[Statement, ...]]:
        if words.size == 0:
            return
        for found, end in self._joined(words, 0, None):
            if end == words.size:
                yield found

    def _joined(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[tuple[Statement, ...], int]]:
        for one, then in self._part(words, at, before):
            yield (one,), then
            for more in words.matches(then, idioms.NOWHERE_ELSE):
                if one.stance == "permit" and others.has_one_limit(one):
                    yield (replace(one, only=True),), more
            yield from others.limited_by_rest(words, then, one)
            yield from (((limited,), end) for limited, end in continuing.but_only(words, then, one))
            judged = any(words.word(place) in _VERDICTS for place in range(at, then))  # "archiving is fine"
            joints = _JOINTS if judged or _is_complete(one) else _CONTRASTS
            for more in words.after(then, *joints):
                antecedent = words.antecedent
                words.antecedent = others.object_of(one, antecedent)
                following = list(self._joined(words, more, one))
                if words.word(more + 1) in {
                    "ones",
                    "one",
                }:  # "deleting small servers is fine; large ones need approval"
                    following = [((_done_alike(one, rest[0]), *rest[1:]), end) for rest, end in following]
                words.antecedent = antecedent
                for rest, end in following:
                    yield (one, *rest), end

    def _part(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        yield from self._permits(words, at, before)
        yield from self._forbids(words, at)
        yield from self._asks(words, at)
        yield from self._about_doing(words, at, before)
        yield from self._about_things(words, at, before)
        yield from small_frames.limited(words, at)
        yield from self._of_others(words, at)
        yield from self._about_places(words, at)
        yield from duties.statements(words, at)
        yield from demands.statements(words, at)
        yield from properties.statements(words, at)
        for act, then in duties.subjects(words, at):
            yield from self.judged(words, then, (act,), before)
        for act, then in small_frames.messages(words, at):
            yield from self.judged(words, then, (act,), None)
        yield from small_frames.having_access(words, at)
        for start in words.after(at, "only") if before is not None else ():
            for one, end in self._permits(words, start, before):
                if one.stance == "permit" and not one.only:
                    yield replace(one, only=True), end
        if before is None:
            yield from small_frames.only_if_agreed(words, at)
            yield from self._fronted(words, at)
        else:
            yield from continuing.continued(words, at, before, judged=self.judged)
            yield from continuing.continued_passive(words, at, before)
            yield from others.asked_about_rest(words, at, before)
            yield from small_frames.but_not_to(words, at, before)

    # Permissions

    def _permits(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        starts = [end for who in (*words.matches(at, idioms.WHO), at) for end in words.matches(who, idioms.MAY)]
        for start in starts if before is not None else ():
            for more in words.after(start, "only"):
                yield from (
                    (Statement(stance="permit", acts=one, only=True), end) for one, end in words.acts(more, "base")
                )
        starts += [*words.matches(at, idioms.PERMIT_OPENINGS), *words.after(at, "please")]
        imperative = not self.led if before is None else before.stance == "permit"
        for start in (*starts, *([at] if imperative and self._is_imperative(words, at) else [])):
            for acts, then in words.acts(start, "base"):
                alone = start == at and before is None and not all(one.things or one.qualifiers for one in acts)
                if not alone:  # one word, as in a list, is no sentence
                    yield from self._permitted(words, then, acts)
        for start in (*words.after(at, "allow", "permit"), *words.matches(at, idioms.PERMIT_OPENINGS)):
            for acts, end in words.acts(start, "ing"):
                yield Statement(stance="permit", acts=acts), end

    def _permitted(self, words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
        """Yield a permission with what may follow it: "whenever you like", "but ask me first", "only if I agree"."""
        for end in (at, *words.matches(at, idioms.FREELY)):
            yield Statement(stance="permit", acts=acts), end
            yield from small_frames.but_ask(words, end, acts)
        for start in words.after(at, ",") if len(acts) == 1 and not acts[0].exceptions else ():
            for limit, end in words.limits(start):  # "max 5 at once"
                limited = replace(acts[0], qualifiers=(*acts[0].qualifiers, *limit))
                yield Statement(stance="permit", acts=(limited,)), end
        for start in (at, *words.after(at, ",", "but", ", but")):
            for end in words.matches(start, idioms.ONLY_IF):
                yield Statement(stance="ask", acts=acts), end

    def _fronted(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        """Yield "in ~/work, you may write files" and "if the namespace is production, ask before you delete pods"."""
        for front, middle in words.qualifiers(at):
            plain = front and not any(one.kind in {"about", "count", "per"} for one in front)
            starts = [*words.after(middle, ",", ", then")]
            starts += [middle] if any(words.matches(middle, idioms.WHO)) else []
            for start in starts if plain else ():
                for one, end in self._part(words, start, None):
                    limited = duties.with_front(front, (one,))
                    if limited is not None and end == words.size:
                        yield limited[0], end

    def _is_imperative(self, words: Phrases, at: int) -> bool:
        return next(words.verb(at, "base"), None) is not None or words.word(at) in {"use", "work", "do"}

    # Prohibitions

    def _forbids(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        starts = [end for who in (*words.matches(at, idioms.WHO), at) for end in words.matches(who, idioms.MUST_NOT)]
        starts += words.matches(at, idioms.FORBID_OPENINGS)
        for start in dict.fromkeys(starts):
            for form in ("base", "ing"):
                for acts, then in touching.touching_or_acts(words, start, form):
                    yield from self._forbidden(words, then, acts)
        for start in words.matches(at, idioms.NO_ACTION):
            for acts, then in words.acts(start, "ing"):
                yield from self._forbidden(words, then, acts)
        yield from self._by_nobody(words, at)
        yield from self._no_such_thing(words, at)
        yield from touching.kept_out(words, at)

    def _by_nobody(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        """Yield "nobody deletes pods" and "exec into pods: no"."""
        for start in words.matches(at, idioms.NOBODY):
            for form in ("base", "s"):
                for acts, then in words.acts(start, form):
                    yield from self._forbidden(words, then, acts)
        for acts, then in words.acts(at, "base") if at == 0 else ():
            yield from self._refused(words, then, acts)

    def _refused(self, words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
        """Yield the answer of "deleting events? never"."""
        for answered in words.after(at, ","):
            ends = words.after(answered, "never", "no", "no way", "forbidden", "off limits")
            yield from ((Statement(stance="forbid", acts=acts), end) for end in ends if end == words.size)

    def _forbidden(self, words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
        for end in touching.ever(words, at):
            yield Statement(stance="forbid", acts=acts), end
        for end in touching.unless_agreed(words, at):
            yield Statement(stance="ask", acts=acts), end
        yield from demands.never_without(words, at, acts)

    def _no_such_thing(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        """Yield "no refunds over 50" and "no emails to bob@acme.example without my approval"."""
        for start in words.matches(at, idioms.NO_ACTION):
            for things, middle in words.things(start):
                nouns = {thing.nouns[-1] for thing in things if thing.nouns}
                made = not nouns <= {"email", *lexicon.NOMINAL}  # "no invoices over 500 euros": none is made
                for qualifiers, then in words.qualifiers(middle) if nouns and ANYTHING not in things else ():
                    verbs = ("send",) if nouns == {"email"} else () if made else ("make",)
                    act = Act(verbs=verbs, things=things, qualifiers=qualifiers, made=made)
                    if made and not qualifiers:
                        continue
                    for end in words.optional(then, "at all", "please"):
                        yield Statement(stance="forbid", acts=(act,)), end
                    for end in touching.unless_agreed(words, then):
                        yield Statement(stance="ask", acts=(act,)), end

    def _of_others(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        """Yield "only I may delete events" and "leave pushing to me": the agent must not."""
        for start in words.matches(at, idioms.ONLY_PEOPLE):
            for acts, end in words.acts(start, "base"):
                yield Statement(stance="forbid", acts=acts), end
        for opened in words.matches(at, idioms.LEAVE):
            starts = words.optional(opened, "everything in", "anything in", "files in", "the files in", "all files in")
            for act, then in (pair for start in starts for pair in touching.left_alone(words, start)):
                yield from ((Statement(stance="forbid", acts=(act,)), end) for end in words.matches(then, idioms.ALONE))
        for start in words.matches(at, idioms.LEAVE):
            for acts, then in words.acts(start, "ing"):
                yield from ((Statement(stance="forbid", acts=acts), end) for end in words.matches(then, idioms.TO_ME))

    # Questions

    def _asks(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        for asked in words.matches(at, idioms.ASK):
            for start in words.matches(asked, idioms.BEFORE):
                for acts, end in self._both_forms(words, start):
                    yield Statement(stance="ask", acts=acts), end
        for act, then in (*small_frames.for_things(words, at), *small_frames.if_things_are(words, at)):
            for asked in words.after(then, ","):
                yield from ((Statement(stance="ask", acts=(act,)), end) for end in words.matches(asked, idioms.ASK))
            for start in words.optional(then, ","):
                yield from ((Statement(stance="ask", acts=(act,)), end) for end in words.matches(start, idioms.NEEDED))
        for start in words.matches(at, idioms.BEFORE):
            for acts, then in self._both_forms(words, start):
                for asked in words.after(then, ","):
                    yield from ((Statement(stance="ask", acts=acts), end) for end in words.matches(asked, idioms.ASK))

    def _both_forms(self, words: Phrases, at: int) -> Iterator[tuple[tuple[Act, ...], int]]:
        wanted = words.word(at - 1) == "to" and words.word(at - 2) == "want"
        form: Form = "base" if wanted or words.word(at - 1) == "you" else "ing"
        yield from words.acts(at, form)

    # Sentences about an action: "pushing is fine", "pushing needs approval"

    def _about_doing(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        for acts, then in words.acts(at, "ing"):
            yield from self.judged(words, then, acts, before)
            for answered in words.after(then, ","):  # "deleting events? ask me"
                yield from ((Statement(stance="ask", acts=acts), end) for end in words.matches(answered, idioms.ASK))
            yield from self._refused(words, then, acts)
        for start in words.after(at, "everything", "anything"):
            for qualifiers, then in words.qualifiers(start):
                whole = Act(verbs=("use",), things=(ANYTHING,), qualifiers=qualifiers)
                for act, end in words.with_exceptions(whole, then):
                    if act.exceptions:
                        yield from self.judged(words, end, (act,), None)

    def judged(
        self, words: Phrases, at: int, acts: tuple[Act, ...], before: Statement | None
    ) -> Iterator[tuple[Statement, int]]:
        """Yield what the words at a position say of acts: "is fine", "needs my approval"."""
        for verb in words.after(at, "is", "are"):
            for then in words.matches(verb, idioms.FINE):
                for end in (then, *words.matches(then, idioms.FREELY)):
                    yield Statement(stance="permit", acts=acts), end
                yield from self._fine_where(words, then, acts)
                for end in words.matches(then, idioms.ONLY_IF):
                    yield Statement(stance="ask", acts=acts), end
            for then in words.matches(verb, idioms.BAD):
                yield from ((Statement(stance="forbid", acts=acts), end) for end in touching.ever(words, then))
                yield from ((Statement(stance="ask", acts=acts), end) for end in touching.unless_agreed(words, then))
                yield from small_frames.bad_where(words, then, acts)
            yield from self._not_judged(words, verb, acts, permitted=before is not None and before.stance == "permit")
            yield from small_frames.only_fine_where(words, verb, acts)
        spared = words.after(at, "does not", "do not") if before is not None and before.stance == "ask" else ()
        for end in (*words.matches(at, idioms.NEEDS_NOT), *spared):
            yield Statement(stance="permit", acts=acts), end
        yield from ((Statement(stance="forbid", acts=acts), end) for end in words.matches(at, idioms.NEVER_HAPPENS))
        yield from ((Statement(stance="ask", acts=acts), end) for end in words.matches(at, idioms.ONLY_IF))
        for start in (at, *words.after(at, "always")):
            for end in words.matches(start, idioms.NEEDS):
                yield Statement(stance="ask", acts=acts), end
                yield from small_frames.before_it_is_done(words, end, acts)
                yield from small_frames.if_they_are(words, end, acts)

    def _not_judged(
        self, words: Phrases, at: int, acts: tuple[Act, ...], *, permitted: bool
    ) -> Iterator[tuple[Statement, int]]:
        """Yield "is not" after a permission, and "is not, unless I agree"."""
        for start in words.after(at, "not", "never"):
            if permitted and words.word(start - 1) == "not":
                yield Statement(stance="forbid", acts=acts), start
            yield from ((Statement(stance="ask", acts=acts), end) for end in touching.unless_agreed(words, start))

    def _fine_where(self, words: Phrases, at: int, acts: tuple[Act, ...]) -> Iterator[tuple[Statement, int]]:
        """Yield "is fine everywhere except in ~/.ssh": the place follows the verdict."""
        found = [*words.qualifiers(at), *(pair for start in words.after(at, ",") for pair in words.limits(start))]
        for qualifiers, then in found:
            plain = all(other.kind == "about" for one in acts for other in one.qualifiers)
            plain = plain and all(one.kind != "about" for one in qualifiers)  # "allowed of my team" says nothing
            if qualifiers and plain and not any(one.exceptions for one in acts):
                whole = tuple(replace(one, qualifiers=(*one.qualifiers, *qualifiers)) for one in acts)
                for act, end in words.with_exceptions(whole[-1], then):
                    if len(acts) == 1 or not act.exceptions:
                        yield Statement(stance="permit", acts=(*whole[:-1], act)), end
        if len(acts) == 1 and not acts[0].exceptions:
            for act, end in words.everywhere_but(acts[0], at):
                yield Statement(stance="permit", acts=(act,)), end

    # Sentences about things: "files may be read", "refunds need approval"

    def _about_things(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        yield from self._about_actions(words, at, before)
        yield from small_frames.not_exceeding(words, at)
        found = [(False, things, then) for things, then in words.things(at)]
        found += [(True, things, then) for start in words.after(at, "no") for things, then in words.things(start)]
        found += [(True, (ANYTHING,), then) for then in words.after(at, "nothing")]
        for nothing, things, middle in found:
            for qualifiers, then in words.qualifiers(middle):
                plain = Act(verbs=(), things=things, qualifiers=qualifiers)
                if not nothing and ANYTHING not in things and not small_frames.is_the_act(words, at, then, before):
                    every = tuple(replace(one, amount="any") for one in things)
                    yield from self.judged(words, then, (replace(plain, things=every),), before)
                yield from self._passive(words, then, plain, nothing=nothing)
                if not nothing and ANYTHING not in things:
                    yield from small_frames.by_people(words, then, plain)
        yield from self._about_all_but(words, at)
        for start in words.after(at, "any use of", "use of", "every use of", "all use of"):
            for things, middle in words.things(start):
                yield from self.judged(words, middle, (Act(verbs=("use",), things=things),), before)

    def _about_all_but(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        """Yield "all gates except East may be opened": the exception stands before the verb."""
        for thing, middle in words.thing(at):
            noun = thing.nouns[-1] if thing.nouns and not thing.is_owned else ""
            for then in words.after(middle, "except", "except for", "except the", "but") if noun in words.given else ():
                for names, end in words.value_names(then):
                    value = Qualifier(kind="chosen", arg=noun, names=names)
                    for one, last in self._passive(words, end, Act(verbs=(), things=(thing,)), nothing=False):
                        act = replace(one.acts[0], things=(replace(thing, amount="any"),))
                        spared = replace(act, qualifiers=(*act.qualifiers, value))
                        if len(one.acts) == 1 and not act.exceptions:
                            yield replace(one, acts=(replace(act, exceptions=(spared,)),)), last

    def _done_actions(self, words: Phrases, at: int, verb: str) -> Iterator[tuple[Statement, int]]:
        """Yield "exports may be saved below /exports" after the noun of an action: doing it there is meant."""
        openings = (*((one, False) for one in idioms.MAY_BE), *((one, True) for one in idioms.MUST_NOT_BE))
        for opening, forbidden in openings:
            for done in words.after(at, opening):
                for start in words.after(done, *_CARRIED_OUT):
                    for qualifiers, end in words.qualifiers(start):
                        act = Act(verbs=(verb,), qualifiers=qualifiers)
                        yield from self._passive_statement(words, end, act, forbidden=forbidden, only=False)

    def _about_actions(self, words: Phrases, at: int, before: Statement | None) -> Iterator[tuple[Statement, int]]:
        """Yield "changes to contacts need approval" and "contact exports are forbidden": the noun of an action."""
        for thing, middle in words.thing(at):
            verb = lexicon.ACTIONS.get(thing.nouns[-1]) if thing.nouns and not thing.is_owned else None
            if verb is None:
                continue
            if len(thing.nouns) == 1:
                yield from self._done_actions(words, middle, verb)
            found = [((replace(thing, nouns=thing.nouns[:-1], raw=thing.raw[:-1], named="", amount="any"),), middle)]
            if len(thing.nouns) == 1:
                found = [pair for then in words.after(middle, "to", "of") for pair in words.things(then)]
            for things, end in found:
                for qualifiers, then in words.qualifiers(end) if ANYTHING not in things else ():
                    act = Act(verbs=(verb,), things=things, qualifiers=qualifiers)
                    yield from self.judged(words, then, (act,), before)
            for start in words.after(middle, "to", "of") if len(thing.nouns) == 1 else ():
                for act, then in words.of_typed_files((verb,), start):
                    yield from self.judged(words, then, (act,), before)

    def _about_places(self, words: Phrases, at: int) -> Iterator[tuple[Statement, int]]:
        """Yield "~/Private is off limits" and "everything in ~/Archive is read-only"."""
        for start in words.optional(
            at, "anything in", "everything in", "everything under", "anything under", "files in"
        ):
            for act, then in touching.target(words, start):
                for verb in words.after(then, "is", "are"):
                    yield from (
                        (Statement(stance="forbid", acts=(act,)), end) for end in words.matches(verb, idioms.BAD)
                    )
                    for end in words.after(verb, "read-only", "read only"):
                        changed = replace(act, verbs=("change",))
                        if act.qualifiers and act.qualifiers[0].kind == "inside":
                            yield Statement(stance="forbid", acts=(changed,)), end
                for end in words.matches(then, idioms.NOT_TOUCHED):
                    yield Statement(stance="forbid", acts=(act,)), end

    def _passive(self, words: Phrases, at: int, plain: Act, *, nothing: bool) -> Iterator[tuple[Statement, int]]:
        must_not = (*idioms.MUST_NOT_BE, "are never to be", "are not to be")
        may = (
            *idioms.MAY_BE,
            "may only be",
            "can only be",
            "should only be",
            "must only be",
            "shall only be",
            "may be only",
        )
        allowed = words.after(at, *may, *(_ARE_DONE if nothing else ()))
        starts = [(then, nothing) for then in allowed]
        starts += [(then, True) for then in words.after(at, *must_not) if not nothing]
        for start, forbidden in starts:
            once_only = "only" in {words.word(start - 2), words.word(start - 1)}
            if once_only and forbidden:
                continue
            for verbs, done in words.verb_list(start, "ed"):
                middle = done + 1 if verbs == ("write",) and words.word(done) == "to" and plain.qualifiers else done
                for qualifiers, then in words.qualifiers(middle):
                    whole = replace(plain, verbs=verbs, qualifiers=(*plain.qualifiers, *qualifiers))
                    for act, end in words.with_exceptions(whole, then):
                        yield from self._passive_statement(words, end, act, forbidden=forbidden, only=once_only)

    def _passive_statement(
        self, words: Phrases, at: int, act: Act, *, forbidden: bool, only: bool
    ) -> Iterator[tuple[Statement, int]]:
        acts = (act,)
        if forbidden:
            at = next(words.matches(at, idioms.BY_AGENT), at)
            yield from ((Statement(stance="forbid", acts=acts), end) for end in touching.ever(words, at))
            yield from ((Statement(stance="ask", acts=acts), end) for end in touching.unless_agreed(words, at))
            return
        if not only:
            yield from self._permitted(words, next(words.matches(at, idioms.BY_AGENT), at), acts)
            return
        yield from ((Statement(stance="ask", acts=acts), end) for end in words.matches(at, idioms.IF_AGREED))
        for end in (at, *words.matches(at, idioms.FREELY)):
            yield Statement(stance="permit", acts=acts, only=True), end


def _done_alike(one: Statement, other: Statement) -> Statement:
    """Return a statement without a verb with the verb of the one before it."""
    return replace(
        other, acts=tuple(act if act.verbs else replace(act, verbs=one.acts[-1].verbs) for act in other.acts)
    )


def _is_complete(statement: Statement) -> bool:
    """Return whether the last action has an object of its own. In "edit and create files", `edit` has not."""
    last = statement.acts[-1]
    return bool(last.things or last.qualifiers)
