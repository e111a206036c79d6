"""Sentences of two and three parts, of which a later one refers to an earlier one: what they mean, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.recipes.policy.english.joined_tools import FRAMES
from tests.recipes.policy.english.meanings import meaning_of

READ: tuple[tuple[str, str, set[str]], ...] = (
    (
        "post",
        "You may move letters into Archive or Rosters, but not into any other folder.",
        {"allow move_letter folder is Archive or Rosters", "deny move_letter unless folder is Archive or Rosters"},
    ),
    (
        "post",
        "You may move letters into Archive; ask me before you move one into any other folder.",
        {"allow move_letter folder is Archive or archive", "escalate move_letter unless folder is Archive"},
    ),
    (
        "post",
        "You may move letters into Archive, any other folder needs my approval.",
        {"allow move_letter folder is Archive or archive", "escalate move_letter unless folder is Archive"},
    ),
    (
        "post",
        "You may move letters to Archive, but never delete one.",
        {"allow move_letter folder is Archive or archive", "deny delete_letter"},
    ),
    (
        "post",
        "You may move letters to Archive, but never delete one permanently.",
        {"allow move_letter folder is Archive or archive", "deny delete_letter permanently is True"},
    ),
    (
        "post",
        "You may move letters to Archive, but never delete them.",
        {"allow move_letter folder is Archive or archive", "deny delete_letter"},
    ),
    ("post", "You may read letters, but never delete any.", {"allow read_letter", "deny delete_letter"}),
    (
        "post",
        "You may read letters, but ask me before you delete one.",
        {"allow read_letter", "escalate delete_letter"},
    ),
    (
        "post",
        "Reading letters is fine; check with me before you send one.",
        {"allow read_letter", "escalate send_letter"},
    ),
    (
        "post",
        "You may read any letter; deleting one needs my approval.",
        {"allow read_letter", "escalate delete_letter"},
    ),
    (
        "post",
        "You may send letters to Ann and Bob, but to nobody else.",
        {
            "allow send_letter recipient is Ann or ann or Bob or bob",
            "deny send_letter unless recipient is Ann or ann or Bob or bob",
        },
    ),
    (
        "post",
        "You may send letters to Ann and Bob; letters to anyone else need my approval.",
        {
            "allow send_letter recipient is Ann or ann or Bob or bob",
            "escalate send_letter unless recipient is Ann or ann or Bob or bob",
        },
    ),
    (
        "post",
        "Letters may be moved to Archive, but they must never be deleted.",
        {"allow move_letter folder is Archive or archive", "deny delete_letter"},
    ),
    (
        "post",
        "You may read letters, and you may only move them to Archive.",
        {
            "allow move_letter folder is Archive or archive",
            "allow read_letter",
            "deny move_letter unless folder is Archive or archive",
        },
    ),
    (
        "post",
        "You may read letters, ask me before you delete one, and never send any.",
        {"allow read_letter", "deny send_letter", "escalate delete_letter"},
    ),
    (
        "post",
        "You may read letters, but only move them to Archive.",
        {
            "allow move_letter folder is Archive or archive",
            "allow read_letter",
            "deny move_letter unless folder is Archive or archive",
        },
    ),
    (
        "post",
        "Moving letters to Archive is fine, but don't move one into any other folder.",
        {"allow move_letter folder is Archive", "deny move_letter unless folder is Archive"},
    ),
    (
        "post",
        "Feel free to read letters, just don't delete any permanently.",
        {"allow read_letter", "deny delete_letter permanently is True"},
    ),
    (
        "post",
        "You may send letters to Ann, but never to anyone else.",
        {"allow send_letter recipient is Ann or ann", "deny send_letter unless recipient is Ann or ann"},
    ),
    (
        "post",
        "You may send letters to Ann, but don't send one to anyone else.",
        {"allow send_letter recipient is Ann or ann", "deny send_letter unless recipient is Ann or ann"},
    ),
    (
        "depot",
        "You may book shipments of up to 30 kg with Velox, but ask me before you book a heavier one.",
        {
            "allow create_shipment weight_kg >= 0 and <= 30 carrier is Velox",
            "escalate create_shipment carrier is Velox weight_kg > 30",
        },
    ),
    (
        "depot",
        "You may book shipments of up to 30 kg; heavier ones need my approval.",
        {"allow create_shipment weight_kg >= 0 and <= 30", "escalate create_shipment weight_kg > 30"},
    ),
    (
        "depot",
        "You may book shipments of up to 30 kg; if it is more, ask me.",
        {"allow create_shipment weight_kg >= 0 and <= 30", "escalate create_shipment weight_kg > 30"},
    ),
    (
        "depot",
        "You may book shipments of up to 30 kg, but never book a heavier one.",
        {"allow create_shipment weight_kg >= 0 and <= 30", "deny create_shipment weight_kg > 30"},
    ),
    (
        "depot",
        "You may book shipments with Velox, but not with any other carrier.",
        {"allow create_shipment carrier is Velox", "deny create_shipment unless carrier is Velox"},
    ),
    (
        "depot",
        "You may book shipments with Velox; ask me before you book one with any other carrier.",
        {"allow create_shipment carrier is Velox", "escalate create_shipment unless carrier is Velox"},
    ),
    (
        "depot",
        "You may book shipments with Velox, but ask me before you book a fragile one.",
        {"allow create_shipment carrier is Velox", "escalate create_shipment fragile is True"},
    ),
    (
        "depot",
        "You may book shipments with Velox, but never cancel one.",
        {"allow create_shipment carrier is Velox", "deny cancel_shipment"},
    ),
    (
        "depot",
        "Booking shipments with Velox or Kite is fine, any other carrier needs my approval.",
        {"allow create_shipment carrier is Velox or Kite", "escalate create_shipment unless carrier is Velox or Kite"},
    ),
    (
        "depot",
        "You may create invoices for Nordpal up to 200 euros, but not for anyone else.",
        {
            "allow create_invoice customer is Nordpal or nordpal amount_eur >= 0 and <= 200",
            "deny create_invoice unless customer is Nordpal or nordpal",
        },
    ),
    (
        "depot",
        "You may create invoices for Nordpal, but invoices for any other customer need my approval.",
        {"allow create_invoice customer is Nordpal or nordpal", "escalate create_invoice unless customer is Nordpal"},
    ),
    (
        "depot",
        "You may create invoices of up to 200 euros, anything above that needs my approval.",
        {"allow create_invoice amount_eur >= 0 and <= 200", "escalate create_invoice amount_eur > 200"},
    ),
    (
        "depot",
        "You may create invoices of up to 200 euros; for a bigger invoice I want to be asked first.",
        {"allow create_invoice amount_eur >= 0 and <= 200", "escalate create_invoice amount_eur > 200"},
    ),
    (
        "depot",
        "You may create invoices of up to 200 euros, but ask me before you create a more expensive one.",
        {"allow create_invoice amount_eur >= 0 and <= 200", "escalate create_invoice amount_eur > 200"},
    ),
    ("depot", "You may create invoices, but never delete one.", {"allow create_invoice", "deny delete_invoice"}),
    (
        "depot",
        "You may create invoices without asking, but check with me before you delete one.",
        {"allow create_invoice", "escalate delete_invoice"},
    ),
    (
        "depot",
        "Shipments may be booked with Velox, but ask before you cancel one.",
        {"allow create_shipment carrier is Velox", "escalate cancel_shipment"},
    ),
    (
        "desk",
        "You may create tickets for network, but don't create any for billing.",
        {"allow create_ticket queue is network", "deny create_ticket queue is billing"},
    ),
    (
        "desk",
        "You may create tickets for network, don't create any for billing, and ask me before you create an urgent one.",
        {
            "allow create_ticket queue is network",
            "deny create_ticket queue is billing",
            "escalate create_ticket priority is urgent",
        },
    ),
    (
        "desk",
        "You may create tickets for network, but ask me before you close one.",
        {"allow create_ticket queue is network", "escalate close_ticket"},
    ),
    (
        "desk",
        "Create tickets for network as you see fit, but don't create any for billing.",
        {"allow create_ticket queue is network", "deny create_ticket queue is billing"},
    ),
    (
        "desk",
        "You may suspend a line for the reason lost or stolen, for any other reason ask me before you suspend it.",
        {"allow suspend_line reason is lost or stolen", "escalate suspend_line unless reason is lost or stolen"},
    ),
    (
        "desk",
        "You may suspend a line for the reason lost or stolen, but not for any other reason.",
        {"allow suspend_line reason is lost or stolen", "deny suspend_line unless reason is lost or stolen"},
    ),
    (
        "desk",
        "You may pay the water and power bills, all other bills need my okay.",
        {"allow pay_bill category is water or power", "escalate pay_bill unless category is water or power"},
    ),
    (
        "desk",
        "You may pay the water and power bills, but don't pay any other bill.",
        {"allow pay_bill category is water or power", "deny pay_bill unless category is water or power"},
    ),
    (
        "desk",
        "You may send newsletters to the testers list, but not to any other list.",
        {"allow send_newsletter list is testers", "deny send_newsletter unless list is testers"},
    ),
    (
        "desk",
        "You may send newsletters to the testers list, but never send one to the press list.",
        {"allow send_newsletter list is testers", "deny send_newsletter list is press"},
    ),
    (
        "desk",
        "You may send newsletters to the testers, but ask me before you send one to the press.",
        {"allow send_newsletter list is testers", "escalate send_newsletter list is press"},
    ),
    (
        "desk",
        "You can issue a credit of up to 25 euros, but ask me for more.",
        {"allow issue_credit amount >= 0 and <= 25", "escalate issue_credit amount > 25"},
    ),
    (
        "desk",
        "You can issue a credit of up to 25 euros; ask me before you issue a bigger one.",
        {"allow issue_credit amount >= 0 and <= 25", "escalate issue_credit amount > 25"},
    ),
    (
        "desk",
        "You may issue credits to customers up to 25 euros, otherwise ask me.",
        {"allow issue_credit amount >= 0 and <= 25", "escalate issue_credit amount > 25"},
    ),
)
UNCLEAR: tuple[tuple[str, str], ...] = (
    ("post", "You may move letters into Archive, but never delete it."),
    ("post", "You may move letters into Archive, but not into that one."),
    ("post", "You may read letters, but ask me before you delete the other ones."),
    ("post", "You may read letters, but never do so on Mondays."),
    ("post", "You may read letters, but never send another."),
    ("post", "You may send letters to Ann and read letters from Bob, but not to anyone else."),
    ("post", "You may read and send letters, but never to Bob, and not there either."),
    ("post", "You may move letters into Archive, and you may delete them."),
    ("post", "You may send letters to Ann, and you may delete them."),
    ("post", "On Mondays you may read letters, but never delete one."),
    ("post", "On Mondays you may read letters, and you may send one to Ann."),
    ("post", "You may read letters, but never their attachments."),
    ("post", "Never send letters to Ann, but you may send one to Bob."),
    ("post", "Never delete letters, but you may delete one permanently."),
    ("post", "You may move letters to Archive on Mondays, but not into any other folder."),
    ("post", "You may send letters to Ann, but not with anyone else."),
    ("post", "You may move letters into Archive, but not anything else."),
    ("post", "You may read one letter, but never delete it."),
    ("post", "You may read letters, the rest is forbidden."),
    ("post", "You may read letters, but otherwise ask me."),
    ("depot", "You may book shipments of up to 30 kg, but ask me before you book a longer one."),
    ("depot", "You may book shipments of up to 30 kg, but ask me before you book a more expensive one."),
    ("depot", "You may create invoices of up to 200 euros, but heavier ones need my approval."),
    ("depot", "You may book shipments and create invoices, but never delete one."),
    ("depot", "You may book shipments and create invoices, but never cancel them."),
    ("depot", "You may book shipments for invoices, but never delete one."),
    ("depot", "You may create invoices for Nordpal, but not for any other carrier."),
    ("depot", "You may create invoices for Nordpal with Velox, but with nobody else."),
    ("depot", "You may create invoices for Nordpal up to 200 euros, and you may delete them."),
    ("depot", "You may create invoices for Nordpal on weekdays, but for nobody else."),
    ("depot", "Never delete invoices and create shipments."),
    ("depot", "You may book shipments of up to 30 kg; anything above that or below 2 kg needs my approval."),
    ("depot", "You may create invoices for Nordpal, and you may create them for up to 200 euros."),
    ("depot", "You may create invoices for Nordpal, but ask me for a bigger one."),
    ("desk", "You may create tickets for network, but don't create any for it."),
    ("desk", "You may create tickets for network with priority low, but not for any other."),
    ("desk", "You may create tickets for network with priority low, but no others."),
    ("desk", "You may create tickets for network with priority low, but ask me for others."),
    ("desk", "You may suspend a line for the reason lost, but not for any other queue."),
    ("desk", "You may suspend lines, but close it."),
    ("desk", "You may pay the water bills and issue credits, but not any other bill."),
    ("desk", "You may pay the water and power bills up to 80 euros, all other bills need my okay."),
    ("desk", "You may pay bills up to 80 euros and issue credits up to 25 euros, but ask me for more."),
    ("desk", "You may pay bills up to 80 euros and issue credits up to 25 euros; bigger ones need my approval."),
    ("desk", "You may pay bills of up to 80 euros; if it is more urgent, ask me."),
    ("desk", "You may pay bills, but ask me before you suspend it."),
    ("desk", "Tickets may be created for network, and closed too, but never one for billing."),
    ("desk", "You may create urgent tickets, but never close them."),
    ("desk", "Ask me before you create urgent tickets, and never close them."),
    ("desk", "You may send newsletters to the testers, and you may send them to the press."),
    ("desk", "If a ticket is urgent you may close it, but never create one."),
)
# Each is read alone, and refers to nothing.
ALONE: dict[str, tuple[str, ...]] = {
    "post": (
        "You may read letters.",
        "You may move letters into Archive.",
        "Never delete letters.",
        "Never move letters into Rosters.",
        "Ask me before you send letters to Ann.",
        "Never send letters to Eve.",
        "You may send letters to Ann or Bob.",
    ),
    "depot": (
        "You may book shipments with Velox.",
        "You may book shipments of up to 30 kg.",
        "Never delete invoices.",
        "Ask me before you book fragile shipments.",
        "Invoices over 200 euros need my approval.",
        "You may create invoices for Nordpal.",
        "Never create invoices of more than 900 euros.",
    ),
    "desk": (
        "You may create tickets for network.",
        "Never create tickets for billing.",
        "Ask me before you create urgent tickets.",
        "You may pay the water and power bills.",
        "You may send newsletters to the testers list.",
        "Never suspend a line for the reason unpaid.",
        "Ask me before you issue a credit of more than 25 euros.",
    ),
}
JOINTS = ("; ", ", but ", " but ", ", and ", ", ", " and ", "; however, ")


@pytest.mark.parametrize(("server", "text", "wanted"), READ)
def test_a_part_may_refer_to_the_one_before(server: str, text: str, wanted: set[str]) -> None:
    assert wanted == meaning_of(text, FRAMES[server])


@pytest.mark.slow
@pytest.mark.parametrize(("server", "text"), UNCLEAR)
def test_a_part_is_refused_if_it_is_unclear_what_it_refers_to(server: str, text: str) -> None:
    assert set() == meaning_of(text, FRAMES[server])


@pytest.mark.parametrize(("server", "text"), [(server, text) for server, texts in ALONE.items() for text in texts])
def test_the_sentences_that_are_joined_are_read_alone(server: str, text: str) -> None:
    assert set() != meaning_of(text, FRAMES[server])


@st.composite
def joined_sentences(draw: st.DrawFn) -> tuple[str, str, tuple[str, ...]]:
    """Return a server, a sentence of two or three that are joined, and these."""
    server = draw(st.sampled_from(sorted(ALONE)))
    parts = draw(st.lists(st.sampled_from(ALONE[server]), min_size=2, max_size=3, unique=True))
    whole = parts[0].removesuffix(".")
    for part in parts[1:]:
        whole += draw(st.sampled_from(JOINTS)) + (part[0].lower() + part[1:]).removesuffix(".")
    return server, f"{whole}.", tuple(parts)


@pytest.mark.slow
@given(drawn=joined_sentences())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_sentences_that_are_joined_mean_all_of_them_or_are_refused(drawn: tuple[str, str, tuple[str, ...]]) -> None:
    server, whole, parts = drawn
    alone = meaning_of("\n\n".join(parts), FRAMES[server])
    assert meaning_of(whole, FRAMES[server]) in (set(), alone)
