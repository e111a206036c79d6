"""Finds the test of a tool's arguments for a qualifier of a sentence: a place, a branch, an amount, a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from retouch.recipes.policy.english.limits.addresses import URL, scheme_limit
from retouch.recipes.policy.english.limits.binding import aimed_at, chosen_limit
from retouch.recipes.policy.english.limits.counting_rates import BARE, NUMBER
from retouch.recipes.policy.english.limits.host_names import host_limit
from retouch.recipes.policy.english.tools.amount_tests import Side, amount_limit
from retouch.recipes.policy.english.tools.flag_words import flags_of_verb, opposites
from retouch.recipes.policy.english.tools.given_arguments import given_limit, is_given
from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.on_files import MOVING
from retouch.recipes.policy.english.tools.project_paths import owner_limit, project_limit
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.acts import OUT_OF, Qualifier
from retouch.recipes.policy.english.words.lexicon import VERBS, bases_of, singular, word_set
from retouch.recipes.policy.english.words.names import ROOM_NOUNS, room_spellings
from retouch.recipes.policy.english.words.naming import whole_name
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import ToolPart
from retouch.recipes.policy.language.values import Limit
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.acts import Act, Thing
    from retouch.recipes.policy.language.values import Period, Scalar

TEXTS = word_set(
    "text body message content caption comment note subject title description summary reply html markdown payload"
)
_HEADS = word_set("head head_branch source source_branch")
_MADE_FROM = word_set("from source base parent start ref")
_ROLES_OF = {"read": ("read-path",), "write": ("write-path",), "delete": ("delete-path", "delete-history")}
_REMAINING = word_set("move rename mv")
ROLES_WITH_PLACES = PATH_ROLES | URL_ROLES


def money_test(one: KnownTool, qualifier: Qualifier) -> list[ToolPart] | None:
    """Return the test of "up to 20 EUR": the amount, and the currency if the tool has an argument for it."""
    money = [arg for arg in one.tool.args if "currency" in arg.lower()]
    limit = amount_limit(one, replace(qualifier, word="", is_money=True) if money else qualifier, "permit")
    if limit is None or len(money) > 1:
        return None
    code = lexicon.CURRENCY_CODES[qualifier.word]
    return [
        part_of(one, where=(limit, *(Limit(arg=arg, among=spellings_of_currency(one, arg, code)) for arg in money)))
    ]


def spellings_of_currency(one: KnownTool, arg: str, code: str) -> tuple[str, ...]:
    """Return a currency as a tool takes it: as its schema lists it, or in either case."""
    listed = tuple(value for value in one.listed.get(arg, ()) if value.upper() == code)
    return listed or (code, code.lower())


def money_over(one: KnownTool, qualifier: Qualifier) -> list[ToolPart] | None:
    """Return the tests of "over 500 EUR" in a sentence that restricts: such an amount, and any of another currency.

    500 of another currency may be more or less.

    Raises:
        Unclear: the tool may be called without its currency.
    """
    money = [arg for arg in one.tool.args if "currency" in arg.lower()]
    limit = amount_limit(one, replace(qualifier, word="", is_money=True) if money else qualifier, "restrict")
    if limit is None or len(money) > 1:
        return None
    if not set(money) <= one.required:
        raise Unclear(f"{one.tool.name} may be called without a currency, so that the amount can be of any")
    same = [
        Limit(arg=arg, among=spellings_of_currency(one, arg, lexicon.CURRENCY_CODES[qualifier.word])) for arg in money
    ]
    others = [part_of(one, where=(Limit(arg=test.arg, like=("*",)),), unless=(test,)) for test in same]
    return [part_of(one, where=(limit,)), *others]


def repository_tests(one: KnownTool, qualifier: Qualifier, side: Side, *, exact: bool) -> list[ToolPart] | None:
    """Return the tests of `acme/website`: the owner and the repository."""
    if not {"github-owner", "github-repo"} <= one.roles:
        path = project_limit(one, qualifier.names, exact=exact or side == "permit")
        return None if path is None else [part_of(one, where=(path,))]
    if exact and len(qualifier.names) > 1:
        return None
    pairs = [name.partition("/")[::2] for name in qualifier.names]
    return [
        part_of(one, where=(Limit(role="github-owner", among=(owner,)), Limit(role="github-repo", among=(repo,))))
        for owner, repo in pairs
    ]


def of_branches(one: KnownTool, qualifier: Qualifier) -> Qualifier:
    """Return a value with the noun "branch" as a branch, for a tool with a branch on each side: a pull request."""
    nouns = {"named": qualifier.word, "chosen": qualifier.arg}
    if nouns.get(qualifier.kind) != "branch" or _HEADS.isdisjoint(one.tool.args) or qualifier.is_negated:
        return qualifier
    preposition = qualifier.arg if qualifier.kind == "named" else qualifier.word
    return replace(qualifier, kind="branches", word=preposition, arg="")


def branch_limit(one: KnownTool, qualifier: Qualifier) -> Limit | None:
    """Return the test of a branch. A pull request is opened against its base, and merged into it."""
    named = [arg for arg, spec in one.tool.args.items() if "branch-name" in spec.all_roles]
    named = named or [arg for arg in one.tool.args if one.takes_one_text(arg) and split_name(arg)[-1:] == ["branch"]]
    base = [arg for arg in named if arg.lower() in {"base", "base_branch", "target", "target_branch"}]
    target = qualifier.word == "against" or (qualifier.word in {"into", "to"} and not _HEADS.isdisjoint(named))
    either = base and not _HEADS.isdisjoint(named) and qualifier.word not in {"from", "against", "into", "to"}
    if not named or (target and len(base) != 1) or either:
        return None
    old = [*base, *(arg for arg in named if one.verbs & {"create", "make"} and set(split_name(arg)) & _MADE_FROM)]
    made = [arg for arg in named if arg not in old] if len(named) > 1 and not target else named
    whole = not any(name.endswith("/") for name in qualifier.names)  # "release/" is the beginning of names
    names = tuple(f"{name}*" if name.endswith("/") else name for name in qualifier.names)
    if not any("branch-name" in one.tool.args[arg].all_roles for arg in named):
        names = tuple(each for name in names for each in (name, f"refs/heads/{name}"))
    test = Limit(among=names) if whole and qualifier.kind != "like" else Limit(like=names)
    if target:
        return replace(test, arg=base[0])
    if len(made) == 1 and (len(named) > 1 or "branch-name" not in one.roles):
        return replace(test, arg=made[0])
    return replace(test, role="branch-name") if "branch-name" in one.roles else None


def part_of(one: KnownTool, *, where: tuple[Limit, ...] = (), unless: tuple[Limit, ...] = ()) -> ToolPart:
    """Return a tool with its tests. Days and hours of the call are one test, in whatever order they are said."""
    return ToolPart(server=one.tool.server, tool=one.tool.name, where=_one_clock(where), unless=_one_clock(unless))


def _one_clock(tests: tuple[Limit, ...]) -> tuple[Limit, ...]:
    clocks = [each for each in tests if each.is_clock]
    days, hours = ([each for each in clocks if bool(getattr(each, name))] for name in ("days", "hours"))
    if len(clocks) != 2 or len(days) != 1 or len(hours) != 1:
        return tests
    both = Limit(days=days[0].days, hours=hours[0].hours)
    return tuple(both if each == clocks[0] else each for each in tests if each != clocks[1])


def merged_tests(limits: Iterable[ToolPart]) -> tuple[Limit, ...]:
    """Return the tests of several parts, each once."""
    return tuple(dict.fromkeys(test for one in limits for test in one.where))


def path_roles_of(one: KnownTool, verb: str, word: str, *, every: bool) -> list[str]:
    """Return the path roles that a place limits: `from` the source, `to` the target, otherwise those of the verb."""
    paths = sorted(one.paths)
    if verb in MOVING and word in {"from", OUT_OF, "to", "into", "onto"}:
        target = word not in {"from", OUT_OF}
        return [role for role in paths if (role == "write-path") is target]
    known = VERBS.get(verb)
    if every or known is None or not known.deeds:
        return paths
    return [role for role in paths if any(role in _ROLES_OF[deed] for deed in known.deeds)]


def answer_of(one: KnownTool, verb: str, thing: Thing) -> Limit | None:
    """Return the test of `accept` for a tool that responds: the argument with the value `accepted`."""
    if not one.verbs <= {"respond", "reply", "answer", "rsvp"} or not set(thing.nouns) <= one.vocabulary | {
        "invitation"
    }:
        return None
    for arg, schema in one.tool.schemas.items():
        values = schema.get("enum") if isinstance(schema, dict) else None
        named = (
            [value for value in values if isinstance(value, str) and verb in bases_of(value, form="ed")]
            if isinstance(values, list)
            else []
        )
        if len(named) == 1 and arg in one.tool.args:
            return Limit(arg=arg, among=tuple(named))
    return None


def chosen_value(one: KnownTool, verb: str, thing: Thing) -> Limit | None:
    """Return the test of `publish` for a tool with `status: publish` that acts on such an object.

    A tool whose schema demands no value is meant by a verb only if it names one.
    """
    return chosen_verb(one, verb) if _changes(one, thing) else None


def _changes(one: KnownTool, thing: Thing) -> bool:
    """Return whether a tool changes things of this kind."""
    acted = [noun for noun in one.core if noun not in map(singular, one.listed)]  # `set_status` acts on tickets
    named = acted[-1] in thing.nouns if acted else bool(thing.nouns)
    return named and set(thing.nouns) <= one.subjects and not (one.reads or one.computes or one.code)


def told_value(one: KnownTool, verb: str, thing: Thing) -> Limit | None:
    """Return the test of "buy shares" for a tool with `side: buy` whose description says "buy or sell shares"."""
    told = one.told_words - one.told_places
    if one.reads or one.computes or one.code or not thing.nouns or not {verb, *thing.nouns} <= told:
        return None
    found = [(arg, value) for arg, values in one.listed.items() for value in values if value.lower() == verb]
    return Limit(arg=found[0][0], among=(found[0][1],)) if len(found) == 1 else None


def chosen_verb(one: KnownTool, verb: str) -> Limit | None:
    """Return the test of "unlock" for a tool with `action: unlock`. None if no or several arguments have the value."""
    found: list[tuple[str, Scalar]] = [
        (arg, value) for arg, values in one.listed.items() for value in values if _is_verb(verb, value)
    ]
    found += [(arg, True) for name, arg in one.flags.items() if name != verb and verb in bases_of(name, form="ed")]
    found += flags_of_verb(one, verb)
    return Limit(arg=found[0][0], among=(found[0][1],)) if len(found) == 1 else None


def _is_verb(verb: str, value: str) -> bool:
    low = value.lower()
    return low in {verb, verb.removeprefix("turn ")} or verb in bases_of(value, form="ed")


def value_as_noun(one: KnownTool, thing: Thing) -> Limit | None:
    """Return the test of `checkups` for a tool with `type: checkup`: the kind of what it acts on."""
    if len(thing.raw) != 1 or one.reads or one.code:
        return None
    word = thing.raw[0].lower()
    forms = {word, singular(word), word.removesuffix("s"), f"{word[:-3]}y" if word.endswith("ies") else word}
    values = {value.lower() for texts in one.listed.values() for value in texts}
    named = sorted(forms & values)
    return listed_value(one, (named[0],)) if len(named) == 1 else None


def value_of(one: KnownTool, thing: Thing) -> Limit | None:
    """Return the test of `the salaries table` or `table salaries`: the argument or role `table` is `salaries`."""
    if not thing.named or len(thing.nouns) != 2:
        return None
    name, noun = (thing.raw[1], thing.nouns[0]) if thing.named == "after" else (thing.raw[0], thing.nouns[1])
    own = one.nouns if noun in one.named_arguments else one.vocabulary
    if singular(name) in own or (noun == "branch" and name.lower() in lexicon.NO_BRANCHES):
        return None
    return limit_of_noun(one, noun, (name if thing.named == "after" else whole_name(name, thing.raw[1]),))


def limit_of_noun(one: KnownTool, noun: str, names: tuple[str, ...]) -> Limit | None:
    """Return the test of the role or argument that a noun names. None if there is none, or if there are several."""
    role = "branch-name" if noun == "branch" else noun
    if role in one.roles and role not in ROLES_WITH_PLACES:
        return Limit(role=role, among=names)
    args = [arg for arg in one.tool.args if singular(arg) == noun]
    args = args or [arg for named, arg in one.named_arguments.items() if named == noun]
    if len(args) != 1 or set(one.tool.args[args[0]].all_roles) & ROLES_WITH_PLACES or args[0].lower() in TEXTS:
        return None  # nobody is "text Ada", and a path is in a directory, and not equal to its name
    names = room_spellings(names) if noun in ROOM_NOUNS and args[0] not in one.listed else names
    values = _as_taken(one, args[0], names)
    return None if values is None else Limit(arg=args[0], among=values)


def _as_taken(one: KnownTool, arg: str, names: tuple[str, ...]) -> tuple[Scalar, ...] | None:
    """Return names as an argument takes them: numbers for one with numbers. None if it cannot take them."""
    if arg in one.numbers:
        return tuple(map(int, names)) if all(name.isdigit() for name in names) else None
    return _as_listed(one, arg, names)


def _as_listed(one: KnownTool, arg: str, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return names as the tool's schema spells them. None if it lists values and not these: no call could have them."""
    listed = one.listed.get(arg)
    if listed is None:
        return names
    same = [[value for value in listed if value.lower() in _other_names(name)] for name in names]
    return tuple(value for values in same for value in values) if all(same) else None


