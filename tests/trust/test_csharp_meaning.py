"""A hundred proposals about the meaning of C# types, each wrong in one way: none is taken, and the run says so."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch._lib.run_sync import run_sync
from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.overview import overview
from retouch.recipes.csharp.commands.rewriting import with_decisions, written_decisions
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.meaning.answers import read_meaning
from retouch.recipes.csharp.meaning.edits import sealed_edit
from retouch.recipes.csharp.meaning.proposals import KINDS
from retouch.testing import faulty, scripted
from tests.recipes.csharp.meaning.shop import answer, model, order, proposal
from tests.recipes.csharp.read_documents import record, spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random

    from retouch.engine.recipe import TierPlan
    from retouch.engine.types import Request
    from retouch.recipes.csharp.ir import Endpoint

UNCOMPILED = RunOptions(compiler="none")
UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
TICKET = record(
    "code",
    "lines",
    "count",
    "owner",
    code={"type": "string", "description": "The code of the ticket. It is never null."},
    lines={"type": "array", "items": {"type": "string"}},
    count={"type": "integer"},
    ratio={"type": "number", "description": "The ratio of open tickets."},
    price={"type": "number", "description": "The price of the ticket."},
    day={"type": "string", "description": "The day, as YYYY-MM-DD.", "examples": ["2024-05-01", "yesterday"]},
    made={"type": "string", "description": "When it was made.", "examples": ["2024-05-01T10:00:00Z", "2024-05-01"]},
    local={"type": "string", "description": "Local time.", "example": "2024-05-01T10:00:00"},
    leap={"type": "string", "example": "2023-02-29"},
    clock={"type": "string", "example": "08:30"},
    late={"type": "string", "example": "25:00:00"},
    ref={"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$", "description": "The UUID of the ticket."},
    short={"type": "string", "maxLength": 20, "description": "The UUID of the ticket."},
    slow={"type": "string", "pattern": "^(a+)+$", "description": "The UUID of the ticket."},
    mail={"type": "string", "format": "email", "description": "The URL or mail."},
    url={"type": "string", "description": "The address of the page.", "example": "see below"},
    uid={"type": "string", "examples": [UUID, UUID.replace("-", "")]},
    bare={"type": "string", "description": "Some text."},
    state={"type": "string", "description": "One of: open, closed."},
    mood={"type": "string", "description": "The mood, for example happy or sad."},
    tone={"type": "string", "description": "One of: loud, quiet, etc."},
    kind={"type": "string", "description": "One of: small, large.", "example": "medium"},
    hue={"type": "string", "description": "One of `red`, `green`, `blue`."},
    past={"type": "string", "description": "One of: new, used, but not broken."},
    form={"type": "string", "description": "One of: aa, bb.", "pattern": "^aa$"},
    name={"type": "string", "description": "The full name of the owner."},
    owner={"type": "string", "description": "The owner. It cannot be null."},
    nick={"type": "string"},
    stage={"type": "integer", "enum": [1, 2], "description": "1: draft; 2: final."},
    step={"type": "integer", "enum": [1, 2]},
    box={"type": "object", "properties": {"width": {"type": "integer"}, "Frame": {"type": "string"}}},
    bag={"type": "object", "properties": {"weight": {"type": "integer"}}},
)
DOCUMENT = spec({"$ref": "#/components/schemas/Ticket"}, {"Ticket": TICKET}, path="/tickets/{id}")

NAMES = {  # proposed for TicketBox, which the document does not name
    "the name of another type": "Ticket",
    "the name of a type without a name": "TicketBag",
    "a keyword": "Class",
    "another keyword": "Object",
    "one character too many": "TicketBox" + "x" * 32,
    "a digit first": "1Box",
    "lower case": "ticketBox2",
    "an underscore": "Ticket_Box",
    "a blank": "Ticket Box",
    "a dot": "Ticket.Box",
    "a generic": "Box<T>",
    "an escape": "@Box",
    "no ASCII": "Böx",
    "code": "Box{}class X",
    "a line end": "Box\n",
    "a type of .NET": "Guid",
    "a namespace": "System",
    "an attribute": "JsonIgnore",
    "a support type": "IOpenEnum",
    "a type that makes names ambiguous": "Action",
    "its own member": "Frame",
    "the namespace of the file": "Models",
    "nothing of the document": "Giraffe",
    "white space": "  ",
}
TEXTS = {  # proposed as the summary of `nick`, which the document does not describe
    "nothing": " ",
    "a line end": "The nick of the ticket.\npublic int Evil { get; set; }",
    "a carriage return": "The nick of the ticket.\r// x",
    "a Unicode line end": "The nick of the ticket.\u2028x",
    "a tab": "The nick\tof the ticket",
    "a null character": "The nick of the ticket\x00",
    "XML": "The nick</summary><script>alert</script>",
    "an entity": "The nick &amp; ticket",
    "a cref": 'The nick of the <see cref="Ticket"/>',
    "a comment": "The nick of the ticket /* x */",
    "a line comment": "The nick // of the ticket",
    "a marker": "// [SCHMITH:END Ticket] nick",
    "a fence": "```The nick of the ticket```",
    "bidirectional text": "The nick \u202eof the ticket",
    "half a character": "The nick \ud800 of the ticket",
    "301 characters": "The nick of the ticket " + "x" * 278,
    "a type that does not exist": "The nick of the TicketOwner.",
    "a member that does not exist": "The nick, like owner_name of the ticket.",
    "a quoted value that does not exist": 'The nick of the ticket, for example "bob".',
    "code that does not exist": "The nick of the ticket, see `nick_kind`.",
    "a product that does not exist": "The nick of the ticket in Jira.",
    "a standard that does not exist": "The nick of the ticket by NATO.",
    "a number that does not exist": "The nick of the ticket, 32 letters.",
    "a path that does not exist": "The nick of the ticket in owner.profile.",
    "a promise": "The unique nick of the ticket.",
    "another promise": "The nick of the ticket, in bytes.",
    "a promise about null": "The nick of the ticket, or null.",
    "a deprecation": "The deprecated nick of the ticket.",
    "an address": "The nick of the ticket: mail@example.org",
    "nothing of its member": "A value with a colour.",
    "only its name": "The nick.",
}
WRONG: list[tuple[str, str, dict[str, str]]] = [
    *((f"name: {why}", "TicketBox", proposal("name", "", name)) for why, name in NAMES.items()),
    *((f"summary: {why}", "Ticket", proposal("summary", "nick", text)) for why, text in TEXTS.items()),
    *((f"remarks: {why}", "Ticket", proposal("remarks", "nick", text)) for why, text in TEXTS.items()),
    ("remarks: of a described member", "Ticket", proposal("remarks", "name", "The name of the ticket.")),
    ("remarks: of a member that is not there", "Ticket", proposal("remarks", "nickname", "The nick of the ticket.")),
    ("name: of a type that the document names", "Ticket", proposal("name", "", "Coupon")),
    ("name: of a member", "Ticket", proposal("name", "nick", "TicketNick")),
    ("summary: of a member that is not there", "Ticket", proposal("summary", "nickname", "The nick of the ticket.")),
    ("summary: of a described member", "Ticket", proposal("summary", "name", "The name of the ticket.")),
    ("key: an array", "Ticket", proposal("key", "lines", "The lines name the ticket.")),
    ("key: a number with fractions", "Ticket", proposal("key", "ratio", "The ratio names the ticket.")),
    ("key: a property that may be absent", "Ticket", proposal("key", "nick", "The nick names the ticket.")),
    ("key: a property that is not there", "Ticket", proposal("key", "id", "The id names the ticket.")),
    ("key: an object", "Ticket", proposal("key", "box", "The box names the ticket.")),
    ("key: of a type that is not returned", "TicketBox", proposal("key", "width", "The width names the box.")),
    ("key: without a reason", "Ticket", proposal("key", "code", " ")),
    ("key: with a foreign reason", "Ticket", proposal("key", "code", "Because giraffes have long necks.")),
    ("date: one example contradicts", "Ticket", proposal("type", "day", "date", "YYYY-MM-DD")),
    ("date-time: one example is a date", "Ticket", proposal("type", "made", "date-time")),
    ("date-time: without an offset", "Ticket", proposal("type", "local", "date-time")),
    ("date: that is not in the calendar", "Ticket", proposal("type", "leap", "date")),
    ("time: without seconds", "Ticket", proposal("type", "clock", "time")),
    ("time: that does not exist", "Ticket", proposal("type", "late", "time")),
    ("uuid: the pattern contradicts", "Ticket", proposal("type", "ref", "uuid", "The UUID of the ticket")),
    ("uuid: the length contradicts", "Ticket", proposal("type", "short", "uuid", "The UUID of the ticket")),
    ("uuid: the pattern may not end", "Ticket", proposal("type", "slow", "uuid", "The UUID of the ticket")),
    ("uuid: one example has no hyphens", "Ticket", proposal("type", "uid", "uuid")),
    ("uri: another format", "Ticket", proposal("type", "mail", "uri", "The URL or mail")),
    ("uri: the example is prose", "Ticket", proposal("type", "url", "uri")),
    ("uri: nothing shows it", "Ticket", proposal("type", "bare", "uri")),
    ("uri: an invented quote", "Ticket", proposal("type", "bare", "uri", "The URL of the ticket")),
    ("date: of a number", "Ticket", proposal("type", "count", "date")),
    ("money: a ratio", "Ticket", proposal("type", "ratio", "money", "The ratio of open tickets")),
    ("money: an invented quote", "Ticket", proposal("type", "price", "money", "The price in dollars")),
    ("money: a string", "Ticket", proposal("type", "bare", "money", "Some text")),
    ("type: an unknown one", "Ticket", proposal("type", "bare", "int")),
    ("nullable: the sentence denies it", "Ticket", proposal("nullable", "code", "", "never null")),
    ("nullable: a quote out of context", "Ticket", proposal("nullable", "owner", "", "null")),
    ("nullable: an invented quote", "Ticket", proposal("nullable", "code", "", "It can be null")),
    ("nullable: no quote", "Ticket", proposal("nullable", "count", "", "")),
    ("personal: an invented quote", "Ticket", proposal("personal", "nick", "The name of the owner.", "real name")),
    ("personal: a number", "Ticket", proposal("personal", "ratio", "The ratio of the owner.", "ratio")),
    ("personal: without a reason", "Ticket", proposal("personal", "name", " ", "full name of the owner")),
    ("write-only: a class", "Ticket", proposal("write_only", "box", "The box of the ticket.", "box")),
    ("question: markup", "Ticket", proposal("question", "nick", "Is <b>nick</b> a ticket?")),
    ("question: about what is not there", "Ticket", proposal("question", "nick", "Is nick_kind a ticket?")),
    ("value name: of another value", "TicketStage", proposal("value_name", "1", "Final")),
    ("value name: that nothing describes", "TicketStep", proposal("value_name", "1", "Started")),
    ("value name: of a value that is not there", "TicketStage", proposal("value_name", "3", "Draft")),
]
ENUMS = {
    "a value that is not listed": ("state", "open", "lost"),
    "a part of a word": ("state", "ope", "closed"),
    "another case": ("state", "Open", "Closed"),
    "one value": ("state", "open"),
    "examples": ("mood", "happy", "sad"),
    "an open list": ("tone", "loud", "quiet"),
    "an example that is no value": ("kind", "small", "large"),
    "a value left out": ("hue", "red", "green"),
    "a value that is excluded": ("past", "new", "used", "broken"),
    "a pattern": ("form", "aa", "bb"),
    "no list": ("name", "full", "name"),
    "a number": ("count", "1", "2"),
}


def ticket(directory: Path) -> Any:
    return order(directory, DOCUMENT)


def test_there_are_more_than_a_hundred():
    assert len(WRONG) + len(ENUMS) >= 100
    assert {*KINDS} == {given["kind"] for _, _, given in WRONG} | {"enum_value"}


def test_remarks_that_repeat_the_summary_are_not_taken(tmp_path: Path) -> None:
    texts = ("The nick of the ticket and its owner.", "The owner, and the nick of the ticket.")
    given = [proposal("summary", "nick", texts[0]), proposal("remarks", "nick", texts[1])]
    read = read_meaning(ticket(tmp_path), "Ticket", [answer(*given)])
    assert read.value is not None
    assert ["summary"] == [one.kind for one in read.value.taken]
    assert ["PROPOSAL_DROPPED"] == [issue.code for issue in read.issues]


@pytest.mark.parametrize(("unit", "given"), [one[1:] for one in WRONG], ids=[one[0] for one in WRONG])
def test_a_wrong_proposal_is_not_taken(tmp_path: Path, unit: str, given: dict[str, str]) -> None:
    source = ticket(tmp_path)
    read = read_meaning(source, unit, [answer(given)])
    assert read.value is not None
    assert () == read.value.taken
    assert read_meaning(source, unit, [answer()]).value == read.value
    assert ["PROPOSAL" in issue.code for issue in read.issues] == [True]


@pytest.mark.parametrize("values", ENUMS.values(), ids=list(ENUMS))
def test_a_wrong_enum_is_not_taken(tmp_path: Path, values: tuple[str, ...]) -> None:
    member, *rest = values
    given = [proposal("enum_value", member, value) for value in rest]
    read = read_meaning(ticket(tmp_path), "Ticket", [answer(*given)])
    assert read.value is not None
    assert () == read.value.taken
    assert len(rest) == len(read.issues)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no proposals",
        "[]",
        '{"proposals": {}}',
        '{"proposals": [1]}',
        '{"proposals": [{"kind": "name"}]}',
        '{"proposals": [], "code": "public class X {}"}',
        json.dumps({"proposals": [{**proposal("name", "", "X"), "more": ""}]}),
        json.dumps({"proposals": [{**proposal("name", "", "X"), "value": 1}]}),
        json.dumps({"proposals": [proposal("code", "", "X")]}),
        json.dumps({"proposals": [proposal("summary", "nick", "x")] * 501}),
    ],
)
def test_an_answer_of_another_form_is_an_error(tmp_path: Path, text: str) -> None:
    read = read_meaning(ticket(tmp_path), "Ticket", [text])
    assert None is read.value
    assert ["STRUCTURAL"] == [issue.code for issue in read.issues]


def test_two_proposals_for_the_same_are_one(tmp_path: Path) -> None:
    texts = [proposal("summary", "nick", "A nick of the ticket."), proposal("summary", "nick", "A nick of the owner.")]
    read = read_meaning(ticket(tmp_path), "Ticket", [answer(*texts)])
    assert read.value is not None
    assert ["A nick of the ticket."] == [one.value for one in read.value.taken]


def test_of_two_types_with_one_proposed_name_the_first_gets_it(tmp_path: Path) -> None:
    both = {unit: [proposal("name", "", "TicketPart")] for unit in ("TicketBox", "TicketBag")}
    result = retouch.generate(recipe, ticket(tmp_path / "doc"), tmp_path / "run", model(both))
    assert result.status in ("verified", "unverified")
    code = (tmp_path / "run" / "Ticket.cs").read_text("utf-8")
    assert 1 == code.count("class TicketPart\n")
    assert 1 == code.count("class TicketBag\n")
    assert "public TicketPart? Box" in code


def test_all_wrong_proposals_together_change_nothing(tmp_path: Path) -> None:
    script: dict[str, list[dict[str, str]]] = {}
    for _, unit, given in WRONG:
        if given["kind"] not in ("name", "value_name") and given["member"] != "nickname" and given["member"] != "id":
            script.setdefault(unit, []).append(given)
    for member, *values in ENUMS.values():
        script["Ticket"] += [proposal("enum_value", member, value) for value in values if member != "state"]
    retouch.generate(recipe, ticket(tmp_path / "doc"), tmp_path / "wrong", model(script))
    offline = retouch.open_model("offline", recipe=recipe)
    retouch.generate(recipe, ticket(tmp_path / "doc"), tmp_path / "none", offline)
    for name in ("Ticket.cs", "schema.md"):
        assert (tmp_path / "none" / name).read_bytes() == (tmp_path / "wrong" / name).read_bytes()


def test_a_model_that_never_gives_a_usable_name_leaves_those_of_the_rules_and_the_run_says_so(tmp_path: Path) -> None:
    def stubborn(request: Request) -> str:
        prompts = [prompt for _, prompt in request.parts] or [request.prompt]
        bad = {one.unit: [proposal("name", "", "Guid")] for one in prompts if "NAME: WANTED" in one.user}
        texts = {one.unit: answer(*bad.get(one.unit, ())) for one in prompts}
        if not request.parts:
            return texts[request.prompt.unit]
        from retouch.engine.packs import packed_answer

        return packed_answer(request, {key: texts[prompt.unit] for key, prompt in request.parts})

    result = retouch.generate(recipe, ticket(tmp_path / "doc"), tmp_path / "run", scripted(stubborn))
    assert ("4 pages were answered by 'offline': TicketStage, TicketStep, TicketBox, TicketBag",) == result.notes
    assert "class Guid" not in (tmp_path / "run" / "Ticket.cs").read_text("utf-8")


def misled(text: str, random: Random) -> str:
    """Add one of the wrong proposals to an answer, as a fault of a model."""
    try:
        proposals = json.loads(text)["proposals"]
    except (ValueError, KeyError, TypeError):
        return text
    return answer(random.choice(WRONG)[2], *proposals)


@pytest.mark.parametrize("seed", range(4))
def test_a_faulty_model_ends_honestly(tmp_path: Path, seed: int) -> None:
    used = faulty(model({}), rate=0.8, seed=seed, heal=0.5, faults={"misled": misled})
    source, options = ticket(tmp_path / "doc"), RunOptions(compiler="none")
    result = retouch.generate(recipe, source, tmp_path / "run", used, options=options)
    assert [] != list(result.issues)
    errors = [issue for issue in result.issues if issue.is_error]
    assert bool(errors) == (result.status not in ("verified", "unverified"))
    assert result.status == retouch.validate(recipe, tmp_path / "run", options=options).status
    offline = retouch.open_model("offline", recipe=recipe)
    retouch.generate(recipe, source, tmp_path / "none", offline, options=options)
    assert (tmp_path / "none" / "Ticket.cs").read_bytes() == (tmp_path / "run" / "Ticket.cs").read_bytes()


def test_the_code_of_a_manual_edit_is_still_compared_with_the_document(tmp_path: Path) -> None:
    source = ticket(tmp_path)
    whole = read_meaning(source, "Ticket", [answer()]).value
    assert whole is not None
    for old, new in (
        ("public required long Count", "public required int Count"),
        ("public required string Code", "public string Code"),
        ('[JsonPropertyName("nick")]', '[JsonPropertyName("Nick")]'),
        ("public string? Nick { get; init; }", ""),
        ("public double? Ratio", "public Uri? Ratio"),
    ):
        assert old in whole.text
        read = read_meaning(source, "Ticket", [sealed_edit(whole.text.replace(old, new))])
        assert [one for one in read.issues if one.is_error], new
    assert [] == [*read_meaning(source, "Ticket", [sealed_edit(whole.text)]).issues]


def two_tiers(source: Endpoint) -> Sequence[TierPlan]:
    """The tiers without the compiler, so that a run is verified where none is installed."""
    return recipe.tiers(source)[:2]


TWO_TIERS = replace(recipe, tiers=two_tiers)


def decided(directory: Path, *entries: dict[str, Any]) -> None:
    """Write the user's file of decisions as the user would."""
    (directory / "decisions.json").write_text(json.dumps({"version": 1, "decisions": list(entries)}), "utf-8")


