"""The offline model reads only the prompt's text and writes a correct answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.types import Prompt
from retouch.errors import ModelError
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.ir import CsField, CsType, EnumValue
from tests.recipes.csharp.answers_zoo import ENDPOINT, good_pages, one_class, prompts


def test_a_class_is_written_with_all_its_attributes():
    text = good_pages()["Owner"][0]
    assert text == (
        "[AdditionalProperties(false)]\n"
        "public class Owner\n"
        "{\n"
        '    [JsonPropertyName("uuid")]\n'
        "    [Required]\n"
        "    public required Guid Uuid { get; init; }\n"
        "\n"
        '    [JsonPropertyName("size")]\n'
        "    [Nullable(true)]\n"
        "    public Size? Size { get; init; }\n"
        "}\n"
    )


def test_an_enum_of_strings_has_a_converter_and_one_of_integers_has_none():
    assert good_pages()["Mood"][0].startswith("[JsonConverter(typeof(JsonStringEnumConverter))]\n")
    assert "public enum Size\n{\n    Size1 = 1,\n    Size2 = 2,\n    Size40 = 40,\n}\n" == good_pages()["Size"][0]


def test_later_pages_are_members_between_marks():
    for text in (good_pages()["PetsDataObject"][1], good_pages()["Mood"][1]):
        assert text.startswith("// BEGIN_FIELDS\n    [Json")
        assert text.endswith("// END_FIELDS\n")


def test_only_the_user_text_is_read():
    prompt = prompts()[0]
    bare = Prompt(unit="other", page=7, system="", user=prompt.user)
    assert answer(prompt) == answer(bare)


@pytest.mark.parametrize("text", ["", "Say hello.", "OUTPUT MODE: haiku\n\nFIELDS:\n(none)"])
def test_a_text_that_is_no_page_is_refused(text: str):
    with pytest.raises(ModelError, match="output mode"):
        answer(Prompt(unit="X", system="", user=text))


def test_a_line_that_cannot_be_read_is_named():
    broken = prompts()[0].user.replace("; nullable: no", "", 1)
    with pytest.raises(ModelError, match="cannot be read"):
        answer(Prompt(unit="X", system="", user=broken))


def test_a_field_that_is_neither_required_nor_nullable_is_initialised():
    endpoint = one_class(CsField(json_name="a", name="A", type="string"))
    pages = [answer(prompt) for prompt in prompts(endpoint)]
    assert "public string A { get; init; } = default!;" in pages[0]
    assert [] == list(read(endpoint, "PetsDataObject", pages).issues)


names = st.text(min_size=1, max_size=12)
attributes = st.sampled_from([(), ("WriteOnly",), ("MinLength(1)", 'Pattern("[; ]+ -> \\"x\\"; type: y")')])
types = st.sampled_from(["string", "long", "Dictionary<string, object?>", "string?[]", "byte[]", "JsonElement"])


@st.composite
def fields(draw: st.DrawFn) -> tuple[CsField, ...]:
    json_names = draw(st.lists(names, unique=True, max_size=9))
    return tuple(
        CsField(
            json_name=json_name,
            name=f"P{index}",
            type=draw(types),
            required=draw(st.booleans()),
            nullable=draw(st.booleans()),
            attributes=draw(attributes),
            description=draw(st.text(max_size=40)),
        )
        for index, json_name in enumerate(json_names)
    )


@settings(max_examples=60, deadline=None)
@given(fields(), st.integers(1, 4), st.text(max_size=30))
def test_every_answer_passes_every_check(fields: tuple[CsField, ...], size: int, description: str):
    endpoint = one_class(*fields, fields_per_page=size)
    endpoint = replace(endpoint, types=(replace(endpoint.root, description=description),))
    pages = [answer(prompt) for prompt in prompts(endpoint)]
    result = read(endpoint, "PetsDataObject", pages)
    assert [] == [issue.message for issue in result.issues]
    assert result.value is not None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=8), unique=True, min_size=1, max_size=9), st.integers(1, 4))
def test_every_enum_value_passes_every_check(values: list[str], size: int):
    members = tuple(EnumValue(value=value, name=f"V{index}") for index, value in enumerate(values))
    endpoint = replace(ENDPOINT, types=(CsType(name="E", kind="enum", values=members),), values_per_page=size)
    pages = [answer(prompt) for prompt in prompts(endpoint)]
    assert [] == [issue.message for issue in read(endpoint, "E", pages).issues]
