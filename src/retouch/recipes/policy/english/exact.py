"""Exact sentences: every rule about named tools and their arguments as a sentence, and back.

    exact   = mood tools ["if" tests] ["unless" tests]
    mood    = "Allow using" | "Do not allow using" | "Ask before using" | "Never use"
    tools   = ("the tool" name | "the tools" names) "of" server
    tests   = test {"and" test}
    test    = what ["is"] how
    what    = argument | "any" role | "the number of characters of" argument | "the number of items of" argument
            | "the number of minutes from" argument "to" argument
            | "the number of such calls" in | "the total of" argument "of such calls" in | "the time"
    in      = ["with the same" argument] "in any" ("60 seconds" | "60 minutes" | "24 hours" | "7 days" | "31 days")
    how     = "is" value {"or" value} | "is" bound ["and" bound] | "is inside" value {"or" value}
            | "is on the host" ... | "is the address" ... | "is like" ... | "is SQL of" ... | "is SQL that names" ...
            | "is a command line that runs" ...
            | "is given" | "is left out"
            | "is" ["on" day {"or" day}] ["between" hour "and" hour {"or between" hour "and" hour}]
    bound   = ("at least" | "more than" | "at most" | "less than") number
    earlier = ("the tool" name | "one of the tools" names) "was called before" ["in the last" period]
              ["with the same" argument ["as" argument] {"and" ...}] ["and" "(" tests ")"]

Values are JSON: texts in double quotes, straight or typographic, numbers, true, false and null. "Do not allow" is an
exception of what other sentences allow: a question about the very same calls still asks. All tests must hold; "unless"
spares calls for which all of its tests hold. A sentence means these tools and no others, so nothing has to be guessed.
"""

from __future__ import annotations

import json
import re
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from retouch.recipes.policy.deciding.json_schema import has_only, keyword_values
from retouch.recipes.policy.english.rules import THEN, conditions_of
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import CallAction, Sentence, ToolPart
from retouch.recipes.policy.language.conversion import limit_of
from retouch.recipes.policy.language.files import unknown_earlier
from retouch.recipes.policy.language.forms import RuleForm
from retouch.recipes.policy.language.values import PERIOD_WORDS, Rule, When

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from retouch.recipes.policy.english.clauses import Clause
    from retouch.recipes.policy.english.words.sentences import Mood
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import EarlierTools, Limit, Period, Tool

_MOODS: Mapping[str, tuple[Mood, bool]] = {
    "Allow using": ("allow", False),
    "Do not allow using": ("never", True),
    "Ask before using": ("ask", False),
    "Ask me before using": ("ask", False),
    "Never use": ("never", False),
    "Do not use": ("never", False),
}
_START = re.compile(rf"({'|'.join(_MOODS)}) the tools? ", re.IGNORECASE)
_TYPED = re.compile('[\u201c\u201e](?P<text>[^\u201c\u201d\u201e"`\\\\]*)[\u201d\u201c]')  # as word processors write
_TOKEN = re.compile(rf'"(?:[^"\\]|\\.)*"|`[^`]+`|{_TYPED.pattern}|[(),]|[^\s(),"`\u201c\u201d\u201e]+')
_PLAIN = re.compile(r"[^\W\d][\w.:/-]*(?<![.:/])")
_RESERVED = word_set("the any if unless and or is of as")
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(?:\.\d{3})+")  # 1.000 may be one or a thousand
_BOUNDS = {"at_least": "at least", "above": "more than", "at_most": "at most", "below": "less than"}
_LISTS = {
    "within": "inside",
    "domains": "on the host",
    "emails": "the address",
    "like": "like",
    "sql": "SQL of",
    "tables": "SQL that names",
    "runs": "a command line that runs",
}
_STATES = {"present": "given", "absent": "left out"}
_CALLED = "was called before"


class Inexact(Unclear):
    """A sentence begins as an exact one, and goes on in another way."""


