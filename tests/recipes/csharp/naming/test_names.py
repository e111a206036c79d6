"""Names: valid, unique, stable."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.csharp.naming.identifiers import member_names, pascal, property_names, type_names
from retouch.recipes.csharp.naming.places import path_name
from retouch.recipes.csharp.naming.singular import singular

if TYPE_CHECKING:
    import random

WIRE_NAMES = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.text(alphabet="aAbB1._-$@ ", max_size=4),
        st.sampled_from(["class", "Class", "a.b", "a_b"]),
    ),
    max_size=12,
    unique=True,
)


def is_identifier(name: str) -> bool:
    """Return whether C# accepts the name: letters first, then letters, digits and combining marks, all in the first
    plane.
    """
    letters = {"Lu", "Ll", "Lt", "Lm", "Lo"}
    later = letters | {"Nd", "Mn", "Mc"}
    kinds = [unicodedata.category(char) for char in name]
    return bool(name) and kinds[0] in letters and all(kind in later for kind in kinds) and len(name) < 500


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("firstName", "FirstName"),
        ("HTTPUrl", "HTTPUrl"),
        ("HTTP_URL", "HttpUrl"),
        ("ID", "ID"),
        ("pull_request_url", "PullRequestUrl"),
        ("@type", "Type"),
        ("$ref", "Ref"),
        ("2fa", "Value2fa"),
        ("%{project}", "Project"),
        ("a/b", "AB"),
        ("+1", "Plus1"),
        ("-1", "Minus1"),
        ("", "Empty"),
        ("*", "Star"),
        ("é", "É"),
        ("naïve-name", "NaïveName"),
        ("日本", "日本"),
        ("\U0001d4b3", "U1D4B3"),
        ("foob:", "Foob"),
        ("class", "Class"),
    ],
)
def test_wire_names_become_pascal_case(wire: str, name: str) -> None:
    assert name == pascal(wire)


def test_colliding_names_spell_out_the_difference() -> None:
    wire = ["class", "Class", "a.b", "a-b", "a_b", "aB", "type", "@type"]
    assert {
        "class": "Class", "Class": "ClassUpper", "aB": "AB", "a_b": "AUnderscoreB", "a-b": "ADashB", "a.b": "ADotB",
        "type": "Type", "@type": "AtType",
    } == property_names(wire, "Thing")  # fmt: skip


@pytest.mark.parametrize("wire", ["thing", "get_hash_code", "toString", "equals"])
def test_a_property_is_not_named_like_its_class_or_a_member_of_object(wire: str) -> None:
    assert f"{pascal(wire)}Value" == property_names([wire], "Thing")[wire]


@given(WIRE_NAMES)
@settings(max_examples=200, deadline=None)
def test_any_wire_names_become_valid_unique_names(wire: list[str]) -> None:
    names = property_names(wire, "AB")
    assert set(wire) == set(names)
    assert len(names) == len({*names.values(), "AB"}) - 1
    assert [] == [name for name in names.values() if not is_identifier(name)]


@given(WIRE_NAMES, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_names_do_not_depend_on_order(wire: list[str], shuffle: random.Random) -> None:
    shuffled = wire[:]
    shuffle.shuffle(shuffled)
    assert property_names(wire, "Thing") == property_names(shuffled, "Thing")
    assert member_names(wire, {}) == member_names(shuffled, {})


@given(WIRE_NAMES, st.text(max_size=6))
@settings(max_examples=150, deadline=None)
def test_a_new_sibling_renames_only_what_it_collides_with(wire: list[str], sibling: str) -> None:
    before = property_names(wire, "Thing")
    after = property_names([*wire, sibling], "Thing")
    taken = {after[sibling], pascal(sibling)}
    renamed = [name for name in wire if before[name] != after[name] and before[name] not in taken and name != sibling]
    assert [] == [name for name in renamed if pascal(name) not in taken]


def test_long_names_are_cut_and_stay_apart() -> None:
    names = property_names(["f" * 600 + "a", "f" * 600 + "b"], "Thing")
    assert 2 == len(set(names.values()))
    assert all(len(name) <= 110 for name in names.values())


@pytest.mark.parametrize(
    "name", ["Guid", "DateTime", "Dictionary", "JsonElement", "System", "Json", "DescriptionAttribute"]
)
def test_a_type_does_not_hide_one_that_the_file_uses(name: str) -> None:
    assert {"#/x": f"{name}Type"} == type_names([("#/x", name)])


@pytest.mark.parametrize(
    "name", ["Environment", "Action", "Version", "Index", "Type", "Object", "String", "ProductAttribute"]
)
def test_a_type_that_hides_nothing_in_use_keeps_its_name(name: str) -> None:
    assert {"#/x": name} == type_names([("#/x", name)])


def test_types_of_equal_names_stay_apart_by_their_places() -> None:
    names = type_names([("#/a", "Foo"), ("#/b", "Foo"), ("#/c", "Foo")])
    assert "Foo" == names["#/a"]
    assert 3 == len(set(names.values()))
    assert names["#/c"] == type_names([("#/z", "Foo"), ("#/c", "Foo")])["#/c"]


@pytest.mark.parametrize(
    ("plural", "single"),
    [
        ("Series", "Series"), ("News", "News"), ("Taxes", "Tax"), ("Analyses", "Analysis"), ("Movies", "Movie"),
        ("Projects", "Project"), ("PullRequests", "PullRequest"), ("Companies", "Company"), ("Boxes", "Box"),
        ("Batches", "Batch"), ("Addresses", "Address"), ("Address", "Address"), ("Status", "Status"),
        ("Statuses", "Status"), ("People", "Person"), ("Children", "Child"), ("Indices", "Index"), ("Keys", "Key"),
        ("Houses", "House"), ("Responses", "Response"), ("Databases", "Database"), ("Bases", "Base"), ("Gases", "Gas"),
        ("Species", "Species"), ("IDs", "ID"), ("APIs", "API"), ("Repos", "Repo"), ("Photos", "Photo"),
        ("Heroes", "Hero"), ("Leaves", "Leaf"), ("Data", "Data"), ("Business", "Business"), ("Analysis", "Analysis"),
        ("Metrics", "Metric"), ("CPUs", "CPU"), ("Bus", "Bus"), ("Queries", "Query"), ("Cookies", "Cookie"),
        ("Causes", "Cause"), ("Licenses", "License"), ("Crises", "Crisis"), ("Sales", "Sale"), ("x", "x"), ("", ""),
    ],
)  # fmt: skip
def test_words_become_singular(plural: str, single: str) -> None:
    assert single == singular(plural)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyzS", min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_a_singular_is_never_empty_and_short_of_two_letters(word: str) -> None:
    assert singular(word)
    assert min(len(word), 2) <= len(singular(word))


@pytest.mark.parametrize(
    ("path", "one", "name"),
    [
        ("/rest/v1.1/projects", True, "Project"),
        ("/repos/{owner}/{repo}/issues", True, "Issue"),
        ("/repos/{owner}/{repo}/issues", False, "Issues"),
        ("/pets/{id}", False, "Pet"),
        ("/tax-rates", True, "TaxRate"),
        ("/news", True, "News"),
        ("/v2", True, "V2"),
        ("/", False, "Resource"),
        ("/{id}", False, "Resource"),
        ("/pets.json", True, "Pet"),
        ("/items:search", False, "ItemsSearch"),
        ("/responses?beta=true", False, "Responses"),
        ("/files/report.{format}", False, "Report"),
    ],
)
def test_paths_give_names_to_their_responses(path: str, one: bool, name: str) -> None:
    assert name == path_name(path, single=one)
