"""Forms of written English: inversion, "neither ... nor", limits with a verb, conditions of a permission."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of

FILES = frame_of(
    "files",
    {
        "read_file": ("Read a file.", {"path": TEXT}),
        "delete_file": ("Delete a file.", {"path": TEXT}),
        "move_file": ("Move a file.", {"source": TEXT, "destination": TEXT}),
        "copy_file": ("Copy a file.", {"source": TEXT, "destination": TEXT}),
    },
    roles={"path": "read-path", "source": "read-path", "destination": "write-path"},
)
MAIL = frame_of(
    "mail",
    {
        "send_email": ("Send an email.", {"to": TEXT, "subject": TEXT}),
        "draft_email": ("Save an email as a draft.", {"to": TEXT, "subject": TEXT}),
        "delete_event": ("Delete an event.", {"event_id": TEXT}),
        "create_event": ("Create an event.", {"title": TEXT}),
    },
    roles={"to": "email-address"},
)
SHOP = frame_of(
    "shop",
    {
        "create_refund": ("Refund an order.", {"order_id": TEXT, "amount": NUMBER}),
        "cancel_order": ("Cancel an order.", {"order_id": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Under no circumstances may events be deleted.", "Events must not be deleted."),
        ("On no account is an event to be deleted.", "Events must not be deleted."),
        ("Events may neither be deleted nor created.", "Events must not be deleted or created."),
        ("Neither deleting nor creating events is permitted.", "Deleting or creating events is not permitted."),
        ("No e-mail goes out on Mondays.", "E-mails must not be sent on Mondays."),
        ("E-mails go out only after I have agreed to them.", "Ask me before you send e-mails."),
        ("If an event is to be deleted, ask me first.", "Ask me before you delete events."),
        ("Should an event be deleted, ask me first.", "Ask me before you delete events."),
        ("Deleting events is left to the administrators.", "Never delete events."),
        ("Deleting events is ruled out.", "Never delete events."),
        ("Events may be deleted by the assistant.", "You may delete events."),
        ("Both drafting and sending e-mails is forbidden.", "Never draft or send e-mails."),
        ("E-mails may be drafted as well as sent.", "You may draft and send e-mails."),
        (
            "E-mails may be sent to ann@x.example or to bob@x.example.",
            "You may send e-mails to ann@x.example or bob@x.example.",
        ),
        (
            "E-mails may be sent to people at x.example and to nobody outside it.",
            "You may send e-mails only to people at x.example.",
        ),
        ("Events must not be deleted, whatever the reason.", "Never delete events."),
        ("Events must not be deleted, nor may they be created.", ""),
        ("No e-mail may be sent before I have seen it.", "Ask me before you send e-mails."),
        ("E-mails go out to ann@x.example only.", "You may send e-mails only to ann@x.example."),
        (
            "E-mails may be sent neither to ann@x.example nor to bob@x.example.",
            "Never send e-mails to ann@x.example or bob@x.example.",
        ),
        (
            "E-mails may be sent, provided that they are sent to people at x.example.",
            "You may send e-mails only to people at x.example.",
        ),
        ("Only on Mondays may e-mails be sent.", "You may send e-mails only on Mondays."),
        ("Deleting an event requires that the office manager is asked.", ""),
    ],
)
def test_written_form_means_the_same_as_a_plain_one(written: str, plain: str) -> None:
    expected = meaning_of(plain, MAIL) if plain else set[str]()
    assert expected == meaning_of(written, MAIL)
    assert bool(plain) == bool(expected)


@pytest.mark.parametrize(
    "text",
    [
        "You may not both draft and send e-mails.",
        "E-mails must not be sent along with drafts.",
        "Not all events may be deleted.",
        "Under no circumstances should events not be deleted.",
        "Deleting events is reserved for Mondays only.",
        "The bin goes out on Mondays.",
        "Events that are created by you may be deleted.",
        "Events must not be deleted, whatever you do on Mondays.",
    ],
)
def test_look_alike_is_refused(text: str) -> None:
    assert set() == meaning_of(text, MAIL)


@pytest.mark.parametrize(
    "text",
    [
        "No more than ten events may be deleted in a single day.",
        "At most ten events may be deleted on any one day.",
        "Ten events a day is the most that you may delete.",
        "Events should not be deleted more than ten times on the same day.",
        "The assistant deletes ten events a day at the most.",
    ],
)
def test_limit_before_its_verb_only_forbids_more(text: str) -> None:
    assert meaning_of("Never delete more than ten events a day.", MAIL) == meaning_of(text, MAIL) != set()


def test_up_to_permits_as_well() -> None:
    assert meaning_of("You may delete at most ten events a day.", MAIL) == meaning_of(
        "Events may be deleted, but never more than ten a day.", MAIL
    )


@pytest.mark.parametrize(
    "text",
    [
        "The refunds made in the course of one day must not come to more than 500 euros altogether.",
        "Refunds must not exceed 500 euros in total per day.",
        "The total of all refunds in one day must not exceed 500 euros.",
        "In one day, refunds must not together exceed 500 euros.",
    ],
)
def test_sum_of_a_day_is_added_up(text: str) -> None:
    assert meaning_of("Never refund more than 500 euros per day.", SHOP) == meaning_of(text, SHOP) != set()


@pytest.mark.parametrize(
    "text",
    [
        "Refunds must not exceed ten a day in total.",
        "Refunds and orders must not exceed 500 euros per day in total.",
        "At most ten refunds of 50 euros may be made per order.",
    ],
)
def test_sum_of_something_else_is_refused(text: str) -> None:
    assert set() == meaning_of(text, SHOP)


def test_people_are_not_counted_as_calls() -> None:
    frame = frame_of(
        "team",
        {"invite": ("Invite people to the team.", {"emails": {"type": "array", "items": TEXT}})},
        roles={"emails": "email-address"},
    )
    assert set() == meaning_of("At most two people may be invited per day.", frame)


@pytest.mark.parametrize(
    "text",
    [
        "Files in /in may be moved to /out or to /old, but to no other folder.",
        "Files in /in may be moved to /out or /old and nowhere else.",
        "You may move files from /in to /out or to /old, but not to any other folder.",
    ],
)
def test_nowhere_else_limits_where_something_goes(text: str) -> None:
    found = meaning_of(text, FILES)
    assert any(one.startswith("allow") and "/out" in one and "/in" in one for one in found)
    assert all("unless" in one and "/old" in one for one in found if one.startswith("deny"))
    assert len(found) > 1


def test_place_of_a_file_that_is_moved_is_where_it_comes_from() -> None:
    assert meaning_of("You may move files from /in to /out.", FILES) == meaning_of(
        "Files in /in may be moved to /out.", FILES
    )


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Files may be copied, as long as they are copied into /out.", "You may copy files only to /out."),
        ("You may copy files, but they must be copied into /out.", "You may copy files only to /out."),
        (
            "Refunds may be made, on condition that they are under 50 euros.",
            "You may make refunds only under 50 euros.",
        ),
        ("Refunds may be made, as long as they do not exceed 50 euros.", "You may make refunds only up to 50 euros."),
    ],
)
def test_condition_of_a_permission_limits_it(text: str, plain: str) -> None:
    frame = SHOP if "efund" in text else FILES
    assert meaning_of(text, frame)
    assert meaning_of(plain, frame) in ({*()}, meaning_of(text, frame))


@pytest.mark.parametrize(
    "text",
    [
        "You may delete files, as long as they are not in /a.",
        "You may copy files, but they must not be in /a.",
        "You may copy files, and they must be read first.",
        "You may copy files to /a, but they must be copied to /b.",
        "Files may be moved from /a to /b, but from no other folder.",
        "You may read both files and write to /data.",
    ],
)
def test_condition_that_is_not_certain_is_refused(text: str) -> None:
    assert set() == meaning_of(text, FILES)


def test_passive_with_a_name_is_read_as_the_active() -> None:
    frame = frame_of("db", {"drop_table": ("Drop a table.", {"table": TEXT})})
    assert meaning_of("You may drop tables whose names begin with tmp_.", frame) == meaning_of(
        "A table may be dropped if its name begins with tmp_.", frame
    ) != set()  # fmt: skip