def exact_text(sentences: Iterable[Sentence]) -> str:
    """Return sentences about tools as exact sentences. "" if one is of another kind."""
    found: list[str] = []
    for sentence in sentences:
        if not isinstance(sentence.action, CallAction):
            return ""
        mood = next(words for words, meant in _MOODS.items() if meant == (sentence.mood, sentence.excepted))
        for when in conditions_of(sentence.action):
            condition = f" if {_tests_text(when.where)}" if when.where else ""
            condition += f" unless {_tests_text(when.unless)}" if when.unless else ""
            found.append(f"{mood} {_tools_text(when.tool or ())} of {_name(*when.server or ())}{condition}.")
    return " ".join(found)


def _tools_text(tools: Iterable[str]) -> str:
    *others, last = map(_name, tools)
    return f"the tools {', '.join(others)} and {last}" if others else f"the tool {last}"


def _name(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED else f"`{text}`"


def _tests_text(limits: Iterable[Limit]) -> str:
    return " and ".join(map(_test_text, limits))


def _test_text(limit: Limit) -> str:
    if limit.after is not None:
        return _earlier_text(limit.after, limit.per)
    return f"{_subject_text(limit)} is {_predicate_text(limit)}"


def _subject_text(limit: Limit) -> str:
    if limit.is_total:
        what = "number of such calls" if limit.sum is None else f"total of {_name(limit.sum)} of such calls"
        same = f" with the same {_name(limit.same)}" if limit.same else ""
        return f"the {what}{same} in any {PERIOD_WORDS[limit.per or 'day']}"
    if limit.is_clock:
        return "the time"
    own = f"any {_name(limit.role)}" if limit.role else _name(limit.arg or "")
    of = "of" if limit.since is None else f"from {_name(limit.since)} to"
    return f"the number of {limit.size} {of} {own}" if limit.size else own


def _predicate_text(limit: Limit) -> str:
    if limit.state is not None:
        return _STATES[limit.state]
    if limit.hours or limit.days:
        days = [f"on {' or '.join(limit.days)}"] if limit.days else []
        hours = [" or ".join(f"between {one.replace('-', ' and ')}" for one in limit.hours)] if limit.hours else []
        return " ".join((*days, *hours))
    for field, words in _LISTS.items():
        values = cast("Sequence[str]", getattr(limit, field))
        if values:
            return f"{words} {_values_text(values)}"
    if limit.among:
        return _values_text(limit.among)
    bounds = ((words, getattr(limit, field)) for field, words in _BOUNDS.items())
    return " and ".join(f"{words} {_number_text(bound)}" for words, bound in bounds if bound is not None)


def _values_text(values: Iterable[object]) -> str:
    return " or ".join(map(_value_text, values))


def _value_text(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"{text}0" if _THOUSANDS.fullmatch(text) else text


def _number_text(number: float) -> str:
    return str(int(number)) if number == int(number) else _value_text(number)


def _earlier_text(after: EarlierTools, per: Period | None) -> str:
    found = f"{'one of ' if len(after.tools) > 1 else ''}{_tools_text(after.tools)} {_CALLED}"
    found += f" in the last {PERIOD_WORDS[per]}" if per is not None else ""
    pairs = (_name(own) if own == other else f"{_name(own)} as {_name(other)}" for own, other in after.same)
    found += f" with the same {' and '.join(pairs)}" if after.same else ""
    return f"{found} and ({_tests_text(after.where)})" if after.where else found


def exact_sentence(
    clause: Clause, number: int, frame: Policy, *, elsewhere: Collection[str] = (), lenient: bool = False
) -> Sentence | None:
    """Return what an exact sentence means. None if the clause is of another kind, or says nothing of arguments.

    It has no parts if it is about a server in `elsewhere`. `lenient`: the server has tools that are not in `frame`.

    Raises:
        Inexact: it begins as an exact sentence, but names an unknown tool or argument, or goes on in another way.
    """
    start = _START.match(clause.text)
    if start is None:
        return None
    mood, excepted = next(meant for words, meant in _MOODS.items() if words.lower() == start[1].lower())
    words = _ExactWords(clause.text[start.end(1) :])
    if not excepted and not words.has("if", "unless"):
        return None
    tools, server = words.tools(), words.server()
    where = words.tests() if words.skip("if") else []
    unless = words.tests() if words.skip("unless") else []
    words.end()
    limits = _checked(THEN[mood], server, tools, where, unless)
    known: list[Tool] = []
    if server not in elsewhere:
        known = _known_tools(tools, server, frame, lenient=lenient)
        _expect_arguments(known, [*where, *unless], frame)
        when = When(server=(server,), tool=tuple(one.name for one in known), where=limits[0], unless=limits[1])
        for problem, _ in () if lenient else unknown_earlier(Rule(name="this", when=when, then="deny"), frame.tools):
            raise Inexact(f"no rule can say this: {problem}")
    parts = tuple(ToolPart(server=server, tool=one.name, where=limits[0], unless=limits[1]) for one in known)
    action = CallAction(parts=parts)
    return Sentence(number=number, line=clause.line, quote=clause.text, mood=mood, action=action, excepted=excepted)


def _known_tools(names: Sequence[str], server: str, frame: Policy, *, lenient: bool) -> list[Tool]:
    known = {name: tool for (owner, name), tool in frame.tools.items() if owner == server}
    if not known:
        servers = sorted({owner for owner, _ in frame.tools})
        raise Inexact(f"there is no server {server!r}; known servers: {', '.join(servers)}")
    for name in names:
        if name not in known and not lenient:
            raise Inexact(f"{server!r} has no tool {name!r}; its tools are {', '.join(sorted(known))}")
    return [known[name] for name in names if name in known]


def _expect_arguments(tools: Sequence[Tool], tests: Iterable[Mapping[str, Any]], frame: Policy) -> None:
    for test in tests:
        _expect_arguments(
            [one for one in frame.tools.values() if one.name in test.get("after", ())], test.get("where", ()), frame
        )
        role = test.get("role")
        for tool in tools if role is not None else ():
            if not any(role in spec.all_roles for spec in tool.args.values()):
                raise Inexact(f"no argument of {tool.name!r} has the role {role!r}")
        names = (test.get(key) for key in ("arg", "sum", "same", "since"))
        for name, tool in product([one for one in names if isinstance(one, str)], tools):
            known = {**tool.args, **tool.schemas}
            if name not in known:
                raise Inexact(f"{tool.name!r} has no argument {name!r}; it has {', '.join(known) or 'none'}")
            _expect_values(tool, name, test.get("in", ()) if name == test.get("arg") else ())


def _expect_values(tool: Tool, name: str, values: Iterable[object]) -> None:
    """Refuse values that the tool's schema does not take: a prohibition of them would forbid nothing."""
    own = tool.schemas.get(name)
    listed = keyword_values(own, "enum")
    for value in values:
        text = json.dumps(value, ensure_ascii=False)
        if listed and value not in listed:
            known = ", ".join(json.dumps(one, ensure_ascii=False) for one in sorted(listed, key=str))
            raise Inexact(f"{name!r} of {tool.name!r} is never {text}; its values are {known}")
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if (isinstance(value, str) and has_only(own, "number", "integer", "boolean")) or (
            number and has_only(own, "string", "boolean")
        ):
            raise Inexact(f"{name!r} of {tool.name!r} is never {text}; its schema has another type")


def _checked(
    then: str, server: str, tools: Sequence[str], where: list[dict[str, Any]], unless: list[dict[str, Any]]
) -> tuple[tuple[Limit, ...], tuple[Limit, ...]]:
    """Return the tests as the rule language reads them.

    Raises:
        Inexact: it does not take them.
    """
    when = {"server": [server], "tool": list(tools), "where": where, "unless": unless}
    try:
        form = RuleForm.model_validate({"name": "this", "if": when, "then": then})
    except ValidationError as error:
        first = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise Inexact(f"no rule can say this: {first}") from error
    return tuple(map(limit_of, form.when.where)), tuple(map(limit_of, form.when.unless))


class _ExactWords:
    """The tokens of an exact sentence, read from left to right. Tests are returned as in a policy file."""

    def __init__(self, text: str) -> None:
        body = text.strip().removesuffix(".").rstrip()
        self._tokens = [one[0] for one in _TOKEN.finditer(body)]
        if re.sub(r"\s", "", "".join(self._tokens)) != re.sub(r"\s", "", body):
            raise Inexact("a quote is not closed: put texts in double quotes and names in backticks")
        self._tokens = [f'"{typed["text"]}"' if (typed := _TYPED.fullmatch(one)) else one for one in self._tokens]
        self._at = 0

    def has(self, *words: str) -> bool:
        """Return whether one of the words comes somewhere."""
        return not {one.lower() for one in self._tokens}.isdisjoint(words)

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def skip(self, *phrases: str) -> str:
        """Consume the first of `phrases` that comes next and return it. "" if none does."""
        for phrase in phrases:
            parts = phrase.lower().split()
            if [one.lower() for one in self._tokens[self._at : self._at + len(parts)]] == parts:
                self._at += len(parts)
                return phrase
        return ""

    def need(self, *phrases: str) -> str:
        """Consume one of `phrases`, and return it."""
        found = self.skip(*phrases)
        if not found:
            raise self.unclear(" or ".join(map(repr, phrases)))
        return found

    def unclear(self, expected: str) -> Inexact:
        """Return the error with the unexpected word and what was expected."""
        here = f"at {self._peek()!r}" if self._peek() else "at its end"
        return Inexact(f"not understood {here}: expected {expected}")

    def end(self) -> None:
        """Check that the sentence ends here."""
        if self._peek():
            raise self.unclear("'and', 'or', 'unless' or the end of the sentence")

    def name(self, what: str) -> str:
        """Consume a name: a word, or what stands in backticks."""
        found = self._peek()
        if not found or found[0] in '(),"' or (found[0] != "`" and found.lower() in _RESERVED):
            raise self.unclear(what)
        self._at += 1
        return found[1:-1] if found[0] == "`" else found

    def tools(self) -> list[str]:
        """Consume "the tool a" or "the tools a, b and c"."""
        return self._several("the tools", "the tool")

    def _several(self, many: str, one: str) -> list[str]:
        self.need(one, many)
        found = [self.name("the name of a tool")]
        while self.skip(", and", ",", "and"):
            found.append(self.name("the name of a tool"))
        return list(dict.fromkeys(found))

    def server(self) -> str:
        """Consume "of" and the name of a server."""
        self.need("of the server", "of")
        return self.name("the name of a server")

    def tests(self) -> list[dict[str, Any]]:
        """Consume one or more tests."""
        found = [self._test()]
        while self.skip("and"):
            found.append(self._test())
        return found

    def _test(self) -> dict[str, Any]:
        if self._peek().lower() in {"the", "one"} and self._is_next("tool", "tools", "of"):
            return self._earlier()
        subject = self._subject()
        self.need("is")
        return subject | self._predicate(is_total="per" in subject)

    def _is_next(self, *words: str) -> bool:
        following = self._tokens[self._at + 1 : self._at + 2]
        return bool(following) and following[0].lower() in words

    def _subject(self) -> dict[str, Any]:
        if self.skip("the time"):
            return {}
        if self.skip("the number of such calls"):
            return {"count": "calls"} | self._counted()
        if self.skip("the total of"):
            added = self.name("the name of an argument")
            self.need("of such calls")
            return {"sum": added} | self._counted()
        if self.skip("the number of minutes from"):
            start = self.name("the name of an argument")
            self.need("to")
            return {"arg": self.name("the name of an argument"), "count": "minutes", "since": start}
        size = self.skip("the number of characters of", "the number of items of")
        counted = {"count": size.split()[3]} if size else {}
        if self.skip("any"):
            return {"role": self.name("the name of a role")} | counted
        return {"arg": self.name("the name of an argument, 'any' and a role, or 'the time'")} | counted

    def _counted(self) -> dict[str, Any]:
        same = {"same": self.name("the name of an argument")} if self.skip("with the same") else {}
        self.need("in any")
        return same | {"per": self._period()}

    def _period(self) -> str:
        words = self.need(*PERIOD_WORDS.values())
        return next(period for period, text in PERIOD_WORDS.items() if text == words)

    def _predicate(self, *, is_total: bool) -> dict[str, Any]:
        for field, words in _LISTS.items():
            if self.skip(words):
                return {field: self._values()}
        for state, words in _STATES.items():
            if not is_total and self.skip(words):
                return {"is": state}
        if self._peek().lower() in {"on", "between"}:
            return self._times()
        bounds = dict(self._bounds())
        return bounds or {"in": self._values()}

    def _bounds(self) -> Iterator[tuple[str, object]]:
        left = {text: to_camel(field) for field, text in _BOUNDS.items()}
        joint = ""
        while found := self.skip(*(f"{joint}{one}" for one in left)):
            key = left.pop(found.removeprefix(joint))  # so that no bound is given twice
            joint = "and "
            yield key, self._value()

    def _values(self) -> list[object]:
        found = [self._value()]
        while self.skip("or"):
            found.append(self._value())
        return found

    def _value(self) -> object:
        try:
            found = json.loads(self._peek())
        except (ValueError, RecursionError) as error:
            raise self.unclear('a text in double quotes ("..."), a number, true or false') from error
        if _THOUSANDS.fullmatch(self._peek()) or (isinstance(found, float) and not isfinite(found)):
            raise self.unclear("a number, with a thousand as 1000 and a half as 0.5")
        self._at += 1
        return found

    def _times(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.skip("on"):
            found["days"] = [self.name("a day such as 'mon'")]
            while self.skip("or"):
                found["days"].append(self.name("a day such as 'mon'"))
        while self.skip("between", "or between"):
            start = self._hour()
            self.need("and")
            found.setdefault("hours", []).append(f"{start}-{self._hour()}")
        return found

    def _hour(self) -> str:
        return self.name("a time such as 09:00")

    def _earlier(self) -> dict[str, Any]:
        found: dict[str, Any] = {"after": self._several("one of the tools", "the tool")}
        self.need(_CALLED)
        if self.skip("in the last"):
            found["per"] = self._period()
        if self.skip("with the same"):
            pairs = [self._pair()]
            while not self._opens() and self._is_name_after_and() and self.skip("and"):
                pairs.append(self._pair())
            found["same"] = dict(pairs)
            if len(found["same"]) < len(pairs):
                raise Inexact("an argument is compared twice; write each of them once")
        if self._opens() and self.skip("and"):
            self.need("(")
            found["where"] = self.tests()
            self.need(")")
        return found

    def _opens(self) -> bool:
        return self._tokens[self._at : self._at + 2] == ["and", "("]

    def _is_name_after_and(self) -> bool:
        """Return whether "and" joins another argument with the same value, and not another test: that has "is"."""
        after = self._tokens[self._at + 1 : self._at + 3]
        begins_test = after[0:1] in (["the"], ["any"]) or after == ["one", "of"] or after[1:2] == ["is"]
        return self._peek().lower() == "and" and not begins_test

    def _pair(self) -> tuple[str, str]:
        own = self.name("the name of an argument")
        return own, self.name("the name of an argument") if self.skip("as") else own
