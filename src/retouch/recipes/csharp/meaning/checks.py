"""Decides about each proposal of an answer, by the content of the document.

A proposal is accepted, or dropped with a reason. A name that cannot be used is an error instead, which the model
repairs by field, because a name is the main value of the pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.csharp.ir import MeaningProposal
from retouch.recipes.csharp.language.vocabulary import BUILT_IN_TYPES, KEY_TYPES, KEYWORDS
from retouch.recipes.csharp.meaning.evidence import (
    FORMS,
    document_text,
    enum_problem,
    is_about,
    is_quoted,
    is_vague,
    says_nullable,
    semantic_type,
    stems,
    text_problem,
    unknown_in,
)
from retouch.recipes.csharp.naming.identifiers import member_names, pascal, type_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint, EnumValue, MeaningDecision, MemberFacts, TypeFacts

LONGEST_NAME = 40
_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AMBIGUOUS = _words(
    """Action Activator Array Attribute Buffer Console Convert Delegate Enum Environment Exception Func
    Index Lazy Math Nullable Object Random Range Span String StringComparer Tuple Type Uri
    ValueTuple Version Void Object Boolean Byte Char Double Decimal Single Int32 Int64 JsonNode
    JsonObject JsonArray JsonValue JsonDocument JsonSerializer AdditionalProperties"""
)
_FLOATS = frozenset({"double", "float"})


@dataclass(frozen=True, kw_only=True)
class ProposalVerdict:
    """The decision about one proposal: it is accepted unless there is a `problem`. `is_error` requests another one."""

    proposal: MeaningProposal
    problem: str = ""
    is_error: bool = False


@dataclass(frozen=True, kw_only=True)
class AskedType:
    """One type of the source that proposals are about."""

    endpoint: Endpoint
    type: CsType
    facts: TypeFacts

    @cached_property
    def fields(self) -> Mapping[str, CsField]:
        """The fields that the document describes, by JSON name."""
        return {one.json_name: one for one in self.type.fields if "JsonExtensionData" not in one.attributes}

    @cached_property
    def values(self) -> Mapping[str, EnumValue]:
        """The values of an enum, by their text."""
        return {str(one.value): one for one in self.type.values}

    @cached_property
    def members(self) -> Mapping[str, MemberFacts]:
        """The facts of the members."""
        return {one.member: one for one in self.facts.members}

    @cached_property
    def document(self) -> str:
        """Everything that the document states about the type."""
        return document_text(self.endpoint, self.type, self.members)

    def description(self, member: str) -> str:
        """Return the description of a member, or of the type if `member` is ""."""
        found = self.fields.get(member) or self.values.get(member)
        return found.description if found is not None else "" if member else self.type.description

    def own_text(self, member: str) -> str:
        """Return what the document states about a member alone, or of the whole type if `member` is ""."""
        if not member:
            return self.document
        facts = self.members.get(member)
        said = (facts.format, facts.pattern, *facts.examples) if facts is not None else ()
        return " ".join((self.name(member), self.description(member), *said))

    def name(self, member: str) -> str:
        """Return the names of a member: in JSON and in C#."""
        found = self.fields.get(member) or self.values.get(member)
        return f"{member} {found.name}" if found is not None else self.type.name


def subject_of(endpoint: Endpoint, type_: CsType) -> AskedType:
    """Return what proposals about a type are checked against."""
    from retouch.recipes.csharp.ir import TypeFacts

    known = next((one for one in endpoint.facts if one.name == type_.name), None)
    return AskedType(endpoint=endpoint, type=type_, facts=known or TypeFacts(name=type_.name, named=True))


def needs_name(subject: AskedType) -> bool:
    """Return whether the document does not name the type. A root of the connector style is named by its endpoint."""
    is_fixed = subject.type.is_root and subject.endpoint.style == "connector"
    return not subject.facts.named and not is_fixed


