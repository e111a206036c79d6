"""Phrases that say what may happen: what they say, what must follow them, and what only looks like one."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.frames.phrases import Phrases
from retouch.recipes.policy.english.stances.stances import agreed, fillers, verdicts
from retouch.recipes.policy.english.words.naming import KnownWords
from retouch.recipes.policy.english.words.tokens import tokens_of
from retouch.recipes.policy.english.words.word_templates import Matcher, Templates, node_of
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, meaning_of

# By stance, and by what must follow: a verb in a form, an object, or nothing.
SAID = {
    ("permit", "none"): (
        "is fine by me", "is alright", "is no problem", "is not a problem", "is up to you", "is your call",
        "go ahead", "go right ahead", "by all means", "you can do yourself", "you can do without me", "you just do",
        "doesn't need my okay", "does not require my approval", "needs no approval", "doesn't have to go through me",
        "doesn't need to be approved by me", "is all yours", "no need to ask", "you needn't ask me",
        "you don't have to ask me first", "is okay", "is at your discretion", "is in your hands", "is not forbidden",
        "is not off limits", "be my guest", "I don't mind", "I have no objections to that", "feel free",
        "is something you may do", "I leave to you", "is always welcome", "is encouraged", "my okay isn't needed",
        "you don't need my permission for that", "is not an issue", "you decide", "you may handle without asking",
        "is fine", "consider it approved", "can go ahead", "is yours to decide", "doesn't need a yes from me",
        "isn't a problem at all", "I trust you with that", "you can handle on your own", "you have a free hand",
        "I'm fine with that", "is within your remit",
    ),
    ("forbid", "none"): (
        "is off limits", "is off the table", "is out of the question", "is a no-go", "is not okay",
        "isn't okay with me", "is not allowed", "is none of your business", "isn't your job",
        "isn't yours to decide", "is my job", "is my call", "is up to me", "is mine", "I do myself",
        "I'll do that myself", "I take care of myself", "you leave to me", "leave that to me", "hands off",
        "keep your hands off it", "you don't do", "no", "never", "absolutely not", "no way", "the answer is no",
        "is not up to you", "is never up to you", "must never happen", "is not going to happen", "doesn't happen",
        "is something you should never do", "is not something you do", "is reserved for me", "is left to Marta",
        "is Marta's job", "you leave to Marta", "is beyond your remit", "is a red line", "I don't want that",
        "let me do that", "don't even think about it", "is not an option", "I handle", "is my responsibility",
        "is out of bounds", "is taboo", "is strictly forbidden", "I'd rather do that myself", "is for me to decide",
        "is only for me", "will never happen", "you must never do", "you are never to do", "please don't",
        "is not part of your job", "doesn't concern you", "should be left to me", "stays with me",
        "keep away from it", "I will not tolerate", "isn't allowed",
    ),
    ("ask", "none"): (
        "needs my okay", "needs my okay first", "needs a yes from me", "needs the office's approval",
        "needs the approval of our counsel", "has to go through me first", "has to be approved by me",
        "must be signed off by me", "goes through me", "comes to me first", "requires asking me",
        "requires checking with me first", "ask me first", "talk to me first", "check with me",
        "check with the office first", "run it by me first", "come to me", "not without my okay",
        "not without asking me", "only with my okay", "only after you've asked me", "only if I confirm it",
        "only when I say so", "is fine once I've approved it", "is subject to my approval", "I want to approve first",
        "I want to see first", "I approve", "I have to sign off on first", "I want to be asked first",
        "let me know first", "wait for my go-ahead", "get my permission", "show me first", "get hold of me first",
        "isn't okay unless I've agreed", "you ask me", "please ask", "must wait for my approval", "my okay is needed",
        "not until I say so", "wait until I've said yes", "needs the green light from me", "needs my boss's approval",
        "calls for my approval", "is something I want to see first", "is something to check with me first",
        "escalate it to me", "wait for me", "let me approve it first", "is conditional on my approval",
        "I have the final say", "you clear with me first", "you run by me first", "has to wait until I've said yes",
        "never without my okay", "gets approved by me first", "not unless I say so", "takes my approval",
        "isn't allowed without my say-so",
    ),
    ("permit", "base"): (
        "you may", "you can always", "you're welcome to", "you are free to", "feel free to", "go ahead and",
        "go right ahead and", "by all means", "I'm happy for you to", "I don't mind if you", "It's okay to",
        "It's fine by me if you", "don't hesitate to", "no need to ask before you",
        "you don't need to ask me before you", "you needn't ask before you", "you don't need my okay to",
        "you have my blessing to", "you have a free hand to", "I trust you to", "I authorise you to", "you get to",
        "you may as well", "you are entitled to", "you could", "you have carte blanche to",
        "there's no problem if you", "I hereby allow you to", "you are trusted to", "it's all right to",
    ),
    ("forbid", "base"): (
        "never", "never ever", "don't", "don't ever", "don't you dare", "please don't", "you must not", "you mustn't",
        "you may not", "you can't", "you should never", "you shouldn't", "you'd better not", "you're not supposed to",
        "you aren't allowed to", "you are in no way allowed to", "you don't get to", "you don't", "you never",
        "you have no business to", "you have no right to", "I don't want you to", "I never want you to",
        "I'd rather you didn't", "I'd prefer you not to", "I would hate for you to", "under no circumstances",
        "under no circumstances may you", "on no account", "whatever you do, never", "make sure you never",
        "be careful not to", "try not to", "it's not your job to", "it is not okay to", "nobody may", "only I may",
        "nobody but me may", "at no point may you", "you are banned from", "it's not for you to",
        "I forbid you to", "I don't allow you to", "I ask you not to",
        "see to it that you never", "you lack the authority to",
    ),
    ("ask", "base"): (
        "ask me before you", "ask before you", "always ask first before you", "check with me before you",
        "check in with me before you", "talk to me before you", "get my okay before you",
        "I want to be asked before you", "you need my okay to", "you need to ask me before you",
        "ask me first if you want to", "ask me whenever you want to", "ask the office before you",
        "wait for my okay before you", "let me know first before you", "ask me every time you want to",
        "my okay is needed before you", "get the office's approval before you", "make sure I agree before you",
        "stop and ask me before you", "come to me before you", "show me first before you",
        "I need to approve it before you", "run it by me before you", "you must ask me whenever you want to",
    ),
    ("permit", "ing"): (
        "no problem with", "nothing against", "I'm okay with you", "I'm fine with", "I don't mind",
        "I have nothing against you", "I have no problem with you", "no need to ask before", "no objections to",
        "go ahead with",
    ),
    ("forbid", "ing"): (
        "no", "absolutely no", "stop", "avoid", "refrain from", "hold off on", "stay away from", "don't go",
        "don't even think about", "I don't want you", "I don't want any", "I'm not okay with you",
        "there is to be no", "you are forbidden from",
    ),
    ("ask", "ing"): (
        "ask before", "ask me before", "check with me before", "ask me about", "get my permission before",
        "I want to be asked before", "you need my okay for",
    ),
    ("forbid", "thing"): (
        "no", "no more", "I don't want any", "there must be no", "absolutely no",
    ),
    ("ask", "thing"): (
        "ask me about", "check with me about", "you need my okay for",
    ),
    ("permit", "thing"): (
        "no need to ask about",
    ),
    ("permit", "ed"): (
        "may be", "can be", "may always be", "are allowed to be", "can just be",
    ),
    ("forbid", "ed"): (
        "may not be", "must never be", "mustn't get", "are never to be", "should not be", "don't get",
        "are not to be", "never get",
    ),
}  # fmt: skip
EACH = [(stance, takes, phrase) for (stance, takes), phrases in SAID.items() for phrase in phrases]
# Phrases after "deleting mail" that say nothing of it, or not what a part of them says.
NONE = (
    "is full", "is on Monday", "is rarely fine", "was fine last year", "is what I do", "takes long", "is Ada", "is not",
    "needs the customer's approval", "needs a yes from the customer", "needs more than that", "costs 5 euros",
    "is for customers", "is done by customers", "happens on Mondays", "is a job", "is the customer's job",
)  # fmt: skip
NEGATED = {
    "is fine": "is not fine", "is allowed": "is never allowed", "is off limits": "is not off limits", "is forbidden":
    "is not forbidden", "needs my okay": "does not need my okay", "is my job": "is not my job", "is up to me":
    "is not up to me", "is a problem": "is not a problem", "is up to you": "is not up to you", "is your job":
    "is not your job", "you may": "you may not", "you can": "you can never", "you must not": "you must not not",
    "you are allowed to": "you are not allowed to", "feel free to": "do not feel free to", "ask me before you":
    "do not ask me before you", "you need my okay to": "you do not need my okay to", "I want to be asked before you":
    "I do not want to be asked before you", "go ahead and": "do not go ahead and", "I trust you to":
    "I do not trust you to", "no problem with": "not no problem with", "stay away from": "never stay away from",
    "I'm fine with": "I'm not fine with", "goes through me": "never goes through me", "is mine": "is not mine",
    "it is okay to": "it is not okay to", "you have my permission to": "you do not have my permission to",
    "may be": "may not be", "can be": "can never be", "are allowed to be": "are not allowed to be",
}  # fmt: skip
AGREED = (
    "unless I've okayed it", "unless I say so", "without asking me first", "without my agreement",
    "before I've said yes",
    "until I've signed off on it", "unless I confirm", "until I say so", "without my say-so",
    "unless you have asked me",
    "without the office's approval", "unless our counsel agrees", "without checking with me",
    "unless it is approved by me",
    "until you hear from me", "without first asking me", "without running it by me first",
    "unless I explicitly ask for it",
)  # fmt: skip
NOT_AGREED = (
    "unless the customer agrees", "without asking the customer", "until the customer has signed off on it",
    "without the customer's okay", "unless I object", "unless I say no", "unless I don't agree", "before I leave",
    "unless Marta agrees", "without Marta's okay", "unless it is urgent", "until Monday",
)  # fmt: skip
SAYING_NOTHING = {
    "please": {"permit", "forbid", "ask"}, "as usual": {"permit", "forbid", "ask"}, "for me": {"permit", "forbid",
    "ask"},
    "no matter who asks": {"permit", "forbid", "ask"}, "whenever you like": {"permit"}, "as you see fit": {"permit"},
    "without asking": {"permit"}, "no need to ask": {"permit"}, "day or night": {"permit"}, "that's no problem":
    {"permit"}, "at all": {"forbid", "ask"}, "no exceptions": {"forbid", "ask"}, "not even once": {"forbid", "ask"},
    "even if a customer asks": {"forbid", "ask"}, "that's my job": {"forbid"}, "leave it to me": {"forbid"},
    "wait for my answer": {"ask"}, "so I can check it": {"ask"},
}  # fmt: skip
FRAME = frame_of(
    "post",
    {
        "delete_letter": ("Delete a letter.", {"id": TEXT}),
        "send_letter": ("Send a letter to somebody.", {"to": TEXT, "text": TEXT}),
        "read_letter": ("Read a letter.", {"id": TEXT}),
        "print_letter": ("Print a letter.", {"id": TEXT, "copies": NUMBER}),
        "refund_order": ("Refund an order.", {"order": TEXT, "amount": NUMBER}),
    },
)
READ = (
    ("Deleting letters: talk to me first, every time.", {"escalate delete_letter"}),
    ("Deleting letters needs the approval of our counsel.", {"escalate delete_letter"}),
    ("Don't hesitate to delete letters.", {"allow delete_letter"}),
    ("Deleting letters is not off limits.", {"allow delete_letter"}),
    ("Deleting letters you leave to Marta.", {"deny delete_letter"}),
    ("Deleting letters is out of the question.", {"deny delete_letter"}),
    ("Letters stay exactly as they are.", {"deny delete_letter"}),
    ("Clear refunds with me first.", {"escalate refund_order"}),
    ("Reading letters is fine, leave printing to me.", {"allow read_letter", "deny print_letter"}),
    ("Reading letters is not okay, deleting letters is.", {"allow delete_letter", "deny read_letter"}),
    ("Reading letters doesn't need my okay, deleting letters does.", {"allow read_letter", "escalate delete_letter"}),
    ("Never delete letters, that's my job.", {"deny delete_letter"}),
)
UNREAD = (
    "Deleting letters needs the customer's approval.",
    "Ask the customer before you delete letters.",
    "Don't delete letters without the customer's okay.",
    "Don't delete letters unless the customer agrees.",
    "Deleting letters goes through Marta first.",
    "Deleting letters is fine if the customer agrees.",
    "You need not delete letters.",
    "You may not only delete letters.",
    "Deleting letters is not necessarily forbidden.",
    "Deleting letters isn't my job.",
    "If deleting letters is fine, ask me.",
    "Ask me whether deleting letters is fine.",
    "Reading letters isn't okay, deleting letters isn't.",
    "Reading letters doesn't need my okay, deleting letters doesn't.",
    "Reading letters is forbidden, deleting letters is too.",
    "You may delete letters, hands off.",
    "You may delete letters, that's my job.",
    "Deleting letters is fine, that's my job.",
    "Never delete letters, go ahead.",
    "Never delete letters unless I say no.",
    "It's okay not to delete letters.",
    "Feel free not to delete letters.",
    "Never leave letters to me.",
    "Do not run letters past me.",
    "I doubt you may delete letters.",
)


def words_of(text: str) -> Phrases:
    return Phrases(tokens_of(text), known=KnownWords(verbs=frozenset(), servers=frozenset()))


def said_at(text: str, at: int) -> set[tuple[str, str]]:
    """Return what the phrases from a position to the end of a text say and take."""
    words = words_of(text)
    return {(one.stance, one.takes) for one, end in verdicts(words, at) if end == words.size}


def stances_in(text: str) -> set[str]:
    """Return what the longest phrase says that ends a text."""
    words = words_of(text)
    found = [(at, one.stance) for at in range(words.size) for one, end in verdicts(words, at) if end == words.size]
    first = min((at for at, _ in found), default=0)
    return {stance for at, stance in found if at == first}


@pytest.mark.parametrize(("stance", "takes", "phrase"), EACH)
def test_a_phrase_says_what_may_happen_and_what_must_follow(stance: str, takes: str, phrase: str) -> None:
    lead = "deleting mail , " if takes == "none" else ""
    assert (stance, takes) in said_at(f"{lead}{phrase}", 3 if lead else 0)


@pytest.mark.parametrize(("stance", "takes", "phrase"), EACH)
def test_a_phrase_says_nothing_else(stance: str, takes: str, phrase: str) -> None:
    found = said_at(f"deleting mail , {phrase}", 3)
    assert {stance} == {one for one, _ in found} - {"opposite"}, takes


@pytest.mark.parametrize("text", NONE)
def test_other_words_are_no_verdict(text: str) -> None:
    assert not stances_in(f"deleting mail {text}") & {"permit", "forbid", "ask"}


@pytest.mark.parametrize(("plain", "negated"), NEGATED.items())
def test_a_phrase_with_a_negation_never_says_the_same(plain: str, negated: str) -> None:
    assert not stances_in(plain) & stances_in(negated)


@pytest.mark.parametrize(("stance", "takes", "phrase"), [one for one in EACH if one[1] != "none"])
def test_a_phrase_after_a_negation_is_none(stance: str, takes: str, phrase: str) -> None:
    assert (stance, takes) not in said_at(f"not {phrase}", 1)


@pytest.mark.parametrize("word", ["if", "what", "whether", "because", "which"])
def test_a_phrase_in_a_subordinate_clause_is_no_verdict(word: str) -> None:
    assert set() == said_at(f"{word} is fine", 1)


def test_a_permission_before_a_negation_is_none() -> None:
    words = words_of("you may not without my okay")
    assert set() == {one.stance for one, _ in verdicts(words, 0) if one.stance == "permit"}


@pytest.mark.parametrize("text", AGREED)
def test_an_agreement_makes_a_prohibition_a_question(text: str) -> None:
    words = words_of(text)
    assert words.size in set(agreed(words, 0))


@pytest.mark.parametrize("text", NOT_AGREED)
def test_what_others_agree_to_is_no_agreement(text: str) -> None:
    words = words_of(text)
    assert words.size not in set(agreed(words, 0))


@pytest.mark.parametrize(("text", "stances"), SAYING_NOTHING.items())
def test_fillers_fit_only_some_stances(text: str, stances: set[str]) -> None:
    words = words_of(text)
    assert stances == {one for end, found in fillers(words, 0) if end == words.size for one in found}


@pytest.mark.parametrize(("text", "wanted"), READ)
def test_a_sentence_is_read_by_its_phrases(text: str, wanted: set[str]) -> None:
    assert wanted == meaning_of(text, FRAME)


@pytest.mark.parametrize("text", UNREAD)
def test_a_sentence_is_refused_if_a_phrase_only_seems_to_be_one(text: str) -> None:
    assert set() == meaning_of(text, FRAME)


@pytest.mark.parametrize(
    ("template", "words", "ends"),
    [
        ("you [always] may", "you may", {2}),
        ("you [always] may", "you always may", {3}),
        ("[very]* good", "very very good", {3}),
        ("ask (me|the user) [first]", "ask the user first", {3, 4}),
        ("{who} may", "we may", {2}),
        ("ask me", "asking me", set[int]()),
    ],
)
def test_templates_match_whole_words(template: str, words: str, ends: set[int]) -> None:
    matcher = Matcher(templates=Templates({"who": "(i|we)"}), words=tuple(words.split()))
    assert ends == matcher.ends(node_of(template), 0)


def test_a_template_with_a_bracket_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="unbalanced"):
        node_of("you [always may")
