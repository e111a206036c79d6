"""Names of people, accounts and machines are hidden as wholes. A model may copy what it was shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.rule import recipe
from retouch.recipes.rule.asking.redactor import UNKNOWN, redactor_of
from tests.recipes.rule.rounds_scene import Scene, job

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.rule import RuleJob

PEOPLE = ("John_Doe", "Jane_Roe", "Max_Mustermann", "Ann-Marie_Lee", "li_wei", "Pat_O'Neil", "Tom42", "Eva_Maria_Berg")


def people(**said: Any) -> RuleJob:
    return job(
        *(f"/srv/patient_{one}/2024-01-{at:02}/scan_{at}.dcm" for at, one in enumerate(PEOPLE, 1)),
        **said,
    )


def sent(of: RuleJob) -> str:
    return "\n".join(prompt.user for prompt in recipe.plan(of))


@pytest.mark.parametrize(
    ("path", "private"),
    [
        ("/in/patient_John_Doe/a_{n}.csv", ("John", "Doe")),
        ("/in/patient_john_doe/a_{n}.csv", ("john", "doe")),
        ("/in/client-Anna-Maria-Berg/a_{n}.csv", ("Anna", "Maria", "Berg")),
        ("/in/user=Tom42/a_{n}.csv", ("Tom42", "Tom")),
        ("/in/owner_Pat_O'Neil/a_{n}.csv", ("Pat", "O'Neil", "Neil")),
        ("/in/account=acme_holding/a_{n}.csv", ("acme", "holding")),
        ("/in/AWSLogs/123456789012/a_{n}.csv", ("123456789012",)),
        ("/in/host_zeusdb/a_{n}.csv", ("zeusdb",)),
        ("/in/user_id=alice/a_{n}.csv", ("alice",)),
        ("/in/customer_name=Acme_Holding/a_{n}.csv", ("Acme", "Holding")),
        ("/in/patient_no_471123/a_{n}.csv", ("471123",)),
        ("/in/user_j.doe/a_{n}.csv", ("doe",)),
        ("/in/patients/John_Doe/2024-01-05/a_{n}.csv", ("John", "Doe")),
        ("/in/users/alice/a_{n}.csv", ("alice",)),
        ("/in/accounts/004455667788/a_{n}.csv", ("004455667788",)),
        ("/in/zeus-prod-3.acmecorp.example.com/a_{n}.csv", ("zeus", "acmecorp", "example.com")),
    ],
)
def test_a_name_is_hidden_as_a_whole(path: str, private: tuple[str, ...]) -> None:
    text = sent(job(*(path.format(n=number) for number in range(8))))
    samples = text.partition("OUTPUT")[0]
    assert [] == [one for one in private if one in samples]
    assert "/in/" in samples
    assert UNKNOWN not in samples


def test_keys_and_directories_that_say_what_is_in_them_are_shown() -> None:
    for path in ("/in/user_id=alice/a_{n}.csv", "/in/users/events/2024/a_{n}.csv", "/in/customers/2024/a_{n}.csv"):
        samples = sent(job(*(path.format(n=number) for number in range(8)))).partition("OUTPUT")[0]
        assert path.split("/")[2].split("=")[0] in samples
        assert path.split("/")[3] in samples or "alice" in path


def test_the_extension_of_a_file_is_no_part_of_a_name() -> None:
    assert ".csv" in sent(job(*(f"/in/patient_John_Doe{number}.csv" for number in range(8)))).partition("OUTPUT")[0]


def test_one_name_has_one_stand_in_everywhere_and_it_is_reversible() -> None:
    of = people(hint="patient_John_Doe came first")
    redactor = redactor_of(of)
    shown = redactor.hide("patient_John_Doe")
    assert 2 <= sent(of).count(shown)
    assert "patient_John_Doe" == redactor.reveal(shown)


def test_the_layout_of_a_column_after_such_a_word_is_shown() -> None:
    assert '"layout": "patient_<>"' in sent(people())


def test_a_copied_stand_in_works_on_the_real_paths_in_the_first_answer(tmp_path: Path) -> None:
    of = people(form="yaml")
    shown = redactor_of(of).hide("patient_John_Doe")
    answer = (
        f"name: x\nglob: '/srv/patient_*/*/*.dcm'\nextract:\n"
        f"  is_first: {{from: segment(-3), pattern: '^({shown})$', default: null}}\n"
        "  day: {from: segment(-2), type: date}\n"
    )
    scene = Scene(tmp_path)
    result = scene.begin(answer, of=of)
    assert ("passed", 1) == (result.ending, len(scene.model.requests))
    assert "patient_John_Doe" in result.text
    assert shown not in result.text


@pytest.mark.parametrize("place", ["glob", "pattern", "name"])
def test_a_copied_placeholder_costs_no_retry(tmp_path: Path, place: str) -> None:
    if place == "name":
        of = people()
        columns = [{"of": ["c1"], "name": f"person_{UNKNOWN}"}]
        answer = f"```json\n{json.dumps({'name': f'scans_{UNKNOWN}', 'columns': columns})}\n```"
    else:
        of = people(form="yaml")
        glob = f"/srv/patient_{UNKNOWN}/*/*.dcm" if place == "glob" else "/srv/*/*/*.dcm"
        pattern = f"^(patient)_{UNKNOWN}$" if place == "pattern" else "^(patient)_"
        answer = f"name: x\nglob: '{glob}'\nextract:\n  kind: {{from: segment(-3), pattern: '{pattern}'}}\n"
    scene = Scene(tmp_path)
    result = scene.begin(answer, of=of)
    assert ("passed", 1) == (result.ending, len(scene.model.requests)), result.text
    assert UNKNOWN not in result.text


def test_no_name_is_in_any_turn_of_a_conversation(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    shown = redactor_of(people()).hide("patient_John_Doe")
    wrong = f"name: x\nglob: '/srv/{shown}/*/*.png'\nextract:\n  day: {{from: segment(-2), type: date}}\n"
    right = "name: x\nglob: '/srv/*/*/*.dcm'\nextract:\n  day: {from: segment(-2), type: date}\n"
    result = scene.begin(wrong, right, of=people(form="yaml", hint="ask Jane_Roe about patient_Jane_Roe"))
    assert ("passed", 2) == (result.ending, len(scene.model.requests))
    texts = [message.text for request in scene.model.requests for message in request.messages]
    names = [word for one in PEOPLE for word in one.replace("-", "_").split("_") if len(word) > 3]
    assert [] == [name for name in names for text in texts if name in text.partition("OUTPUT")[0]]


def test_a_name_that_is_not_known_is_hidden_up_to_the_quote_that_ends_it() -> None:
    answer = '{"shapes": [{"of": "patient_2", "name": "spirometry"}, {"of": "patient_Zoe_Zuse", "name": "x"}]}'
    expected = answer.replace("Zoe_Zuse", UNKNOWN)
    assert expected == redactor_of(people()).hide(answer)