def unsure_values(subject: AskedType) -> list[str]:
    """Return the values of an enum whose names are only their numbers, and that some text describes."""
    type_ = subject.type
    plain = [text for text, one in subject.values.items() if one.name == pascal(text)] if type_.integer else []
    return [text for text in plain if type_.description or subject.values[text].description]


def key_candidates(subject: AskedType) -> list[str]:
    """Return the properties that could be the primary key, if code found none and the type is what is returned."""
    endpoint, type_ = subject.endpoint, subject.type
    served = {word for one in endpoint.served for word in re.findall(r"\w+", one.type)}
    if type_.kind != "class" or type_.key or not (type_.is_root or type_.name in served):
        return []
    enums = {one.name for one in endpoint.types if one.kind == "enum"}
    return [
        name
        for name, one in subject.fields.items()
        if one.required and not one.nullable and (one.type in KEY_TYPES or one.type in enums)
    ]


def decided(subject: AskedType, pages: Sequence[Sequence[MeaningProposal]]) -> list[list[ProposalVerdict]]:
    """Return the decisions about the proposals of each page, in order."""
    settled = _settled(subject)
    seen: set[tuple[str, str, str]] = set()
    found: list[list[ProposalVerdict]] = []
    for number, page in enumerate(pages, 1):
        verdicts: list[ProposalVerdict] = []
        for one in page:
            several = one.kind in ("enum_value", "question")
            place = (one.kind, one.member, one.value if several else "")
            if (values := settled.get((one.kind, one.member))) is not None:
                if one.value not in values:  # else it contains what was settled
                    verdicts.append(ProposalVerdict(proposal=one, problem="it was settled before"))
            elif place in seen:
                verdicts.append(ProposalVerdict(proposal=one, problem="there is another proposal for the same"))
            elif number > 1 and not one.member:
                verdicts.append(ProposalVerdict(proposal=one, problem="the type itself is asked about on page 1"))
            else:
                seen.add(place)
                verdicts.append(_checked(subject, one))
        found.append(verdicts)
    return _with_enums(subject, _with_unique_values(subject, _without_repeats(found)))