def _other_names(name: str) -> tuple[str, ...]:
    """Return a name in lower case, with the other name of an environment: `prod` for `production`."""
    low = name.lower()
    return next((pair for pair in _SAME_ENVIRONMENT if low in pair), (low,))


_SAME_ENVIRONMENT = (("production", "prod"), ("staging", "stage"), ("development", "dev"), ("test", "testing"))


def listed_value(one: KnownTool, names: tuple[str, ...], preposition: str = "") -> Limit | None:
    """Return the test of values that the tool's schema lists for one argument. None if no or several arguments do.

    Of two arguments for two directions, the preposition chooses: the source after "from", the target after "to".
    """
    args = [arg for arg, values in one.listed.items() if set(names) <= {value.lower() for value in values}]
    args = args if len(args) == 1 else aimed_at(args, preposition)
    if len(args) != 1:
        return None
    return Limit(arg=args[0], among=tuple(value for value in one.listed[args[0]] if value.lower() in names))


def can_modify(one: KnownTool, thing: Thing) -> bool:
    """Return whether a tool has a flag or a listed value for the first word of "urgent tasks"."""
    word = thing.raw[0].lower() if thing.raw else ""
    known = one.flags.keys() | opposites(one).keys() | lexicon.ENVIRONMENTS
    return word in known or listed_value(one, (word,)) is not None


