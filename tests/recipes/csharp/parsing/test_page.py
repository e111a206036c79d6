"""The outline of a page matches its syntax tree, with lines and offsets of the page itself."""

from __future__ import annotations

import pytest

from retouch.recipes.csharp.parsing.outline import Attribute, Outline, Property
from retouch.recipes.csharp.parsing.page import comments, normalised, outline
from retouch.recipes.csharp.parsing.spelling import attribute_name, read_type
from tests.counted import calls_of
from tests.recipes.csharp.answers_zoo import good_pages


def first(text: str) -> Property:
    return outline(f"class X {{\n{text}\n}}", "type").types[0].properties[0]


def above(text: str) -> Attribute:
    return outline(f"[{text}]\nclass X {{ }}", "type").types[0].attributes[0]


def test_a_class_is_outlined_with_its_place():
    (found,) = outline("// note\n[A]\npublic partial class Pet : Base\n{\n}\n", "type").types
    assert ("class", "Pet", ("public", "partial"), "Base", 2) == (
        found.kind, found.name, found.modifiers, found.bases, found.line,
    )  # fmt: skip


def test_the_lines_and_offsets_of_a_fragment_are_those_of_the_page():
    text = good_pages()["PetsDataObject"][1]
    page = outline(text, "members")
    (part,) = page.types
    born = part.properties[0]
    assert '[JsonPropertyName("born")]' == page.data[born.start :].decode().split("\n", 1)[0]
    assert "    public DateOnly? Born { get; init; }" == text.split("\n")[born.line - 1]
    assert ["// BEGIN_FIELDS", "// END_FIELDS"] == [mark.text for mark in page.marks]
    assert text.count("\n") == page.marks[1].line


def test_offsets_count_bytes_where_text_is_not_ascii():
    text = '// \u00e4\u00f6 \U0001f600\n    [JsonPropertyName("\u00e9\U0001f600")]\n    public int A { get; init; }\n'
    page = outline(text, "members")
    (found,) = page.types[0].properties
    assert "\u00e9\U0001f600" == found.json_name
    assert page.data[found.start : found.end].decode().endswith("{ get; init; }")


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ('"a"', "a"),
        ('""', ""),
        (r'"\"\\\n\t\u00e9\x41\0"', '"\\\n\t\u00e9A\0'),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\U0001F600"', "\U0001f600"),
        ('@"a ""b"" \\n"', 'a "b" \\n'),
        ('"""x "y" z"""', 'x "y" z'),
        ('"""\n    one\n      two\n    """', "one\n  two"),
        ('"a" + "b" + @"c"', "abc"),
        ('("a")', "a"),
    ],
)
def test_every_kind_of_string_is_decoded(literal: str, value: str):
    (argument,) = above(f"A({literal})").arguments
    assert ("text", value) == (argument.kind, argument.value)


@pytest.mark.parametrize(
    ("text", "kind", "value", "name"),
    [
        ("nameof(Id)", "nameof", "Id", ""),
        ("nameof( Pet . @Id )", "nameof", "Id", ""),
        ("typeof(JsonStringEnumConverter)", "typeof", "JsonStringEnumConverter", ""),
        ("Condition = JsonIgnoreCondition.Never", "other", "JsonIgnoreCondition.Never", "Condition"),
        ("value: 3", "other", "3", "value:"),
        ("-1.5", "other", "-1.5", ""),
        ('"a"u8', "other", '"a"u8', ""),
        ('"a" + Name', "other", '"a"+Name', ""),
    ],
)
def test_every_kind_of_argument_is_told_apart(text: str, kind: str, value: str, name: str):
    (argument,) = above(f"A({text})").arguments
    assert (kind, value, name) == (argument.kind, argument.value, argument.name)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Required", "Required"),
        ("RequiredAttribute", "Required"),
        ("Json.Schema.Generation.Required", "Required"),
        ("global::System.Text.Json.Serialization.JsonPropertyNameAttribute", "JsonPropertyName"),
        ("System.ComponentModel.DataAnnotations.Required", "System.ComponentModel.DataAnnotations.Required"),
        ("Newtonsoft.Json.JsonProperty", "Newtonsoft.Json.JsonProperty"),
        ("Attribute", "Attribute"),
    ],
)
def test_an_attribute_has_one_name_in_all_its_spellings(written: str, name: str):
    assert name == attribute_name(written)
    assert name == above(written).name


