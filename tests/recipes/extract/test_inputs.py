"""Reading records."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.extract.inputs import STDIN, InputFilter, input_records, plain, read_rows

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"id": "1", "name": "Ada"}, {"id": "2", "name": 'Bob, the "Builder"\nof walls'}]


def written(place: Path, text: str | bytes) -> Path:
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def test_json_lines_arrays_and_tables_give_the_same_rows(tmp_path: Path) -> None:
    lines = "\ufeff" + "\n\n".join(map(json.dumps, ROWS)) + "\n"
    table = 'id,name\n1,Ada\n2,"Bob, the ""Builder""\nof walls"\n'
    assert ROWS == list(read_rows(written(tmp_path / "a.jsonl", lines)))
    assert ROWS == list(read_rows(written(tmp_path / "a.json", json.dumps(ROWS))))
    assert ROWS == list(read_rows(written(tmp_path / "a.csv", "\ufeff" + table)))
    assert ROWS == list(
        read_rows(
            written(tmp_path / "a.tsv", table.replace("id,name", "id\tname").replace("1,", "1\t").replace("2,", "2\t"))
        )
    )


def test_standard_input_is_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    class Standard:
        buffer = io.BytesIO(b'{"id": 1}\n{"id": 2}\n')

    monkeypatch.setattr("sys.stdin", Standard)
    assert [{"id": 1}, {"id": 2}] == list(read_rows(STDIN))


def test_a_directory_gives_its_texts_by_path(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    written(tmp_path / "b" / "two.md", "Zwei")
    written(tmp_path / "one.txt", "One")
    written(tmp_path / "picture.png", b"\x89PNG")
    assert [{"path": "b/two.md", "text": "Zwei"}, {"path": "one.txt", "text": "One"}] == list(read_rows(tmp_path))


def test_a_text_file_alone_is_one_record(tmp_path: Path) -> None:
    place = written(tmp_path / "one.txt", "One")
    assert [{"path": "one.txt", "text": "One"}] == list(read_rows(place))
    with pytest.raises(BadInput, match=r"cannot query the text '.*one\.txt'"):
        list(read_rows(place, InputFilter(where="1 = 1")))


def test_a_text_in_another_encoding_is_refused_and_a_mark_of_utf8_is_no_text(tmp_path: Path) -> None:
    written(tmp_path / "a.txt", b"\xef\xbb\xbfOne\r\n")
    assert [{"path": "a.txt", "text": "One\r\n"}] == list(read_rows(tmp_path))
    written(tmp_path / "b.txt", "Größe".encode("latin-1"))
    with pytest.raises(BadInput, match=r"b\.txt' is not UTF-8 text: byte 2"):
        list(read_rows(tmp_path))


def test_the_text_layer_of_a_pdf_is_read_and_a_scanned_one_is_refused(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    page = b"BT /F1 12 Tf 20 100 Td (Invoice 17) Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(page), page),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    text = b"%PDF-1.4\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, one) for number, one in enumerate(objects, 1))
    written(tmp_path / "a.pdf", text + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
    assert ["Invoice 17"] == [str(row["text"]).strip() for row in read_rows(tmp_path)]
    (tmp_path / "a.pdf").unlink()
    blank = pypdf.PdfWriter()
    blank.add_blank_page(100, 100)
    blank.write(tmp_path / "scan.pdf")
    with pytest.raises(BadInput, match="has no text layer"):
        list(read_rows(tmp_path))


def test_rows_can_be_filtered_selected_and_limited_by_sql(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    place = written(tmp_path / "a.csv", "id,amount,day\n1,10,2024-01-02\n2,20.5,2024-01-03\n3,30,2024-01-04\n")
    only = InputFilter(where="amount > 10", select="id, amount * 2 AS twice, day")
    assert [{"id": 2, "twice": 41.0, "day": "2024-01-03"}, {"id": 3, "twice": 60.0, "day": "2024-01-04"}] == list(
        read_rows(place, only)
    )
    assert [{"id": "1", "amount": "10", "day": "2024-01-02"}] == list(read_rows(place, InputFilter(limit=1)))


def test_parquet_is_read_with_its_types(tmp_path: Path) -> None:
    duckdb: Any = pytest.importorskip("duckdb")
    place = tmp_path / "a.parquet"
    query = (
        "SELECT 1 AS id, DATE '2024-03-05' AS day, [1.5, 2] AS parts, {'a': NULL} AS inner, 2.50::DECIMAL(5,2) AS price"
    )
    duckdb.connect().execute(f"COPY ({query}) TO '{place}' (FORMAT parquet)")
    expected = {"id": 1, "day": "2024-03-05", "parts": [1.5, 2], "inner": {"a": None}, "price": 2.5}
    assert [expected] == list(read_rows(place))


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("a.jsonl", '{"a": 1}\n{"a": \n', "line 2 of"),
        ("a.jsonl", "[1]\n", "is not a JSON object"),
        ("a.jsonl", '{"a": 1}\n{"a": {"b": 1, "b": 2}}\n', "line 2 of .* the name 'b' occurs twice"),
        ("a.json", '[{"a": 1, "a": 2}]', "the name 'a' occurs twice"),
        ("a.jsonl", '{"a": NaN}\n', "NaN is no number of JSON"),
        ("a.json", '{"a": 1}', "is not a JSON array"),
        ("a.csv", "a,b\n1\n", "line 2 of"),
        ("a.csv", "a,a\n1,2\n", "names a column twice"),
        ("a.csv", "", "is empty"),
        ("a.csv", b"a\n\xff\n", "is not UTF-8"),
        ("a.xlsx", "x", "has an unknown format '.xlsx'"),
    ],
)
def test_an_input_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str | bytes, part: str) -> None:
    with pytest.raises(BadInput, match=part) as caught:
        list(read_rows(written(tmp_path / name, text)))
    assert caught.value.hint


def test_a_wrong_query_is_refused_with_its_reason(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    place = written(tmp_path / "a.csv", "id\n1\n")
    with pytest.raises(BadInput, match="cannot be queried"):
        list(read_rows(place, InputFilter(where="amount > 1")))
    with pytest.raises(BadInput, match="cannot query standard input"):
        list(read_rows(STDIN, InputFilter(where="a")))


def test_a_query_reaches_no_network(tmp_path: Path) -> None:
    duckdb: Any = pytest.importorskip("duckdb")
    del duckdb
    place = written(tmp_path / "a.csv", "id\n1\n")
    with pytest.raises(BadInput, match="cannot be queried"):
        list(read_rows(place, InputFilter(where="id IN (SELECT id FROM read_csv('https://127.0.0.1:9/x.csv'))")))


def test_keys_come_from_fields_or_from_the_content() -> None:
    assert ["1", "2"] == [one.key for one in input_records(ROWS, "id")]
    assert ["1|Ada"] == [one.key for one in input_records(ROWS[:1], "id, name")]
    first, again = (next(iter(input_records([row], ""))).key for row in ({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    assert first == again
    assert 12 == len(first)


@pytest.mark.parametrize(
    ("rows", "key", "part"),
    [
        ([{"id": 1}, {"id": 1}], "id", "rows 1 and 2 of the input have the same key '1'"),
        ([{"id": 1}, {"id": "1"}], "id", "the same key"),
        ([{"a": 1}, {"a": 1}], "", "the same key"),
        ([{"a": 1}], "id", "row 1 of the input has no field 'id'"),
        ([{"id": None}], "id", "has None in its field 'id'"),
        ([{"id": [1]}], "id", "has \\[1\\] in its field"),
    ],
)
def test_every_record_needs_a_key_of_its_own(rows: list[dict[str, Any]], key: str, part: str) -> None:
    with pytest.raises(BadInput, match=part):
        list(input_records(rows, key))


MIXED: list[dict[str, Any]] = [
    {"id": "a", "urgent": "Yes", "at": "2024-03-06T10:00:00Z", "amount": 1.0},
    {"id": "b", "urgent": False, "at": "soon", "amount": 20, "extra": {"deep": [None]}},
    {"id": "c", "urgent": None, "at": "2024-03-06", "amount": 30},
]


@pytest.mark.parametrize("name", ["mixed.jsonl", "mixed.json"])
def test_a_filter_names_rows_and_changes_none(tmp_path: Path, name: str) -> None:
    pytest.importorskip("duckdb")
    lines = "\n\n".join(map(json.dumps, MIXED))
    place = written(tmp_path / name, lines if name.endswith("l") else json.dumps(MIXED))
    assert MIXED[1:] == list(read_rows(place, InputFilter(where="amount > 10 -- not the first")))
    assert MIXED[:1] == list(read_rows(place, InputFilter(where="id = 'a' OR amount > 10", limit=1)))
    assert [] == list(read_rows(place, InputFilter(where="false")))


def test_a_filtered_table_keeps_its_cells_as_they_are(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    place = written(tmp_path / "a.csv", "id,amount,day\n007,1.50,2024-3-5\n008,3,x\n")
    assert [{"id": "007", "amount": "1.50", "day": "2024-3-5"}] == list(
        read_rows(place, InputFilter(where="amount < 2"))
    )


def test_a_selected_column_of_several_types_keeps_its_values(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    place = written(tmp_path / "mixed.jsonl", "\n".join(map(json.dumps, MIXED)))
    found = list(read_rows(place, InputFilter(select="id, urgent", where="id <> 'c'")))
    assert [{"id": "a", "urgent": "Yes"}, {"id": "b", "urgent": False}] == found


def test_a_condition_is_one_expression(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    place = written(tmp_path / "mixed.jsonl", "\n".join(map(json.dumps, MIXED)))
    for where in ("true LIMIT 1", "true) OR (true", "true; SELECT 1"):
        only = InputFilter(where=where)
        if where == "true) OR (true":  # the user's own SQL on the user's own file
            assert MIXED == list(read_rows(place, only))
            continue
        with pytest.raises(BadInput, match="cannot be queried"):
            list(read_rows(place, only))


def test_text_that_is_no_unicode_gets_a_question_mark() -> None:
    (found,) = input_records([{"id": "k\ud800", "text": ["x\udfff", "\U0001f600"]}], "id")
    assert ("k?", {"id": "k?", "text": ["x?", "\U0001f600"]}) == (found.key, found.fields)


def test_a_cell_of_a_table_may_be_long(tmp_path: Path) -> None:
    place = written(tmp_path / "a.csv", f"id,text\n1,{'x' * 200_000}\n")
    assert [200_000] == [len(str(row["text"])) for row in read_rows(place)]


def parquet(tmp_path: Path, query: str) -> Path:
    place = tmp_path / "a.parquet"
    pytest.importorskip("duckdb").connect().execute(f"COPY ({query}) TO '{place}' (FORMAT parquet)")
    return place


def test_times_with_a_zone_are_read_without_another_package(tmp_path: Path) -> None:
    place = parquet(
        tmp_path, 'SELECT 1 AS id, TIMESTAMPTZ \'2024-01-01 10:00:00.5+02\' AS "at ""x" UNION ALL SELECT 2, NULL'
    )
    rows = [{"id": 1, 'at "x': "2024-01-01T08:00:00.500000+00:00"}, {"id": 2, 'at "x': None}]
    assert rows == list(read_rows(place))
    assert rows[:1] == list(read_rows(place, InputFilter(where="id = 1")))


@pytest.mark.parametrize("time", ["infinity", "20000-01-01 00:00:00+00"])
def test_a_time_that_python_does_not_know_is_refused(tmp_path: Path, time: str) -> None:
    with pytest.raises(BadInput, match="outside of the years"):
        list(read_rows(parquet(tmp_path, f"SELECT TIMESTAMPTZ '{time}' AS at")))


@pytest.mark.parametrize("value", ["'nan'::DOUBLE", "'-inf'::FLOAT", "[1.0, 'inf'::DOUBLE]", "{'x': 'nan'::DOUBLE}"])
def test_what_is_no_number_of_json_is_refused_with_its_row_and_column(tmp_path: Path, value: str) -> None:
    place = parquet(tmp_path, f"SELECT 7 AS id, {value} AS size")
    with pytest.raises(BadInput, match=r"row 1 of .* in the column 'size', which is no number"):
        list(read_rows(place))
    assert [{"id": 7}] == list(read_rows(place, InputFilter(select="id")))


def test_a_number_beyond_floats_and_an_infinite_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"line 1 of .*1e999 is too large"):
        list(read_rows(written(tmp_path / "a.jsonl", '{"id": 1, "size": 1e999}')))
    with pytest.raises(BadInput, match="inf is no number"):
        plain({"size": float("inf")})


@pytest.mark.parametrize(
    "rows", [[{"a": "x|y", "b": "z"}, {"a": "x", "b": "y|z"}], [{"a": 1, "b": "z"}, {"a": "1", "b": "z"}]]
)
def test_two_keys_that_are_written_alike_are_not_called_duplicates(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(BadInput, match="differ, but are written alike") as refused:
        list(input_records(rows, "a,b"))
    assert "Change one of them" in refused.value.hint