def modifier_of(one: KnownTool, thing: Thing, *, widened: bool) -> Limit:
    """Return the test of the first word of "production deployments", "urgent tickets" and "public links".

    Raises:
        Unclear: no argument of the tool can be tested for it.
    """
    word = thing.raw[0].lower()
    where = Qualifier(kind="named", word="environment", names=(word,))
    known = named_limit(one, where, widened=widened) if word in lexicon.ENVIRONMENTS else None
    flag = Limit(arg=one.flags[word], among=(True,)) if word in one.flags else None
    limit = known or flag or listed_value(one, (word,))
    if limit is None:
        raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for {thing.raw[0]!r}")
    return limit


def named_limit(one: KnownTool, qualifier: Qualifier, *, widened: bool = False) -> Limit | None:
    """Return the test of an owner, an environment, or the argument that a noun names.

    `widened`: an environment is meant by its other names too, as a prohibition has to.
    """
    if qualifier.word == "owner" and "github-owner" in one.roles:
        return Limit(role="github-owner", among=qualifier.names)
    path = owner_limit(one, qualifier.names, exact=not widened) if qualifier.word == "owner" else None
    if path is not None:  # what has an owner of its own may get another one
        return None if any(split_name(arg)[-1:] == ["owner"] for arg in one.tool.args) else path
    if qualifier.word == "environment":
        args = [arg for arg in one.tool.args if arg.lower() in lexicon.ENVIRONMENT_ARGS]
    else:
        found = limit_of_noun(one, qualifier.word, qualifier.names)
        return found or (_limit_with_noun(one, qualifier) if widened else None)
    if len(args) != 1:
        return None
    names = qualifier.names
    if widened and args[0] not in one.listed:
        names = tuple(dict.fromkeys(other for name in names for other in (name, *_other_names(name))))
    values = _as_listed(one, args[0], names)
    return None if values is None else Limit(arg=args[0], among=values)