def _settled(subject: AskedType) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the accepted values of what was settled, by kind and member."""
    return {(one.kind, one.member): one.values if one.accepted else () for one in decisions_of(subject)}


def decisions_of(subject: AskedType) -> list[MeaningDecision]:
    """Return the decisions about the type that still apply."""
    own = [one for one in subject.endpoint.decisions if one.type == subject.type.name]
    return [one for one in own if not one.member or one.member in subject.fields or one.member in subject.values]


def settled_proposals(subject: AskedType) -> list[MeaningProposal]:
    """Return the accepted decisions about a type in the form of proposals. A question that is settled is gone."""
    return [
        MeaningProposal(kind=one.kind, member=one.member, value=value)
        for one in decisions_of(subject)
        if one.accepted and one.kind != "question" and not (one.by == "model" and decision_problem(subject, one))
        for value in one.values or ("",)
    ]


def decision_problem(subject: AskedType, decision: MeaningDecision) -> str:
    """Return why a decision cannot be applied to the type as it is now, or "".

    A name of a model stays only while the document supports it.
    """
    given = MeaningProposal(kind=decision.kind, member=decision.member, value=(*decision.values, "")[0])
    if decision.by == "model":
        return _checked(subject, given).problem
    if decision.kind == "name":
        return _name_problem(subject, given.value)
    if decision.kind == "value_name":
        return _value_name_problem(subject, given)
    field = subject.fields.get(decision.member)
    if decision.kind == "key":
        return "" if field is not None and field.type in KEY_TYPES else f"{decision.member!r} cannot be a key"
    if decision.kind == "type":
        return _decided_type_problem(given.value, field)
    if decision.kind == "enum_value":
        return _decided_values_problem(subject, decision.values, field)
    if decision.kind == "nullable":
        return "" if field is not None and decision.member not in subject.type.key else "it is no property, or the key"
    if decision.kind in ("summary", "remarks"):
        return text_problem(given.value)
    return ""


def _decided_type_problem(form: str, field: CsField | None) -> str:
    if form not in (*FORMS, "money"):
        return f"there is no type {form!r}"
    fitting = {*_FLOATS, "decimal"} if form == "money" else {"string", FORMS[form]}
    return "" if field is not None and field.type in fitting else "the document gives it another type now"


def _decided_values_problem(subject: AskedType, values: Sequence[str], field: CsField | None) -> str:
    if field is None or field.type != "string":
        return "it is not a string"
    if len(values) < 2 or len({*values}) < len(values) or any(not one or one != one.strip() for one in values):
        return "an enum needs two or more different values, without blanks around them"
    return _enum_name_problem(subject, field)


def _checked(subject: AskedType, one: MeaningProposal) -> ProposalVerdict:
    if not one.value and one.kind != "nullable":
        return ProposalVerdict(proposal=one, problem="it has no value")
    is_known = not one.member or one.member in subject.fields or one.member in subject.values
    if not is_known:
        return ProposalVerdict(
            proposal=one, problem=f"{subject.type.name!r} has no member {one.member!r}", is_error=True
        )
    problem = _CHECKS[one.kind](subject, one)
    is_error = bool(problem) and one.kind in ("name", "value_name")
    return ProposalVerdict(proposal=one, problem=problem, is_error=is_error)


def _name(subject: AskedType, one: MeaningProposal) -> str:
    if one.member:
        return "only types and enum values are named"
    if not needs_name(subject):
        return "the document names the type"
    problem = _name_problem(subject, one.value)
    if problem:
        return problem
    return "" if is_about(one.value, subject.document) else "no word of it occurs in the document's text about the type"


def _name_problem(subject: AskedType, name: str) -> str:
    form = _form_problem(name)
    if form:
        return form
    plain = subject.endpoint.style == "plain"
    if type_names([("", name)], plain=plain)[""] != name or name in _AMBIGUOUS | BUILT_IN_TYPES:
        return f"{name!r} would hide a name of .NET"
    if name != subject.type.name and name in subject.endpoint.by_name:
        return f"another type is called {name!r}"
    parts = subject.endpoint.namespace.split(".")
    members = {one.name for one in (*subject.type.fields, *subject.type.values)}
    return f"a member or the namespace is called {name!r}" if name in members or name in parts else ""


def _form_problem(name: str) -> str:
    if not _NAME.fullmatch(name):
        return f"{name!r} is not a PascalCase name of letters and digits"
    if len(name) > LONGEST_NAME:
        return f"{name!r} has {len(name)} characters; at most {LONGEST_NAME} are allowed"
    return f"{name!r} is a keyword" if name.lower() in KEYWORDS else ""


def _value_name(subject: AskedType, one: MeaningProposal) -> str:
    if one.member not in unsure_values(subject):
        return "the document names this value"
    problem = _value_name_problem(subject, one)
    if problem:
        return problem
    described = f"{subject.type.description} {subject.description(one.member)}"
    missing = stems(one.value) - stems(described)
    return f"the description does not name it: {min(missing)!r}" if missing else _pairing(subject, one, described)


def _pairing(subject: AskedType, one: MeaningProposal, described: str) -> str:
    """Return why a name may belong to another value: the words of a name must follow its number, before the next."""
    if subject.description(one.member) and stems(one.value) <= stems(subject.description(one.member)):
        return ""
    others = "|".join(re.escape(text) for text in sorted(subject.values, key=len, reverse=True))
    parts = re.split(rf"(?<![\w.-])({others})(?![\w.])", described)
    after = [text for number, text in zip(parts[1::2], parts[2::2], strict=False) if number == one.member]
    return "" if any(stems(one.value) <= stems(text) for text in after) else "the description names another value so"


def _value_name_problem(subject: AskedType, one: MeaningProposal) -> str:
    if one.member not in subject.values:
        return f"the document has no value {one.member!r}"
    form = _form_problem(one.value)
    if form:
        return form
    struct = subject.type.name if subject.type.open else ""
    wire = [value.value for value in subject.type.values]
    names = {text: value.name for text, value in subject.values.items()} | {one.member: one.value}
    found = member_names(wire, names, struct=struct)
    taken = found[one.member] != one.value or one.value in (*_AMBIGUOUS, subject.type.name)
    others = {value.name.lower() for text, value in subject.values.items() if text != one.member}
    return f"{one.value!r} is the name of another member" if taken or one.value.lower() in others else ""


def _summary(subject: AskedType, one: MeaningProposal) -> str:
    own = subject.description(one.member)
    if own and not is_vague(own, subject.name(one.member), subject.type.name):
        return "the document describes it"
    problem = text_problem(one.value)
    if problem:
        return problem
    strange = unknown_in(one.value, subject.document, subject.own_text(one.member))
    if strange:
        return f"the document does not contain {strange}"
    about = (subject.name(one.member), own) if one.member else (subject.document,)
    if not is_about(one.value, *about, subject.type.name):
        return "it names nothing of what it describes"
    return "it says nothing beyond the name" if is_vague(one.value, subject.name(one.member)) else ""


def _key(subject: AskedType, one: MeaningProposal) -> str:
    candidates = key_candidates(subject)
    if one.member not in candidates:
        return f"it cannot be the key; candidates: {', '.join(candidates) or 'none'}"
    return _reason_problem(subject, one)


def _reason_problem(subject: AskedType, one: MeaningProposal) -> str:
    problem = text_problem(one.value)
    if problem:
        return f"its reason cannot be used: {problem}"
    names = (subject.own_text(one.member), subject.type.name)
    return "its reason names nothing of the member" if not is_about(one.value, *names) else ""


def _type(subject: AskedType, one: MeaningProposal) -> str:
    field = subject.fields.get(one.member)
    if field is None:
        return "it is not a property"
    facts = subject.members.get(one.member) or _no_facts(one.member)
    if _is_settled(subject, "enum_value", one.member):
        return "its values were settled before"
    if one.value == "money":
        said = field.type in _FLOATS and is_quoted(one.quote, field.description)
        is_money = re.search(r"(?i:\b(?:amount|price|cost|fee|total|balance|money|currency|payment)s?\b)", one.quote)
        return "" if said and is_money else "only a number that the description calls an amount of money is one"
    if one.value not in FORMS or field.type != "string":
        return f"a {field.type} cannot become {one.value!r}"
    return semantic_type(one.value, facts, field.description, one.quote)[1]


def _no_facts(member: str) -> MemberFacts:
    from retouch.recipes.csharp.ir import MemberFacts

    return MemberFacts(member=member)


def _enum_value(subject: AskedType, one: MeaningProposal) -> str:
    field = subject.fields.get(one.member)
    if _is_settled(subject, "type", one.member):
        return "its type was settled before"
    return "" if field is not None and field.type == "string" else "only a string can have values"


def _is_settled(subject: AskedType, kind: str, member: str) -> bool:
    return any(one.accepted and (one.kind, one.member) == (kind, member) for one in decisions_of(subject))


def _nullable(subject: AskedType, one: MeaningProposal) -> str:
    field = subject.fields.get(one.member)
    if field is None or field.nullable:
        return "it is not a property that is never null"
    if one.member in subject.type.key:
        return "a key is never null"
    said = says_nullable(one.quote, field.description)
    return "" if said else "no quote of its description says that it can be null"


def _sensitive(subject: AskedType, one: MeaningProposal) -> str:
    field = subject.fields.get(one.member)
    if field is None:
        return "it is not a property"
    if field.type not in (*KEY_TYPES, "string[]", "DateOnly"):
        return f"a {field.type} is not marked"
    if not (is_quoted(one.quote, f"{field.description} {field.json_name}")):
        return "the quote is not in its name or description"
    return _reason_problem(subject, one)


def _question(subject: AskedType, one: MeaningProposal) -> str:
    problem = text_problem(one.value)
    if problem:
        return problem
    strange = unknown_in(one.value, subject.document, one.value)
    return f"the document does not contain {strange}" if strange else ""


_CHECKS = {
    "name": _name,
    "summary": _summary,
    "remarks": _summary,
    "value_name": _value_name,
    "key": _key,
    "type": _type,
    "enum_value": _enum_value,
    "nullable": _nullable,
    "personal": _sensitive,
    "write_only": _sensitive,
    "question": _question,
}


def _without_repeats(pages: list[list[ProposalVerdict]]) -> list[list[ProposalVerdict]]:
    """Drop remarks that add nothing to the proposed summary."""
    taken = (one.proposal for page in pages for one in page if not one.problem)
    summaries = {one.member: one.value for one in taken if one.kind == "summary"}
    for page in pages:
        for index, one in enumerate(page):
            summary = summaries.get(one.proposal.member)
            if one.proposal.kind == "remarks" and summary and is_vague(one.proposal.value, summary) and not one.problem:
                page[index] = replace(one, problem="it repeats the summary")
    return pages


def _with_unique_values(subject: AskedType, pages: list[list[ProposalVerdict]]) -> list[list[ProposalVerdict]]:
    """Drop duplicate names of enum values, and all keys but the first."""
    used: set[str] = {one.value.lower() for one in settled_proposals(subject) if one.kind == "value_name"}
    has_key = any(one.kind == "key" for one in settled_proposals(subject))
    for page in pages:
        for index, one in enumerate(page):
            given = one.proposal
            if one.problem:
                continue
            if given.kind == "value_name" and given.value.lower() in used:
                problem = f"{given.value!r} is the name of another member"
                page[index] = replace(one, problem=problem, is_error=True)
            if given.kind == "key" and has_key:
                page[index] = replace(one, problem="there is another key")
            used |= {given.value.lower()} if given.kind == "value_name" else set()
            has_key = has_key or given.kind == "key"
    return pages


def _with_enums(subject: AskedType, pages: list[list[ProposalVerdict]]) -> list[list[ProposalVerdict]]:
    """Drop the values of an enum that the description does not list: all of its values, because they are one type."""
    values: dict[str, list[str]] = {}
    for page in pages:
        for one in page:
            if one.proposal.kind == "enum_value" and not one.problem:
                values.setdefault(one.proposal.member, []).append(one.proposal.value)
    refused: dict[str, str] = {}
    for member, found in values.items():
        facts = subject.members.get(member) or _no_facts(member)
        problem = enum_problem(found, facts, subject.description(member))
        problem = problem or _enum_name_problem(subject, subject.fields[member])
        if not problem and _has_other_type(pages, member):
            problem = "another proposal gives it another type"
        refused |= {member: problem} if problem else {}
    return [
        [
            replace(one, problem=refused[one.proposal.member])
            if one.proposal.kind == "enum_value" and not one.problem and one.proposal.member in refused
            else one
            for one in page
        ]
        for page in pages
    ]


def _enum_name_problem(subject: AskedType, field: CsField) -> str:
    name = enum_name(subject.type, field)
    if name in subject.endpoint.by_name or len(name) > 2 * LONGEST_NAME:
        return f"a type is called {name!r} already, or the name is too long"
    if name in {one.name for one in subject.type.fields} | BUILT_IN_TYPES | _AMBIGUOUS:
        return f"{name!r} is the name of a member or of a type of .NET"
    if type_names([("", name)], plain=True)[""] != name:
        return f"{name!r} would hide a name of .NET"
    others = (one for one in subject.endpoint.types if one is not subject.type and name.startswith(one.name))
    twins = (each for one in others for each in one.fields if enum_name(one, each) == name)
    return f"the enum of another property would be called {name!r} too" if any(twins) else ""


def _has_other_type(pages: list[list[ProposalVerdict]], member: str) -> bool:
    return any(
        one.proposal.kind == "type" and one.proposal.member == member and not one.problem
        for page in pages
        for one in page
    )


def enum_name(type_: CsType, field: CsField) -> str:
    """Return the name of the enum of a property whose values the description lists."""
    return f"{type_.name}{field.name.removeprefix('@')}"
