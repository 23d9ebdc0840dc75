import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcorrect as tc
from tests.build import dataset
from toolcorrect.dataset import Dataset
from toolcorrect.errors import DataError, LoadError, UnknownNameError
from toolcorrect.tables import TABLES, holding


def runs():
    return dataset(
        (["b", "a"], ["a"]),
        (None, []),
        ([], None),
        ([{"name": "c", "arguments": {"x": 2**70}, "output": None, "step": 1}], {"any_of": [["c"], []]}),
        model=["m", "m", "n", "n"],
        mark=[1, 2, 3, 4],
    )


def same(one, other):
    for table in TABLES:
        pd.testing.assert_frame_equal(getattr(one, table), getattr(other, table))


def test_a_round_trip_through_parquet_keeps_null_empty_and_missing_apart(tmp_path):
    data = runs()
    again = Dataset.open(data.save(tmp_path / "saved"))
    same(data, again)
    assert again.cases["called_known"].to_list() == [True, False, True, True]
    assert again.cases["expected_known"].to_list() == [True, True, False, True]
    assert again.calls["arguments"].isna().to_list() == [True, True, False]
    assert again.calls["arguments"].iloc[2] == '{"x": 1180591620717411303424}'


def test_a_folder_that_is_no_saved_dataset_is_named(tmp_path):
    with pytest.raises(LoadError, match=r"is not a saved dataset: it lacks cases.parquet, calls.parquet"):
        Dataset.open(tmp_path)


def test_rows_come_into_the_order_of_cases_and_positions():
    data = Dataset(
        pd.DataFrame(index=["x", "y"]),
        pd.DataFrame({"case": ["y", "x", "x"], "tool": ["c", "b", "a"], "position": [0, 1, 0]}),
    )
    assert data.calls["tool"].to_list() == ["a", "b", "c"]
    assert data.case_rows("calls").tolist() == [0, 0, 1]


def test_frames_handed_out_are_copies():
    data = runs()
    mine = data.cases
    mine["mark"] = 0
    mine.loc["0", "model"] = "changed"
    assert data.cases["model"].iloc[0] == "m"
    assert data.cases["mark"].to_list() == [1, 2, 3, 4]


def test_select_by_ids_mask_and_function():
    data = runs()
    assert data.select(["3", "0"]).calls["tool"].to_list() == ["c", "b", "a"]
    assert data.select(data.cases["mark"] > 2).cases.index.to_list() == ["2", "3"]
    assert len(data.select(lambda cases: cases.model == "m")) == 2
    assert len(data.select([])) == 0
    with pytest.raises(UnknownNameError, match="There is no case '7'"):
        data.select(["7"])
    with pytest.raises(DataError, match="The mask has 2 entries for 4 cases"):
        data.select([True, False])


def test_concat_prefixes_ids_that_are_taken_and_says_so():
    both = tc.concat({"first": runs(), "second": runs()})
    assert both.cases.index.to_list() == ["0", "1", "2", "3", "second/0", "second/1", "second/2", "second/3"]
    assert both.calls["case"].to_list() == ["0", "0", "3", "second/0", "second/0", "second/3"]
    assert both.report[["code", "count"]].to_numpy().tolist() == [["id_prefixed", 4]]
    scores = tc.score(both, variants="recall")["recall"]
    assert scores.iloc[:4].tolist() == pytest.approx(scores.iloc[4:].tolist(), nan_ok=True)


def test_labels():
    made = runs().with_labels({"1": 1, "3": 0})
    assert made.cases["outcome"].to_list()[1::2] == [1.0, 0.0]
    with pytest.raises(UnknownNameError, match="There is no case 'z'"):
        made.with_labels({"z": 1})


def test_effects_by_mapping_and_by_glob():
    data = runs()
    for effects in (["a", "c*"], {"a": True, "c": True}):
        tools = data.mark_effects(effects).tools.set_index("tool")
        assert tools["effect"].to_dict() == {"a": True, "b": False, "c": True}
        assert not tools["offered"].any()
    with pytest.raises(UnknownNameError, match="There is no tool 'zz'"):
        data.mark_effects({"zz": True})


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"cases": pd.DataFrame(index=["x", "x"])}, "Case ids repeat: x"),
        ({"cases": pd.DataFrame(index=["x", None])}, "A case has no id"),
        ({"calls": pd.DataFrame({"case": ["q"], "tool": ["a"]})}, "calls names cases that are not in cases: q"),
        ({"calls": pd.DataFrame({"case": ["x"], "tool": [None]})}, "calls has a row without a tool"),
        ({"calls": pd.DataFrame({"case": ["x"], "tool": ["a"], "colour": [1]})}, "calls has no column 'colour'"),
        ({"calls": pd.DataFrame({"case": ["x"], "tool": ["a"], "kind": ["odd"]})}, "calls.kind holds 'odd'"),
        ({"cases": pd.DataFrame({"outcome": ["good"]}, index=["x"])}, "cases.outcome must be float64"),
        (
            {
                "cases": pd.DataFrame({"called_known": [False]}, index=["x"]),
                "calls": pd.DataFrame({"case": ["x"], "tool": ["a"]}),
            },
            "Case 'x' has rows in calls although its called_known is False",
        ),
        (
            {"expected": pd.DataFrame({"case": ["x"], "tool": ["a"], "reference": [1]})},
            "reference beyond its number of references",
        ),
    ],
)
def test_wrong_tables_are_refused_in_one_sentence(tables, message):
    with pytest.raises(DataError, match=message):
        Dataset(**{"cases": pd.DataFrame(index=["x"]), **tables})


def test_what_a_notebook_and_a_terminal_show():
    nasty = runs().replace(cases=runs().cases.assign(input="<script>x</script>"))
    assert repr(nasty) == "Dataset: 3 calls in 4 cases, 2 expected; nothing to report"
    assert "<script>" not in nasty._repr_html_()
    assert "&lt;script&gt;" in nasty._repr_html_()


@given(st.lists(st.lists(st.text("aNé", max_size=5), max_size=6), max_size=3))
def test_texts_that_hold_a_word_are_marked(chunks):
    texts = pa.chunked_array([pa.array(chunk, pa.large_string())[1:] for chunk in chunks], pa.large_string())
    assert holding(texts, b"aN").tolist() == ["aN" in text for text in texts.to_pylist()]