def _limit_with_noun(one: KnownTool, qualifier: Qualifier) -> Limit | None:
    """Return the test of "the account Savings" for `from_account`, as what restricts has to, whatever the direction."""
    args = [arg for arg in one.tool.args if qualifier.word in nouns_of_argument(one, arg) and one.takes_text(arg)]
    args = [arg for arg in args if arg.lower() not in TEXTS]  # "message Priya" is no message with the text "Priya"
    values = _as_taken(one, args[0], qualifier.names) if len(args) == 1 and not qualifier.arg else None
    return None if values is None else Limit(arg=args[0], among=values)


def _value_limit(one: KnownTool, qualifier: Qualifier) -> Limit | None:
    """Return the test of a value: of the argument that the sentence names, or that lists it in the schema."""
    if not qualifier.word:
        return listed_value(one, qualifier.names, qualifier.arg)
    args = [arg for arg in one.tool.args if singular(arg.lower()).startswith(qualifier.word)]
    args = [arg for arg in args if split_name(arg)[-1] not in {"type", "types", "kind", "kinds"}]
    if len(args) != 1:
        return None
    money = qualifier.word == "currency"
    names = tuple(
        code for name in qualifier.names for code in (spellings_of_currency(one, args[0], name) if money else (name,))
    )
    return Limit(arg=args[0], among=names)


