"""Finds what an ordinary sentence means for the tools at hand. If it may mean two things, it is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.refusing import (
    only_lists,
    refuse_bare_argument,
    refuse_gaps,
    refuse_read_only_code,
    refuse_too_much,
    refuse_unclear,
    refuse_unreadable,
    same_of,
)
from retouch.recipes.policy.english.limits.argument_tests import (
    Rate,
    merged_tests,
    money_over,
    money_test,
    of_branches,
    part_of,
    place_test,
    rate_of,
)
from retouch.recipes.policy.english.limits.demanding import demanded, makers
from retouch.recipes.policy.english.limits.file_patterns import (
    anywhere,
    file_tests,
    is_never_about,
    is_of_files,
    takes_none_of,
)
from retouch.recipes.policy.english.limits.host_names import is_on_other_side
from retouch.recipes.policy.english.limits.marking import assigned, may_be_former
from retouch.recipes.policy.english.limits.meant_tools import meant
from retouch.recipes.policy.english.limits.moved_times import at_other_times, moved, of_one_time
from retouch.recipes.policy.english.limits.over_limits import counted, of_new_things, over
from retouch.recipes.policy.english.limits.several_tests import (
    argument_test,
    beside,
    code_parts,
    is_for_somebody,
    never_gets,
    restriction,
    several_tests,
    tests_unless,
    with_argument,
    without_covered,
    without_whole,
)
from retouch.recipes.policy.english.limits.sized_arguments import size_tests, takes_no_several_files
from retouch.recipes.policy.english.limits.targets import is_of_target, with_source
from retouch.recipes.policy.english.limits.telling_times import (
    refuse_unclear_times,
    rest_of_times,
    time_tests,
)
from retouch.recipes.policy.english.limits.written_times import held
from retouch.recipes.policy.english.tools.act_facts import (
    beyond,
    excepted_parts,
    has_place,
    is_about,
    is_left_alone,
    on_files,
    words_of,
)
from retouch.recipes.policy.english.tools.label_arguments import is_state_label
from retouch.recipes.policy.english.tools.toolbox import Toolbox, is_of_open_page, with_the_verb
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.acts import ANYTHING, Act, Qualifier, Statement
from retouch.recipes.policy.english.words.lexicon import VERBS, word_set
from retouch.recipes.policy.english.words.scanning import Doubtful, Unclear
from retouch.recipes.policy.english.words.sentences import Meaning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.tools.amount_tests import Side
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.on_files import Level
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.language.values import Limit

# Not every tool has a namespace.
_OF_SOME = frozenset({"named", "value", "chosen", "flag", "branches", "repositories", "like"})
_DELETING = word_set("delete remove erase destroy terminate")
_DESTROYING = word_set("drop wipe purge destroy erase truncate")


def meaning_of(
    reading: tuple[Statement, ...], toolbox: Toolbox, *, lenient: bool, resolving: type[Resolver] | None = None
) -> Meaning:
    """Return the meaning of the statements of one reading. `resolving` finds the tools of an act.

    Raises:
        Unclear: no tool does what one of them says, or its places and names cannot be tested.
    """
    whole = Meaning()
    spared: frozenset[tuple[str, str]] = frozenset()
    for statement in reading:
        resolver = (resolving or Resolver)(toolbox, lenient=lenient, spared=spared, asking=statement.stance == "ask")
        for act in statement.acts:
            made = resolver.meaning(statement, act)
            whole |= made
            spared |= {(one.server, one.tool) for one in made.allow}
    refuse_unreadable((*whole.allow, *whole.ask), toolbox)
    allowed = {(one.server, one.tool) for one in whole.allow}
    for one in (*whole.ask, *whole.never):
        if (one.server, one.tool) in allowed and not one.where and not one.unless:
            raise Unclear(f"it permits {one.tool} and restricts it, and no rule can tell the two cases apart")
    return whole


class Resolver:
    """Finds the tools of one act, and the tests of its qualifiers."""

    def __init__(
        self, toolbox: Toolbox, *, lenient: bool, asking: bool, spared: frozenset[tuple[str, str]] = frozenset()
    ) -> None:
        self.toolbox = toolbox
        self.lenient = lenient
        self.asking = asking
        self.spared, self.zone = spared, toolbox.frame.time_zone
        self.left_out: set[tuple[str, str]] = set()  # that a permission cannot test, and so is not for

    def meaning(self, statement: Statement, act: Act) -> Meaning:
        """Return the meaning of one act of a statement.

        Raises:
            Unclear: no tool does it, or one that may do it cannot be tested for its places and names.
        """
        if statement.stance == "permit" and any(one.is_limited for one in (*act.things, *act.qualifiers)):
            raise Unclear("'it' or 'them' has a limit before; write one sentence for each action, with its own limit")
        if act.made:
            act = replace(act, qualifiers=tuple(map(held, act.qualifiers)))
        if act.demanded:
            return Meaning(never=frozenset(self._demanded(act)) | self._code())
        act = with_source(act)
        refuse_unclear(act, self.toolbox)
        act, rate = rate_of(with_argument(act, self.toolbox))
        if rate is not None:
            return self._rated(statement, act, rate)
        marked = any(one.only for one in act.qualifiers)
        if any(one.only for other in act.exceptions for one in other.qualifiers):
            raise Unclear("'only' in an exception can be read in two ways")
        if (statement.only or marked) and statement.stance != "permit":
            raise Unclear("'only' in a sentence that forbids or asks can be read in two ways")
        if statement.only or marked:
            return self._only(act, marked=marked)
        if statement.stance == "permit":
            refuse_read_only_code(act, self.toolbox)
            allowed = self._permitted(act)
            gone = frozenset(part for one in (*act.exceptions, *beyond(act)) for part in self._restricted(one))
            return Meaning(allow=allowed, excepted=excepted_parts(act, allowed, gone))
        parts = self._with_exceptions(act)
        refuse_bare_argument(act, parts, self.toolbox)
        code = self._code(act)
        parts = without_whole(parts, code)
        if statement.stance == "ask":
            return Meaning(ask=parts | beside(code, parts))
        return Meaning(never=code | without_covered(act, parts, code))

    def _rated(self, statement: Statement, act: Act, rate: Rate) -> Meaning:
        """Return the meaning of an act with a limit. More than a permission says is denied, unless a question covers
        it.
        """
        permits = statement.stance == "permit"
        if not permits and any(one.only for one in act.qualifiers):
            raise Unclear("'only' in a sentence that forbids or asks can be read in two ways")
        if rate.is_bare and rate.same and not permits:
            rate = rate.not_again
        if permits is rate.only_above:
            raise Unclear("the limit can be read in two ways; write 'at most 3 per day' or 'never more than 3 per day'")
        placed = permits and has_place(act)
        beyond = over(self._permitted(act), rate, self.toolbox) if placed else self._over_all(act, rate, permits)
        if permits:
            return self.meaning(statement, act) | Meaning(excepted=beyond)
        return restriction(beyond, self.toolbox, asks=statement.stance == "ask", verbs=act.verbs)

    def _over_all(self, act: Act, rate: Rate, permits: bool) -> frozenset[ToolPart]:
        """Return the parts over a limit of all that an act may mean, or of what it permits, if that is all to count."""
        try:
            return over(self._counted(act, rate), rate, self.toolbox)
        except Unclear as error:
            if not permits or isinstance(error, Doubtful):
                raise
        return over(self._permitted(act), rate, self.toolbox)

    def _demanded(self, act: Act) -> Iterator[ToolPart]:
        """Yield the tools of an act, each with what it must have."""
        found = self._tools(act, "perhaps", places=False)
        verbs = {one: verb for one, verb, where in found if not where}

        def tests_of(one: KnownTool) -> tuple[list[ToolPart], list[ToolPart] | None] | None:
            meant = self.tests(one, verbs[one], act.qualifiers, "restrict", exact=False)
            needed = self.tests(one, verbs[one], act.demanded, "restrict", exact=True)
            return None if meant is None else (meant, needed)

        yield from demanded(list(verbs), tests_of, words_of(act))

    def _counted(self, act: Act, rate: Rate) -> frozenset[ToolPart]:
        """Return the parts that a limit counts."""
        act = of_new_things(act, rate)
        return counted(act, self._with_exceptions(act), self._certain(act), self.toolbox)

    def _code(self, act: Act | None = None) -> frozenset[ToolPart]:
        """Return the tools that run code: they can do what is forbidden. They are forbidden at the same times."""
        whens = [one.when for one in act.qualifiers if one.when is not None] if act is not None else []
        verbs = () if act is None else act.verbs or _said_as_noun(act)
        nouns = [one.nouns[-1].rpartition(" ")[2] if one.nouns else "" for one in act.things] if act is not None else []
        return code_parts(self.toolbox.tools, whens, self.zone, verbs, nouns)

    def _only(self, act: Act, *, marked: bool) -> Meaning:
        """Return the meaning of "only": what `limiting` does not cover is forbidden."""
        limiting = tuple(one for one in act.qualifiers if (one.only if marked else one.kind != "about"))
        if act.exceptions or not limiting:
            raise Unclear("'only' needs a place, recipient or name that it limits")
        scope = tuple(one for one in act.qualifiers if one not in limiting)
        if any(one.kind in {"inside", "outside"} for one in scope) and not is_of_target(limiting, scope):
            raise Unclear("'only' with two places can be read in two ways")
        act = replace(act, qualifiers=tuple(replace(one, only=False) for one in act.qualifiers))
        limiting = tuple(replace(one, only=False) for one in limiting)
        allowed, rest = self._permitted(act), rest_of_times(limiting)
        if rest is None:
            never = self._outside_of(limiting, scope, act)
            others = replace(act, qualifiers=(*scope, *at_other_times(limiting)))
            never |= frozenset(moved(others, never, self.toolbox, self._restricting))
        else:
            never = self._restricted(replace(act, qualifiers=(*scope, rest)))
        code = self._code()
        covered = {(one.server, one.tool) for one in code}
        return Meaning(allow=allowed, never=code | {one for one in never if (one.server, one.tool) not in covered})

    def _outside_of(
        self, limiting: tuple[Qualifier, ...], scope: tuple[Qualifier, ...], act: Act
    ) -> frozenset[ToolPart]:
        """Return what the limits of "only" exclude."""
        bare = replace(act, qualifiers=scope)
        certain = self._certain(bare)
        never: set[ToolPart] = set()
        for one, verb, where in self._tools(bare, "perhaps", places=has_place(act)):
            kept = self.tests(one, verb, scope, "restrict", exact=False)
            limits = self.tests(one, verb, limiting, "restrict", exact=True)
            if where or (limits is not None and any(part.unless for part in limits)):
                raise Unclear("the limit of 'only' is not one that a rule can test")
            if any((is_of_files(q) and takes_none_of(one, q)) or is_of_open_page(one, q) for q in limiting):
                continue
            if kept is None or (limits is None and (verb == "use" or (has_place(act) and not one.paths))):
                continue
            if limits is None and (one.key in self.left_out or has_place(act)):  # "move files" is not to trash them
                if only_lists(one, act):
                    continue
                raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for this")
            if limits is None and one.key not in certain and one.key in self.spared:
                continue
            unless = () if limits is None else merged_tests(limits)
            others = tests_unless(one, unless)
            never |= {
                replace(other, where=(*part.where, *other.where))
                for part in kept
                if not part.unless
                for other in others
            }
            if any(part.unless for part in kept):
                raise Unclear("the limit of 'only' is not one that a rule can test")
        return frozenset(never)

    def _permitted(self, act: Act) -> frozenset[ToolPart]:
        found: set[ToolPart] = set()
        lost: set[str] = set()
        kept: list[tuple[KnownTool, str]] = []
        left_out: list[tuple[KnownTool, str]] = []
        act = anywhere(act)
        self._refuse_untested(act)
        for one, verb, where in self._tools(act, "surely", places=has_place(act)):
            limits = self.tests(one, verb, act.qualifiers, "permit", exact=False)
            if limits is None:
                if self._should_test(one, act):
                    left_out.append((one, verb))
                else:
                    lost.add(verb)
                continue
            if any(self.tests(one, verb, each.qualifiers, "restrict", exact=True) is None for each in same_of(act)):
                left_out.append((one, verb))
                continue
            kept.append((one, verb))
            refuse_too_much(one, verb, act, limits, where)
            found |= {part_of(one, where=(*where, *limit.where), unless=limit.unless) for limit in limits}
        refuse_gaps(left_out, kept)
        self.left_out |= {one.key for one, _ in left_out}
        if found and lost - {verb for _, verb in kept}:
            raise Unclear(f"no tool that can {min(lost - {verb for _, verb in kept})} can be tested for this")
        return self._unless_none(frozenset(found), act)

    def _refuse_untested(self, act: Act) -> None:
        """Refuse a permission with a limit that no tool for one of its things has: "products and prices in euros"."""
        for thing in act.things if len(act.things) > 1 and act.qualifiers else ():
            found = self._tools(replace(act, things=(thing,)), "surely", places=has_place(act))
            if all(self.tests(one, verb, act.qualifiers, "permit", exact=False) is None for one, verb, _ in found):
                raise Unclear(f"no tool for {' '.join(thing.raw)} can be tested for this")

    def _restricted(self, act: Act) -> frozenset[ToolPart]:
        if any(thing.amount == "all" for thing in act.things):
            raise Unclear("'all' and 'every' can be read in two ways here; write 'any'")
        found: set[ToolPart] = set()
        certain = self._certain(act)
        for one, verb, where in self._tools(act, "perhaps", places=has_place(act)):
            spared = one.key in self.spared and one.key not in certain and not any(map(is_state_label, where))
            if spared or one.key in self.left_out:
                continue
            if may_be_former(one, verb, act):
                raise Unclear("it may be the value before the change, which no call has, or the new one; write 'to'")
            limits = self.tests(one, verb, act.qualifiers, "restrict", exact=False)
            gap = one.key in certain or (one.verbs <= {"reply", "respond"} and verb in {"send", "email"})
            gap = gap or (verb in _DELETING and not one.verbs.isdisjoint(_DESTROYING))
            of_these = any(one.head in thing.nouns for thing in act.things)
            amounts = [each for each in act.qualifiers if each.kind in {"amount", "size"} and of_these]
            gap = gap or (bool(amounts) and self.tests(one, verb, amounts, "restrict", exact=False) is not None)
            if limits is None and gap and self._should_test(one, act):
                if self.asking and one.verbs <= {"reply", "respond"}:
                    found.add(part_of(one))  # a reply may go to anybody
                    continue
                if only_lists(one, act):
                    continue
                raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for this")
            for limit in limits or ():
                found.add(part_of(one, where=(*where, *limit.where), unless=limit.unless))
        found = of_one_time(act, found, self.toolbox)
        return self._unless_none(frozenset((*found, *moved(act, found, self.toolbox, self._restricting))), act)

    def _certain(self, act: Act) -> frozenset[tuple[str, str]]:
        """Return the tools that an act certainly means, without its qualifiers."""
        pairs = [(verb, thing) for verb in act.verbs or ("",) for thing in act.things or (ANYTHING,)]
        if act.made:
            return frozenset(one.key for one, _, _ in self._makers(act, "surely"))
        place = has_place(act)
        return frozenset(
            one.key for verb, thing in pairs for one, _ in meant(self.toolbox, verb, thing, "surely", places=place)
        )

    def _should_test(self, one: KnownTool, act: Act) -> bool:
        """Return whether a tool without a test leaves a gap. What another qualifier excludes leaves none."""
        if is_left_alone(one, act) or any(is_of_open_page(one, each) for each in act.qualifiers):
            return False
        named = {(each.word,) for each in act.qualifiers if each.kind == "named"}  # "in the notebook Archive"
        about = [each for each in act.qualifiers if each.kind == "about" and each.names not in named]
        if self.tests(one, "", about, "restrict", exact=False) is None:
            return False
        tested = [qualifier for qualifier in act.qualifiers if qualifier.kind != "about"]
        elsewhere = any(is_never_about(one, each) or takes_no_several_files(one, each) for each in tested)
        if elsewhere or is_for_somebody(one, tested):
            return False
        if never_gets(one, tested, self.toolbox.tools, self._restricting):
            return False
        if act.things in {(), (ANYTHING,)} and all(one.kind in _OF_SOME for one in tested):
            plain = lexicon.ENVIRONMENT_ARGS | {"account", "owner"}  # all that it has is there
            named = any(each.kind in {"chosen", "named"} and each.word not in plain for each in tested)
            beside = (other for other in self.toolbox.tools if other.head == one.head and other.key != one.key)
            return named and (
                one.chooses_by_id
                or any(self.tests(other, "", tested, "restrict", exact=False) is not None for other in beside)
            )
        return not all(qualifier.kind in {"inside", "outside"} and qualifier.word != "emails" for qualifier in tested)

    def _restricting(self, one: KnownTool, tested: Iterable[Qualifier]) -> list[ToolPart] | None:
        return self.tests(one, "", tested, "restrict", exact=False)

    def _unless_none(self, found: frozenset[ToolPart], act: Act) -> frozenset[ToolPart]:
        if not found and not self.lenient:
            raise Unclear(f"no tool here does this: {words_of(act)}")
        return found

    def _with_exceptions(self, act: Act) -> frozenset[ToolPart]:
        parts = self._restricted(act)
        for exception in act.exceptions:
            same = exception.verbs == act.verbs and exception.things == act.things
            if not same:
                spared = {(one.tool.server, one.tool.name) for one in self._spared(exception)}
                parts = frozenset(one for one in parts if (one.server, one.tool) not in spared)
                continue
            parts = frozenset(self._excused(parts, exception))
        return parts

    def _spared(self, exception: Act) -> list[KnownTool]:
        if exception.qualifiers or any(thing.is_owned for thing in exception.things):
            raise Unclear("the exception has a place, name or owner of its own; write it as a sentence")
        found = [one for one, _, _ in self._tools(exception, "surely", places=False)]
        if not found:
            raise Unclear(f"no tool here does this: {words_of(exception)}")
        return found

    def _excused(self, parts: frozenset[ToolPart], exception: Act) -> Iterator[ToolPart]:
        known = {one.key: one for one in self.toolbox.tools}
        for part in parts:
            one = known[part.server, part.tool]
            limits = [self.tests(one, verb, exception.qualifiers, "restrict", exact=True) for verb in exception.verbs]
            tests = [limit for found in limits if found for limit in found]
            if one.code and not tests and any(not known[each.server, each.tool].code for each in parts):
                yield part  # nobody sees where a command does it
                continue
            if part.unless or not merged_tests(tests) or any(limit.unless for limit in tests):
                raise Unclear("the exception cannot be tested for every tool that the sentence is about")
            yield replace(part, unless=merged_tests(tests))

    # Tools

    def _tools(self, act: Act, level: Level, *, places: bool) -> Iterator[tuple[KnownTool, str, tuple[Limit, ...]]]:
        """Yield the tools of an act, each with the verb that means it. Each verb and each object must mean one."""
        verbs, things = act.verbs or ("",), act.things or (ANYTHING,)
        if act.made:
            yield from self._makers(act, level)
            return
        both = [(verb, thing) for verb in verbs for thing in things]
        pairs = [(verb, thing, list(meant(self.toolbox, verb, thing, level, places=places))) for verb, thing in both]
        if level == "surely":
            pairs = [(verb, thing, with_the_verb(verb, tools)) for verb, thing, tools in pairs]
        for missing, found in (
            *(
                (verb, [p for p in pairs if p[0] == verb])
                for verb in verbs
                if len(verbs) == 1 or not on_files(act, verb)
            ),
            *((" ".join(thing.raw), [p for p in pairs if p[1] == thing]) for thing in things),
        ):
            if not any(tools for _, _, tools in found) and not self._is_elsewhere(act):
                raise Unclear(f"no tool here does this: {missing or words_of(act)}")
        for verb, _, tools in pairs:
            yield from ((one, verb, where) for one, where in tools)

    def _makers(self, act: Act, level: Level) -> Iterator[tuple[KnownTool, str, tuple[Limit, ...]]]:
        """Yield the tools that make the objects of an act."""
        given = next((one.arg for one in (*act.qualifiers, *act.demanded) if one.arg and one.kind != "value"), "")
        for thing in act.things:
            if not (found := makers(self.toolbox, thing, all_of_them=level == "perhaps", given=given)):
                raise Unclear(f"no tool here does this: {' '.join(thing.raw)}")
            yield from ((one, next(iter(one.verbs), ""), ()) for one in found)

    def _is_elsewhere(self, act: Act) -> bool:
        """Return whether an act without a tool here may be about another server: all its words are common ones."""
        known_verbs = all(verb in VERBS or verb in {"", "use", "touch"} for verb in act.verbs)
        nouns = [noun for thing in act.things for noun in thing.nouns]
        return self.lenient and known_verbs and all(map(self.toolbox.knows, nouns))

    # Qualifiers

    def tests(
        self, one: KnownTool, verb: str, qualifiers: Iterable[Qualifier], side: Side, *, exact: bool
    ) -> list[ToolPart] | None:
        """Return the tests of qualifiers for a tool, as alternatives. None if the tool cannot be tested like that.

        `side` says whether the tests permit something or restrict it. `exact`: the tests must hold for all roles.
        """
        found, known = [part_of(one)], tuple(qualifiers)
        refuse_unclear_times(known, permits=side == "permit", exact=exact)
        for qualifier in known:
            tests = self._test(one, verb, qualifier, side, exact=exact)
            if tests is None:
                return None
            both = [(first, second) for first in found for second in tests]
            found = [part_of(one, where=(*a.where, *b.where), unless=(*a.unless, *b.unless)) for a, b in both]
        return found

    def _test(
        self, one: KnownTool, verb: str, qualifier: Qualifier, side: Side, *, exact: bool
    ) -> list[ToolPart] | None:
        if qualifier.kind == "about":
            return [part_of(one)] if is_about(one, verb, qualifier) else None
        if qualifier.kind in {"inside", "outside"} and qualifier.word != "emails":
            return place_test(one, verb, qualifier, side, exact=exact)
        if qualifier.when is not None:
            return time_tests(one, qualifier, verb, self.toolbox, permits=side == "permit", exact=exact)
        if qualifier.kind == "amount" and qualifier.word in lexicon.CURRENCY_CODES:
            return (money_test if side == "permit" or exact else money_over)(one, qualifier)
        if is_of_files(qualifier):
            return file_tests(one, verb, qualifier, side, exact=exact)
        if qualifier.kind == "size":
            return size_tests(one, qualifier, side, exact=exact)
        if qualifier.kind == "sites" and is_on_other_side(one, verb):
            return None
        if qualifier.kind in {"repositories", "contains"}:
            return several_tests(one, qualifier, side, exact=exact)
        return argument_test(one, of_branches(one, assigned(one, verb, qualifier)), side, exact=exact)


def _said_as_noun(act: Act) -> tuple[str, ...]:
    """Return the verb of an act that is read as a noun phrase: "delete files"."""
    first = [thing.nouns[0].split()[0] for thing in act.things if thing.nouns]
    return tuple(first) if len(first) == len(act.things) and all(one in VERBS for one in first) else ()
