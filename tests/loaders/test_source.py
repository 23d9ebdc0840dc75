from __future__ import annotations

import gzip
import io
import json
import time
import tracemalloc
import zipfile

import pandas as pd
import pytest

import toolcorrect as tc
from toolcorrect.errors import LoadError
from toolcorrect.loaders import lines

RECORDS = [{"case": "ä", "called": ["search"], "expected": []}, {"case": "b", "called": [], "expected": ["book"]}]
JSON = json.dumps(RECORDS, ensure_ascii=False).encode()
JSONL = b"".join(json.dumps(r, ensure_ascii=False).encode() + b"\n" for r in RECORDS)


def zipped(**members):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def parquet():
    held = io.BytesIO()
    pd.DataFrame(RECORDS).to_parquet(held)
    return held.getvalue()


BYTES = {
    "json": JSON,
    "jsonl": JSONL,
    "bom": b"\xef\xbb\xbf" + JSON,
    "bom_lines": b"\xef\xbb\xbf" + JSONL,
    "crlf": JSONL.replace(b"\n", b"\r\n"),
    "blank_lines": b"\n\n" + JSONL.replace(b"\n", b"\n \n"),
    "no_last_newline": JSONL.rstrip(),
    "indented": json.dumps(RECORDS, indent=1).encode(),
    "utf16": JSON.decode().encode("utf-16"),
    "gz": gzip.compress(JSONL),
    "zip": zipped(**{"runs.json": JSON}),
    "concatenated": b"\n".join(json.dumps(r, indent=2).encode() for r in RECORDS),
    "csv": 'case,called,expected\nä,"[""search""]",[]\nb,[],book\n'.encode(),
    "semicolons": 'case;called;expected\nä;["search"];[]\nb;[];book\n'.encode(),
    "parquet": parquet(),
}


@pytest.mark.parametrize("kind", BYTES)
def test_bytes_of_every_kind_are_read_whatever_the_name(kind, tmp_path):
    path = tmp_path / "file.xyz"
    path.write_bytes(BYTES[kind])
    data = tc.load(path)
    assert data.cases.index.to_list() == ["ä", "b"]
    assert data.calls.tool.to_list() == ["search"]
    assert data.expected.tool.to_list() == ["book"]
    assert data.cases.expected_known.to_list() == [True, True]


def test_open_files_records_and_frames_are_read_alike():
    wanted = tc.load(RECORDS).calls
    for source in (io.BytesIO(JSONL), io.StringIO(JSONL.decode()), pd.DataFrame(RECORDS), iter(RECORDS)):
        pd.testing.assert_frame_equal(tc.load(source).calls, wanted)


