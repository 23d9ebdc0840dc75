from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.shared import shared
from toolcorrect.arguments.dates import canonical_date, dates_in
from toolcorrect.dataset import Dataset
from toolcorrect.validity.grounding import grounding


def grounded(context: str, arguments: dict[str, object], output: str | None = None) -> dict[str, str]:
    calls = [{"case": "x", "tool": "before", "arguments": "{}", "output": output, "step": 0}]
    calls.append({"case": "x", "tool": "op", "arguments": json.dumps(arguments), "output": '"later 77"', "step": 1})
    found = grounding(Dataset(pd.DataFrame({"input": [context]}, index=["x"]), pd.DataFrame(calls)))
    return dict(zip(found["path"], found["grounding"].astype(str)))


@pytest.mark.parametrize(
    ("context", "value", "right"),
    [
        ("Book ＯＳＬＯ now", "Oslo", "grounded"),
        ("about Oslofjord", "Oslo", "unverified"),
        ("查询北京的天气", "北京", "grounded"),
        ("pay 1,200.50 please", 1200.5, "grounded"),
        ("room 12", 1, "unverified"),
        ("two rooms", 2, "derivable"),
        ("on April 9th, 2031", "2031-04-09", "grounded"),
        ("on April 9th, 2031", "2031-09-04", "unverified"),
        ("tomorrow", "2031-04-09", "derivable"),
        ("明天", "2031-04-09", "derivable"),
        ("tomorrow", "Bergen", "unverified"),
        ("", True, "grounded"),
        ("", 10**400, "unverified"),
        ("", 77, "unverified"),
    ],
)
def test_where_a_value_comes_from(context: str, value: object, right: str) -> None:
    assert grounded(context, {"a": value}) == {"a": right}


def test_earlier_outputs_and_stated_values_count() -> None:
    assert grounded("", {"id": "A-9", "n": {"k": [3]}, "none": None}, '{"order": "A-9"}') == {
        "id": "grounded",
        "n.k[0]": "unverified",
    }
    calls = pd.DataFrame({"case": ["x", "x"], "tool": "op", "arguments": ['{"u": "C"}', '{"u": "ID7"}']})
    calls = calls.assign(step=0, output=['"ID7"', None])
    tools = pd.DataFrame({"tool": ["op"], "parameters": ['{"properties": {"u": {"enum": ["C"]}}}']})
    found = grounding(Dataset(pd.DataFrame(index=["x"]), calls, tools=tools))
    # Calls of one step were made together: the second could not know the first one's output.
    assert found["ground"].astype(object).fillna("").to_list() == ["schema", ""]


def test_the_sample_of_the_manual() -> None:
    text = shared("samples/seeds/huawei_param_filling.jsonl").read_text("utf-8")
    given = json.loads(text.splitlines()[0])["input"]
    found = grounded("\n".join(given["context"]), given["tools_called"][0]["arguments"])
    assert found == {"location": "grounded", "date": "derivable"}


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2031-4-9", "2031-04-09"),
        ("9. April 2031", "2031-04-09"),
        ("9th of April, 2031", "2031-04-09"),
        ("Wednesday, 9 Apr 2031", "2031-04-09"),
        ("2031年4月9日", "2031-04-09"),
        ("09.04.2031", "2031-04-09"),
        ("04/09/2031", None),
        ("2031-02-30", None),
        ("2031-04-09T25:00:00", None),
        ("2031-04-09T12:00:00.500Z", "2031-04-09T12:00:00.5Z"),
        ("2031-04-09T23:30:00-01:00", "2031-04-10T00:30:00Z"),
        ("2031-04-09 12:15 am", "2031-04-09T00:15:00"),
        ("9999-12-31T23:00:00-05:00", None),
        ("12031-04-09", None),
    ],
)
def test_dates(text: str, right: str | None) -> None:
    assert canonical_date(text) == right


def test_dates_inside_a_text() -> None:
    assert list(dates_in("vom 9.4.2031 bis 2031/05/01, nicht 99.99.2031")) == ["2031-04-09", "2031-05-01"]
