"""Argument texts of all calls as numbers of values; only texts that can change a result are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from toolcorrect.arguments.values import Agreement, Values
from toolcorrect.grouping import differs_in_group, distinct
from toolcorrect.tables import holding, taken


@dataclass(frozen=True)
class Numbered:
    """Numbers of the texts of all calls.

    Parameters
    ----------
    text
        For each call, the number of its text, or -1.
    texts
        The distinct texts.
    meeting
        Numbers of the texts that were looked at, ascending.
    values
        These texts' values.
    """

    text: np.ndarray
    texts: pa.ChunkedArray
    meeting: np.ndarray
    values: Values

    @classmethod
    def of(cls, text: np.ndarray, texts: pa.ChunkedArray, group: np.ndarray, *, across: bool) -> Numbered:
        """Find the texts whose value matters.

        Only texts that meet another text of their group can change a result (and texts that may hold NaN, which
        differ from themselves), so only these are parsed.

        Parameters
        ----------
        text, group
            For each call, its text, and a number of the calls it is held against.
        texts
            The distinct texts.
        across
            Whether texts of different chunks may meet.
        """
        used = distinct(text[text >= 0])
        marked = np.zeros(len(texts), dtype=bool)
        held = texts if len(used) == len(texts) else taken(texts, used)
        marked[used] = holding(held, b"NaN")
        marked[text[differs_in_group(group, text) & (text >= 0)]] = True
        meeting = np.flatnonzero(marked)
        return cls(text, texts, meeting, Values(_chosen(texts, meeting, across=across)))

    def by_value(self, relation: str, text: np.ndarray | None = None) -> np.ndarray:
        """Turn numbers of texts (by default those of all calls) into numbers of values; 0 is not known."""
        text = self.text if text is None else text
        value = np.arange(len(self.texts) + 1)
        value[self.meeting] = self.meeting[self.values.codes(relation)]
        made = np.where(text >= 0, value[text] + 1, 0)
        unequal = self.values.unequal(relation)
        if unequal.any():
            alone = np.isin(text, self.meeting[unequal])
            made[alone] = len(self.texts) + 1 + np.flatnonzero(alone)
        return made

    @cached_property
    def place(self) -> np.ndarray:
        """For each text its place in ``meeting``, -1 where it was not looked at; one entry more for no text."""
        made = np.full(len(self.texts) + 1, -1)
        made[self.meeting] = np.arange(len(self.meeting))
        return made

    def agreement(self, relation: str, expected: np.ndarray, called: np.ndarray) -> Agreement:
        """Hold pairs of texts, given by their numbers, against each other; -1 is an object without keys."""
        asked = np.concatenate((expected, called))
        if (self.place[asked[asked >= 0]] < 0).any():
            # Calls of different groups are asked about.
            meeting = distinct(asked[asked >= 0])
            values = Values(_chosen(self.texts, meeting, across=True))
            return Numbered(asked, self.texts, meeting, values).agreement(relation, expected, called)
        return self.values.agreement(relation, self.place[expected], self.place[called])


def _chosen(texts: pa.ChunkedArray, numbers: np.ndarray, *, across: bool) -> pa.ChunkedArray:
    chosen = taken(texts, numbers)
    return pa.chunked_array([pa.concat_arrays([pa.array([], chosen.type), *chosen.chunks])]) if across else chosen