@pytest.mark.parametrize(
    ("written", "canonical", "nullable"),
    [
        ("string?", "string", True),
        ("System.String", "string", False),
        ("Int64", "long", False),
        ("List<string?>?", "string?[]", True),
        ("System.Collections.Generic.List< long [] >", "long[][]", False),
        ("Nullable<global::System.Guid>", "Guid", True),
        ("Dictionary<string,List<Pet?>>", "Dictionary<string,Pet?[]>", False),
        ("Other.Pet", "Other.Pet", False),
        ("int[,]", "int[,]", False),
        ("<broken", "<broken", False),
        ("", "", False),
    ],
)
def test_a_type_has_one_canonical_spelling(written: str, canonical: str, nullable: bool):
    found = read_type(written)
    assert (canonical, nullable) == (found.canonical, found.nullable)


def test_a_type_mentions_the_names_that_must_be_declared():
    assert ("Pet", "Dictionary") == read_type("Dictionary<string, Pet[]>?").names
    assert () == read_type("string").names


@pytest.mark.parametrize(
    ("text", "accessors"),
    [
        ("public int A { get; init; }", ("get", "init")),
        ("public int A { get; private set; }", ("get", "private set")),
        ("public int A { get { return 1; } }", ("get{}",)),
        ("public int A { get => 1; set { } }", ("get{}", "set{}")),
        ("public int A => 1;", ()),
    ],
)
def test_accessors_are_listed(text: str, accessors: tuple[str, ...]):
    assert accessors == first(text).accessors


def test_comments_and_directives_inside_a_property_do_not_hide_it():
    found = first("[A] // one\n#pragma warning disable X\npublic /* two */ required string? B { get; init; } = null;")
    assert ("B", "string", "null") == (found.name, found.type.canonical, found.initialiser)
    assert ("public", "required") == found.modifiers


def test_comments_are_found_wherever_they_stand():
    text = "// a\nclass X { public int A { get; /* b */ init; } // c\n}"
    assert ["// a", "/* b */", "// c"] == [comment.text for comment in comments(text, "type")]


@pytest.mark.parametrize(
    "text",
    [
        "class X { public int A { get; init; } = required; }",
        "[A(nameof(required))] class X { public string B { get; init; } = nameof(required); }",
        "class X { }\n#pragma warning restore CS1591",
    ],
)
def test_what_the_grammar_alone_takes_for_an_error_is_none(text: str):
    assert None is outline(text, "type").fault


@pytest.mark.parametrize(
    ("text", "form", "line"),
    [
        ("class X {\n", "type", 1),
        ("class X { public int A { get; init } }", "type", 1),
        ("class X {\n}\n}\n", "type", 3),
        ("public int A { get; init; }\n}\n", "members", 2),
        ("A\nB\n", "values", 2),
        ('class X {\n  public string A { get; } = "a;\n}', "type", 2),
    ],
)
def test_a_syntax_error_has_a_line(text: str, form: str, line: int):
    page = outline(text, form)  # pyright: ignore[reportArgumentType] - a table of plain text
    fault = page.fault or next(iter(page.stray))
    assert line == fault.line


def test_deep_nesting_is_parsed_without_recursion():
    page = outline("class X { public int A { get; } = " + "(" * 3000 + "1" + ")" * 3000 + "; }", "type")
    assert isinstance(page, Outline)
    assert isinstance(outline("{" * 5000, "type"), Outline)


def test_line_ends_and_byte_order_mark_are_made_one():
    assert "a\nb\nc\n" == normalised("\ufeffa\r\nb\rc\n")


def test_one_page_takes_few_function_calls():
    text = good_pages()["PetsDataObject"][0]
    assert calls_of(lambda: outline(f"{text}// not cached", "type")) < 4 * len(text)


@pytest.mark.parametrize(
    "text",
    [
        "    public int A { get; init; }\n    public int B { get; init;\n",
        "public int A { get; init; }\npublic int A { get; init; }\npublic required string \n[X(] public int C",
        "// BEGIN_FIELDS\npublic int A { get; init; }\npublic int B { get; init;\n// END_FIELDS",
    ],
)
def test_an_error_in_a_fragment_quotes_the_page_and_not_what_was_added_around_it(text: str) -> None:
    fault = outline(text, "members").fault
    assert fault is not None
    assert (True, False) == (fault.line > 1, "_" in fault.text.replace("_FIELDS", ""))


def test_a_fault_inside_of_a_member_is_named_by_its_own_line_and_never_by_the_added_declaration() -> None:
    sound = '    [JsonPropertyName("a")]\n    public int A { get; init; }\n\n'
    later = '    [JsonPropertyName("c")]\n    public string? C { get; init; }\n'
    for wrong in (
        "    public Dictionary<string, double?>? S;ores { get; init; }\n",
        "    public l;ng[][] B { get; init; }\n",
    ):
        fault = outline(f"// BEGIN_FIELDS\n{sound}{wrong}\n{later}// END_FIELDS\n", "members").fault
        assert fault is not None
        assert "_ {" not in fault.text
        assert fault.line > 1
