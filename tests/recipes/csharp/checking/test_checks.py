"""Results of the checks: messages that a model can use, the right pages, and types in other forms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retouch.engine.types import Tier
from retouch.errors import RecipeBug
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.ir import CsField
from tests.recipes.csharp.answers_zoo import ENDPOINT, ROOT, codes, good_pages, one_class

PETS = "PetsDataObject"
WHOLE_OWNER = good_pages()["Owner"][0]


def judged(unit: str, *edits: tuple[int, str, str]):
    pages = good_pages()[unit]
    for page, old, new in edits:
        assert old in pages[page - 1]
        pages[page - 1] = pages[page - 1].replace(old, new)
    return read(ENDPOINT, unit, pages)


def only(unit: str, *edits: tuple[int, str, str]):
    (issue,) = judged(unit, *edits).issues
    return issue


def test_an_undeclared_type_is_reported_with_the_declared_ones():
    issue = only(PETS, (1, "Owner? Owner", "OwnerInfo? Owner"))
    assert "Property 'Owner' references type 'OwnerInfo' which is not declared in this file." == issue.message
    assert {"Declared types": "PetsDataObject, Owner, Mood, Size"} == issue.detail
    assert "Write the type as Owner?." == issue.fix


def test_a_long_list_of_declared_types_is_cut():
    many = replace(ENDPOINT, types=(ROOT, *(replace(ENDPOINT.types[1], name=f"Owner{i}") for i in range(60))))
    pages = good_pages()[PETS]
    pages[0] = pages[0].replace("Owner? Owner", "OwnerInfo? Owner")
    (issue,) = read(many, PETS, pages).issues
    assert str(issue.detail["Declared types"]).endswith("Owner38 and 21 more")


def test_a_missing_field_is_requested_from_its_own_page():
    block = '    [JsonPropertyName("matrix")]\n    [Required]\n    public required long[][] Matrix { get; init; }\n\n'
    issue = only(PETS, (2, block, ""))
    assert ("MISSING_FIELD", 2, None) == (issue.code, issue.page, issue.line)
    assert 'Add [JsonPropertyName("matrix")] public required long[][] Matrix { get; init; }' == issue.fix


def test_a_field_on_another_page_than_its_own_is_not_missing():
    block = '    [JsonPropertyName("matrix")]\n    [Required]\n    public required long[][] Matrix { get; init; }\n\n'
    end = "// BEGIN_FIELDS\n"
    assert [] == list(judged(PETS, (2, block, ""), (3, end, end + block)).issues)


def test_a_duplicate_is_blamed_on_the_page_that_does_not_own_it():
    first = good_pages()[PETS][0]
    born = '    [JsonPropertyName("born")]\n    [Nullable(true)]\n    public DateOnly? Born { get; init; }\n'
    issue = only(PETS, (1, first, f"{first.removesuffix(chr(125) + chr(10))}\n{born}}}\n"))
    assert ("DUPLICATE_FIELD", 1) == (issue.code, issue.page)
    assert "[JsonPropertyName(\"born\")] appears 2 times in class 'PetsDataObject'." == issue.message


def test_a_misspelled_field_is_reported_with_its_spelling():
    found = judged(PETS, (2, '"seen_at"', '"seenAt"')).issues
    assert {"PHANTOM_FIELD", "MISSING_FIELD"} == {issue.code for issue in found}
    assert 'Write it exactly as "seen_at".' in [issue.fix for issue in found]


def test_a_broken_page_is_blamed_alone_and_stops_the_later_tier():
    result = judged(PETS, (2, "init; }", "init;"), (1, "Owner? Owner", "OwnerInfo? Owner"))
    assert None is result.value
    assert {(Tier.SYNTAX, 2)} == {(issue.tier, issue.page) for issue in result.issues}


def test_a_readable_type_with_errors_has_a_value():
    result = judged(PETS, (1, "Owner? Owner", "OwnerInfo? Owner"))
    assert result.value is not None
    assert "OwnerInfo? Owner" in result.value.text


def test_lines_count_within_the_page():
    issue = only(PETS, (2, "DateTime SeenAt", "DateOnly SeenAt"))
    assert "DateTime SeenAt" in good_pages()[PETS][1].split("\n")[(issue.line or 0) - 1]
    assert 2 == issue.page


def test_a_missing_brace_is_reported():
    (issue,) = read(ENDPOINT, "Owner", [WHOLE_OWNER.rstrip().removesuffix("}")]).issues
    assert "STRUCTURAL" == issue.code
    assert "It has 1 { too many." in issue.message


def test_braces_in_strings_are_not_counted_as_missing():
    text = WHOLE_OWNER.replace("    [Required]\n", '    [Description("{{{")]\n    [Required\n')
    (issue,) = read(ENDPOINT, "Owner", [text]).issues
    assert "STRUCTURAL" == issue.code
    assert "too many" not in issue.message


def test_an_adopted_type_is_blamed_on_its_one_page():
    whole = judged(PETS).value
    assert whole is not None
    text = whole.text.replace("DateTime SeenAt", "DateOnly SeenAt").replace('"weight"', '"mass"')
    found = read(ENDPOINT, PETS, [text]).issues
    assert {"WRONG_TYPE", "PHANTOM_FIELD", "MISSING_FIELD"} == set(codes(list(found)))
    assert {1} == {issue.page for issue in found}


def test_pages_of_another_plan_blame_the_whole_type():
    """If a type was answered in two pages but planned in three, the page of a missing field is not known."""
    first, second, third = good_pages()[PETS]
    both = second.replace("// END_FIELDS\n", "") + "\n" + third.replace("// BEGIN_FIELDS\n", "")
    assert [] == list(read(ENDPOINT, PETS, [first, both]).issues)
    (issue,) = read(ENDPOINT, PETS, [first, second]).issues
    assert ("MISSING_FIELD", None) == (issue.code, issue.page)


def test_an_unknown_unit_is_a_bug_of_the_caller():
    with pytest.raises(RecipeBug, match="no type 'Cats'"):
        read(ENDPOINT, "Cats", ["class Cats { }"])


def test_a_type_without_members_is_whole_without_members():
    assert [] == list(read(one_class(), PETS, ["public class PetsDataObject\n{\n}\n"]).issues)


def test_a_root_without_a_known_key_may_have_one_or_none():
    endpoint = one_class(CsField(json_name="a", name="A", type="string", required=True))
    (text,) = good_pages(endpoint)[PETS]
    assert [] == list(read(endpoint, PETS, [text]).issues)
    assert [] == list(read(endpoint, PETS, [f'[PrimaryKey("id", nameof(A))]\n{text}']).issues)
    (issue,) = read(endpoint, PETS, [f'[PrimaryKey("id", nameof(B))]\n{text}']).issues
    assert "PRIMARY_KEY" == issue.code


def test_a_composite_key_keeps_its_order():
    fields = tuple(CsField(json_name=name, name=name.upper(), type="string", required=True) for name in ("a", "b"))
    endpoint = one_class(*fields)
    endpoint = replace(endpoint, types=(replace(endpoint.root, key=("id", "a", "b")),))
    pages = good_pages(endpoint)[PETS]
    assert pages[0].startswith('[PrimaryKey("id", nameof(A), nameof(B))]')
    assert [] == list(read(endpoint, PETS, pages).issues)
    swapped = [pages[0].replace("nameof(A), nameof(B)", "nameof(B), nameof(A)")]
    assert ["PRIMARY_KEY"] == codes(list(read(endpoint, PETS, swapped).issues))


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "sorry", "\U0001f600", "\ud800", "}" * 50, "{" * 4000])
def test_bad_text_is_an_issue_and_never_an_exception(text: str):
    result = read(ENDPOINT, "Owner", [text])
    assert None is result.value
    assert result.issues


def test_very_deep_nesting_is_an_issue_and_never_an_exception():
    deep = WHOLE_OWNER.replace("{ get; init; }\n}", "{ get; init; } = " + "(" * 5000 + "1" + ")" * 5000 + ";\n}")
    assert read(ENDPOINT, "Owner", [deep]).issues
    joined = WHOLE_OWNER.replace('"uuid"', " + ".join(['"u"'] * 3000))
    assert read(ENDPOINT, "Owner", [joined]).issues
    assert read(ENDPOINT, "Owner", [WHOLE_OWNER.replace("Guid", "List<" * 3000 + "int" + ">" * 3000)]).issues


@pytest.mark.parametrize(
    "comment",
    [
        "// ... rest unchanged",
        "// other fields as before",
        "// remaining properties omitted",
        "/* ... */",
        "// existing code here",
        "// …",
        "// TODO",
        "// add the remaining properties here",
        "// (unchanged)",
        "// The rest of the class",
        "/*\n * the rest of the members\n */",
    ],
)
def test_comments_that_stand_for_code_are_seen(comment: str):
    found = judged("Owner", (1, "public Size? Size", f"{comment}\n    public Size? Size")).issues
    assert ["PLACEHOLDER"] == codes(list(found))


@pytest.mark.parametrize(
    "comment",
    [
        "// the owner's number",
        "/* see https://example.com/a-b */",
        "/// <summary>Other values...</summary>",
        "// other fields of the address are optional",
        "// omitted when null",
        "// more than one value means that it was split",
        "// 1...5",
    ],
)
def test_ordinary_comments_are_left_alone(comment: str):
    assert [] == list(judged("Owner", (1, "public Size? Size", f"{comment}\n    public Size? Size")).issues)


@pytest.mark.parametrize(
    "value", ["default!", "null!", "string.Empty", '""', "new()", "[]", "new Foo()", "3", "-1.5m", "Mood.Star"]
)
def test_plain_initial_values_are_no_logic(value: str):
    assert [] == list(judged(PETS, (3, "Weight { get; init; }", f"Weight {{ get; init; }} = {value};")).issues)


@pytest.mark.parametrize("value", ["Compute()", "1 + Other", "x => x", "Math.Max(1, 2)", "await Load()"])
def test_initial_values_that_compute_are_logic(value: str):
    issue = only(PETS, (3, "Weight { get; init; }", f"Weight {{ get; init; }} = {value};"))
    assert "LOGIC" == issue.code


def test_pages_next_to_a_broken_one_are_checked_for_their_own_issues():
    block = '    [JsonPropertyName("matrix")]\n    [Required]\n    public required long[][] Matrix { get; init; }\n\n'
    found = judged(PETS, (2, block, ""), (3, "// END_FIELDS", "} // END_FIELDS"))
    assert {("STRUCTURAL", 3), ("MISSING_FIELD", 2)} == {(issue.code, issue.page) for issue in found.issues}
    assert found.value is None


def test_a_broken_first_page_makes_no_other_page_guilty():
    found = judged(PETS, (1, "public class", "public clas"))
    assert {1} == {issue.page for issue in found.issues}