def entry(member: str, kind: str, value: str = "", *, settled: bool | None = True) -> dict[str, Any]:
    return {"type": "Ticket", "member": member, "kind": kind, "value": value, "settled": settled}


def made(directory: Path) -> Any:
    """The run as the command makes it, with what the user settled so far."""
    source = with_decisions(ticket(directory / "doc"), directory / "run")
    result = retouch.generate(recipe, source, directory / "run", model({}), options=UNCOMPILED)
    run_sync(written_decisions(directory / "run"))
    return result


def is_outdated(directory: Path) -> bool:
    """Whether the run is not verified, for its decisions alone, by `validate` and by what only looks at it."""
    checked = retouch.validate(TWO_TIERS, directory / "run", write=False)
    seen = overview(open_run(directory / "run"))
    found = [one for one in checked.issues if one.code == "DECISIONS_CHANGED"]
    assert ("unverified" if found else "verified") == checked.status
    assert bool(found) == any(tier.not_run and "decisions.json" in tier.why for tier in seen.tiers)
    assert all("retouch generate csharp" in one.fix or "Correct" in one.fix for one in found)
    assert not found or "decisions.json" in checked.reason
    return bool(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        [entry("price", "type", "money")],
        [entry("nick", "summary", "The nick of the ticket."), entry("code", "key", "The code names the ticket.")],
        [entry("code", "key", "", settled=False)],
    ],
    ids=["a type", "a text and a key", "a refusal"],
)
def test_a_run_is_not_verified_for_decisions_that_it_was_not_made_from(tmp_path: Path, given: Any) -> None:
    made(tmp_path)
    assert not is_outdated(tmp_path)
    decided(tmp_path / "run", *given)
    assert is_outdated(tmp_path)
    made(tmp_path)
    assert not is_outdated(tmp_path)
    decided(tmp_path / "run")
    assert is_outdated(tmp_path), "a decision that was taken back"
    made(tmp_path)
    assert not is_outdated(tmp_path)