def limit_of(one: KnownTool, qualifier: Qualifier, side: Side, *, exact: bool) -> Limit | None:
    """Return the test of a qualifier other than a place or time. None if the tool has no argument for it.

    Raises:
        Unclear: the values of the argument do not show it.
    """
    if qualifier.kind == "sites":
        roles = [role for role in one.roles if role in URL_ROLES]
        if not roles:
            return host_limit(one, qualifier, widened=side == "restrict" and not exact)
        if side == "restrict" and not exact and roles == ["git-remote-url"]:
            raise Unclear("a remote can be hidden behind a name such as 'origin'; write which remotes are allowed")
        names = tuple(one.partition("://")[2] or one for one in qualifier.names)
        if side == "restrict" and not exact:
            names = tuple(f"*.{one.removeprefix('*.')}" for one in names)  # a forbidden host has subdomains
        else:
            names = tuple(
                dict.fromkeys((*names, *(f"www.{one}" for one in names if one.count(".") == 1 and one[:1] != "*")))
            )
        return Limit(role=roles[0], domains=names) if len(roles) == 1 else None
    if qualifier.kind == "emails" or qualifier.word == "emails":
        return Limit(role="email-address", emails=qualifier.names) if "email-address" in one.roles else None
    if qualifier.kind in {"branches", "like"}:
        return scheme_limit(one, qualifier) if qualifier.word == URL else branch_limit(one, qualifier)
    if qualifier.kind in {"chosen", "flag", "bare"}:
        return given_limit(one, qualifier, side) if is_given(qualifier) else chosen_limit(one, qualifier)
    if qualifier.kind == "value":
        return _value_limit(one, qualifier)
    if qualifier.kind == "named":
        return named_limit(one, qualifier, widened=side == "restrict" and not exact)
    return amount_limit(one, qualifier, side)


@dataclass(frozen=True, kw_only=True)
class Rate:
    """A limit. `limit` is passed by calls over it. `amount` is given if an amount is added up.

    `only_above`: the sentence is about calls over the limit. `raw` are its words.
    """

    limit: Limit
    amount: Qualifier | None
    only_above: bool
    raw: tuple[str, ...]
    same: str = ""
    is_bare: bool = False
    may_be_amount: bool = False

    @property
    def not_again(self) -> Rate:
        """The limit of "never the same one twice": once is the most."""
        once = (self.limit.above or 1) - 1
        return replace(self, limit=replace(self.limit, above=once), only_above=True)