def test_a_bad_line_is_reported_and_the_others_load(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(
        JSONL + b'{"case": "c", "called": [\n' + b'{"case": "d", "called": ["x"], "expected": []}\n[1]\n'
    )
    data = tc.load(path)
    assert data.cases.index.to_list() == ["ä", "b", "d"]
    report = data.report
    assert report.file.unique().tolist() == ["runs.jsonl"]
    assert report.record.to_list() == ["line 3", "line 5"]
    assert report.code.to_list() == ["unreadable", "unreadable"]
    assert "not JSON" in report.note[0]
    with pytest.raises(LoadError, match=r"runs.jsonl, line 3: it is not JSON"):
        tc.load(path, strict=True)


def test_a_bad_first_line_does_not_hide_the_others(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b'{"case": "c", "called": [\n' + JSONL)
    assert tc.load(path).cases.index.to_list() == ["ä", "b"]


def test_damaged_gzip_keeps_what_comes_before(tmp_path):
    path = tmp_path / "runs.jsonl.gz"
    many = b"".join(
        json.dumps({"case": str(i), "called": [str(hash(i))], "expected": []}).encode() + b"\n" for i in range(2000)
    )
    path.write_bytes(gzip.compress(many)[:-200])
    data = tc.load(path)
    assert 0 < len(data) < 2000


def test_wide_integers_and_nan_in_records_are_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(
        b'{"case": "c", "called": [{"name": "x", "arguments": {"n": 123456789012345678901, "f": NaN}}]}\n' * 2
    )
    assert tc.load(path, format="records").calls.arguments[0] == '{"n":123456789012345678901,"f":NaN}'


HOSTILE = {
    "deep": b'{"called": ' + b"[" * 100_000,
    "deep_line": b'{"called": ' + b"[" * 100_000 + b"\n" + JSONL,
    "xml": b"<?xml version='1.0'?><runs/>",
    "yaml": b"---\nruns:\n - a\n",
    "pickle": b"\x80\x04\x95\x0b\x00\x00\x00",
    "binary": b"abc\0\0\1\2",
    "no_zip": b"PK\x03\x04 nothing",
    "no_parquet": b"PAR1 nothing",
    "no_gzip": b"\x1f\x8b nothing",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_bytes_are_refused_in_one_sentence(kind, tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(HOSTILE[kind])
    start = time.perf_counter()
    if kind == "deep_line":
        assert tc.load(path).report.code.to_list() == ["unreadable"]
    else:
        with pytest.raises(LoadError, match=r"file.json"):
            tc.load(path)
    assert time.perf_counter() - start < 2


def test_a_zip_bomb_is_refused(tmp_path):
    path = tmp_path / "runs.zip"
    path.write_bytes(zipped(**{"runs.json": b" " * (100 << 20)}))
    with pytest.raises(LoadError, match="as an attack would"):
        tc.load(path)


def test_a_line_beyond_the_limit_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 100_000)
    path = tmp_path / "runs.jsonl"
    path.write_bytes(JSONL + b'{"case": "' + b"x" * 5_000_000 + b'"}\n' + JSONL.replace(b'"b"', b'"c"'))
    noted: list[str] = []
    with path.open("rb") as stream:
        parsed = list(lines.parsed_lines(lines.Lines(stream), lambda label, why: noted.append(label)))
    assert [label for label, _ in parsed] == ["line 1", "line 2", "line 4", "line 5"]
    assert noted == ["line 3"]


def test_one_line_of_two_hundred_megabytes_is_refused(tmp_path):
    path = tmp_path / "runs.json"
    path.write_bytes(b'{"called": ["' + b"x" * 200_000_000)
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(LoadError, match="one line of more than 64 MB"):
        tc.load(path)
    seconds, (_, peak) = time.perf_counter() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 5
    assert peak < 200 << 20


def test_a_file_of_no_known_format_names_what_was_seen(tmp_path):
    path = tmp_path / "package.json"
    path.write_text('{"name": "thing", "version": "1.0"}')
    with pytest.raises(LoadError, match=r"one JSON object with the keys name, version.*plain_records"):
        tc.load(path)
    assert tc.detect(path).format is None


def test_detection_gives_its_reason(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes(JSONL)
    found = tc.detect(path)
    assert (found.format, found.reason) == ("plain_records", "records with called and expected")
    assert 0 < found.confidence <= 1
    assert "plain_records" in tc.formats().index


def test_missing_files_name_their_neighbours(tmp_path):
    (tmp_path / "runs.jsonl").write_bytes(JSONL)
    with pytest.raises(LoadError, match=r"There is no file .*run.jsonl. In .* are runs.jsonl."):
        tc.load(tmp_path / "run.jsonl")


def test_rows_of_csv_that_do_not_fit_are_reported(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes(b'case,called,expected\na,x,y,z\nb,x\nc,\xe9,z\nd,x,y\ne,"x,y\nf,x,y\n')
    data = tc.load(path)
    assert data.cases.index.to_list() == ["a", "b", "c", "d"]
    assert data.calls.tool.to_list() == ["x", "x", "�", "x"]
    assert data.report.record.to_list() == ["byte 35", "row 4", "row 0", "row 1"]
    assert data.report.note.str.contains("not UTF-8|all after it|beyond are left out|taken as missing").all()


def test_a_document_that_is_cut_is_no_file_of_lines(tmp_path):
    path = tmp_path / "runs.json"
    path.write_bytes(json.dumps(RECORDS, indent=1).encode()[:-10])
    with pytest.raises(LoadError, match=r"runs.json starts like JSON but cannot be read .* cut off"):
        tc.load(path)


def test_a_table_of_a_header_only_is_said_to_be_empty(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("case,called,expected\n")
    with pytest.raises(LoadError, match=r"runs.csv has a header and no record below it. Was the export empty\?"):
        tc.load(path)
    pd.DataFrame({"case": [], "called": []}).to_parquet(tmp_path / "runs.parquet")
    (tmp_path / "good.jsonl").write_text(json.dumps(RECORDS[0]) + "\n")
    data = tc.load([path, tmp_path / "runs.parquet", tmp_path / "good.jsonl"])
    assert len(data) == 1
    assert data.report["code"].to_list() == ["unreadable"] * 2
    assert len(tc.load(pd.DataFrame({"case": [], "called": []}))) == 0


def test_an_unknown_format_is_told_in_short_with_the_keys_that_may_be_meant(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"caled": ["a"], "Expected": ["a"]}\n')
    with pytest.raises(LoadError) as told:
        tc.load(path)
    said = str(told.value)
    assert "one JSON object with the keys caled, Expected. " in said
    assert "columns={'caled': 'called', 'Expected': 'expected'}" in said
    assert "tc.formats()" in said
    assert len(said) < 400


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n")
    with pytest.raises(LoadError, match=r"runs.jsonl is of no known format: there is no record in it"):
        tc.load(path)
