"""A run of the suite takes a sample of the slow tests, another one for each commit."""

from __future__ import annotations

from tests.sampling import sample

CASES = [f"tests/test_a.py::test_killed[{number}]" for number in range(20)]
ALONE = [f"tests/test_b.py::test_{number}" for number in range(100)]


def test_one_in_five_cases_of_a_test_is_drawn_and_at_least_one():
    assert 4 == len(sample(CASES, share=5, seed="0"))
    assert 1 == len(sample(CASES[:2], share=5, seed="0"))
    assert {1, 2} == {len(sample(CASES[:8], share=5, seed=str(seed))) for seed in range(20)}


def test_a_share_of_one_is_all_of_them():
    assert {*CASES, *ALONE} == sample([*CASES, *ALONE], share=1, seed="")


def test_of_tests_without_cases_about_one_in_five_is_drawn():
    assert 10 <= len(sample(ALONE, share=5, seed="0")) <= 30


def test_each_commit_draws_others_and_in_some_commits_all_have_been_drawn():
    drawn = [sample([*CASES, *ALONE], share=5, seed=str(seed)) for seed in range(60)]
    assert {*CASES, *ALONE} == set[str]().union(*drawn)
    assert 60 == len({frozenset(one) for one in drawn})


def test_the_sample_of_a_commit_does_not_depend_on_the_order_of_the_tests():
    assert sample([*CASES, *ALONE], share=5, seed="a") == sample([*ALONE, *reversed(CASES)], share=5, seed="a")
