"""The README says what is so."""

import re

import toolcorrect as tc
from tests.readme import with_tables
from tests.shared import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_tables_of_definitions_are_the_registry():
    assert with_tables(TEXT) == TEXT, "run: python -m tests.readme"


def test_every_name_it_uses_exists():
    for name in set(re.findall(r"\btc\.(\w+)", TEXT)):
        assert hasattr(tc, name), name


def test_the_first_example_says_what_it_says():
    data = tc.load([{"case": "t", "called": ["set_thermostat", "notify"], "expected": ["set_thermostat"]}])
    made = tc.score(data, variants=["deepeval", "notebook.jaccard", "galtea"]).iloc[0]
    assert made.to_list() == [1.0, 0.5, 0.0]


def test_the_pictures_are_there():
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", TEXT):
        assert (ROOT / picture).is_file(), picture