def test_a_decision_that_is_changed_again_or_removed_with_its_file_is_noticed(tmp_path: Path) -> None:
    made(tmp_path)
    decided(tmp_path / "run", entry("price", "type", "money"))
    made(tmp_path)
    decided(tmp_path / "run", entry("price", "type", "money", settled=False))
    assert is_outdated(tmp_path)
    (tmp_path / "run" / "decisions.json").unlink()
    checked = retouch.validate(TWO_TIERS, tmp_path / "run")
    assert "unverified" == checked.status
    assert ["DECISIONS_CHANGED"] == [one.code for one in checked.issues if one.code.startswith("DECISIONS")]
    seen = overview(open_run(tmp_path / "run"))
    assert "unverified" == seen.status
    assert "decisions.json" in seen.reason


@pytest.mark.parametrize("given", ["{", '{"version": 9, "decisions": []}'])
def test_a_file_of_decisions_that_cannot_be_read_is_not_verified(tmp_path: Path, given: str) -> None:
    made(tmp_path)
    (tmp_path / "run" / "decisions.json").write_text(given, "utf-8")
    assert is_outdated(tmp_path)


def test_a_decision_that_cannot_be_used_is_not_verified(tmp_path: Path) -> None:
    made(tmp_path)
    decided(tmp_path / "run", entry("lines", "key", "The lines name the ticket."))
    assert is_outdated(tmp_path)


def test_open_entries_and_another_form_of_the_file_change_nothing(tmp_path: Path) -> None:
    made(tmp_path)
    decided(tmp_path / "run", entry("price", "type", "money"))
    made(tmp_path)
    path = tmp_path / "run" / "decisions.json"
    path.write_text(f"{json.dumps(json.loads(path.read_text('utf-8')))}\n\n", "utf-8")
    assert not is_outdated(tmp_path)
    decided(tmp_path / "run", entry("price", "type", "money"), entry("code", "key", "Why", settled=None))
    assert not is_outdated(tmp_path)
