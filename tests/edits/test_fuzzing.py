"""A sample of the fuzzer: no reply gives other bytes than its edits, and none loses an edit without a word."""

from __future__ import annotations

import pytest

from tests.edits.fuzzing import DAMAGES, FORMATS, PERTURBATIONS, Case, run, verdict

TEXT = "def f(a, b):\n    return a\n"


@pytest.mark.slow
def test_a_sample_of_replies_is_applied_exactly_or_refused():
    seen, wrong = run(400, 20)
    assert [] == [(case.kind, case.reply) for case in wrong]
    applied = sum(number for (_, found), number in seen.items() if found == "applied")
    assert applied * 3 > seen.total()
    for part, names in enumerate((FORMATS, set(PERTURBATIONS), set(DAMAGES))):
        assert set(names) == {kind.split(", ")[part] for kind, _ in seen}


def test_the_fuzzer_sees_other_bytes_and_a_lost_edit():
    reply = "FIND:\n```\n    return a\n```\nREPLACE WITH:\n```\n    return b\n```\n"
    right = Case(kind="", before=TEXT, after=TEXT.replace("return a", "return b"), reply=reply)
    assert "applied" == verdict(right)
    assert "refused" == verdict(Case(kind="", before="x\n", after="y\n", reply=reply))
    assert "WRONG" == verdict(Case(kind="", before=TEXT, after=TEXT.replace("return a", "return c"), reply=reply))
    lost = TEXT.replace("return a", "return b").replace("(a, b)", "(a)")
    assert "WRONG" == verdict(Case(kind="", before=TEXT, after=lost, reply=reply))