def _raw_words(act: Act) -> Iterator[str]:
    """Yield the words of the objects of an act, and of what it is about."""
    yield from (word for thing in act.things for word in thing.raw)
    yield from (word for one in act.qualifiers if one.kind == "about" for word in one.names)


def _refuse_vague_values(act: Act, counts: list[Qualifier], values: list[Qualifier]) -> None:
    """Refuse a limit that may be one for each value of something, or one for all together.

    Raises:
        Unclear: it is not clear which values are counted alone.
    """
    if (counts or values) and "same" in _raw_words(act):
        raise Unclear("a limit for each value of what is 'the same' is not read here; write 'twice a day per person'")
    if values and (len(values) != 1 or len(counts) != 1):
        raise Unclear("a limit for each value needs one number of calls and one period, as in 'twice a day per person'")
    if counts and any(one.kind == "about" and one.is_any and not one.names for one in act.qualifiers):
        raise Unclear("it may be a limit for each person or for all; write 'per person' or 'to people'")


def rate_of(act: Act) -> tuple[Act, Rate | None]:
    """Return an act without its limit, and the limit.

    Raises:
        Unclear: a number has no period, a period has no number, or a number may be an amount or a number of calls.
    """
    counts = [one for one in act.qualifiers if one.kind == "count"]
    values = [one for one in act.qualifiers if one.kind == "same"]
    spans = [one for one in act.qualifiers if one.kind == "per"]
    _refuse_vague_values(act, counts, values)
    if not counts and not spans:
        return act, None
    amounts = [] if counts else [one for one in act.qualifiers if one.kind == "amount"]
    if len(spans) != 1 or len(counts) + len(amounts) != 1:
        raise Unclear("a limit needs one number and one period, as in 'at most 3 per day'")
    (number,) = (*counts, *amounts)
    if amounts and not number.word:
        raise Unclear("the number can be an amount or a number of calls; write '3 times per day' or '100 EUR per day'")
    most = number.above if number.above is not None else number.at_most
    if most is None:
        raise Unclear("a limit needs 'at most' or 'more than' and a number")
    nouns = {noun for thing in act.things for noun in thing.nouns[-1:]}
    if counts and number.names and not nouns.intersection(number.names):
        raise Unclear(f"it counts {number.names[0]}s, and says something else before")
    left = tuple(one for one in act.qualifiers if one not in (number, *spans, *values))
    limit = Limit(count="calls", per=cast("Period", spans[0].word), above=most)
    return replace(act, qualifiers=left), Rate(
        limit=limit,
        amount=replace(number, above=None, at_most=most) if amounts else None,
        only_above=number.above is not None,
        raw=tuple(_raw_words(act)),
        same=values[0].word if values else "",
        is_bare=number.word == BARE,
        may_be_amount=bool(counts) and number.word == NUMBER,
    )


def place_test(one: KnownTool, verb: str, qualifier: Qualifier, side: Side, *, exact: bool) -> list[ToolPart] | None:
    """Return the tests of a directory, as alternatives. None if the tool takes no path that the verb is about.

    Raises:
        Unclear: what lies outside a directory would be permitted.
    """
    roles = path_roles_of(one, verb, qualifier.word, every=side == "permit")
    if not roles:
        return None
    limits = [Limit(role=role, within=qualifier.names) for role in roles]
    if qualifier.kind == "outside":
        if side == "permit":
            raise Unclear("a permission outside a directory would include every other one; name the directories")
        return [part_of(one, unless=(limit,)) for limit in limits]
    if side == "permit" or exact:
        return [part_of(one, where=tuple(limits))]
    if qualifier.word == OUT_OF and verb in _REMAINING and one.verbs <= MOVING and "write-path" in one.paths:
        return [part for role in roles for part in _left(one, role, qualifier.names)]
    return [part_of(one, where=(limit,)) for limit in limits]


def _left(one: KnownTool, role: str, folders: tuple[str, ...]) -> Iterator[ToolPart]:
    """Yield the tests of what leaves each of some directories: what is moved inside of it stays there."""
    for folder in folders:
        where, unless = Limit(role=role, within=(folder,)), Limit(role="write-path", within=(folder,))
        yield part_of(one, where=(where,), unless=(unless,))
