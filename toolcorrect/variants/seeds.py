"""Two short definitions many people meet first: the lesson notebook's Jaccard, and Galtea's set equality."""

from __future__ import annotations

from toolcorrect.variants.definition import Axes, Empty, Variant, every_property_but

VARIANTS = (
    Variant(
        "notebook.jaccard",
        title="Notebook Jaccard",
        rule="tool names of both sides over those of either; nothing expected is always 1",
        upstream="lesson notebook",
        axes=Axes("set", "free", "jaccard"),
        empty=Empty(both=1.0, unexpected=1.0, uncalled=0.0),
        properties=every_property_but(),
        faults=("nothing expected scores 1 whatever was called",),
    ),
    Variant(
        "galtea",
        title="Galtea tool correctness",
        rule="1 if both sides have the same set of tool names after normalising them",
        upstream="galtea documentation",
        version="5.12",
        axes=Axes("set", "free", "equal"),
        names="galtea",
        empty=Empty(both=1.0, unexpected=0.0, uncalled=0.0),
        properties=every_property_but(),
        faults=("the rules of the normalisation are not published; this is our reading",),
    ),
)
