"""Charts: one module a chart, a frame in, the Axes out.

Every chart takes ``ax=`` (where to draw; a new figure by default), ``title=`` (instead of the finding it would
write) and ``context=`` ("notebook" or "slide"), and has a ``*_data`` twin that returns the numbers it draws. Figures
are made outside pyplot, so nothing is left open: as the last line of a notebook cell a chart shows itself, and
``ax.figure.savefig(...)`` writes it. Global matplotlib settings are neither used nor changed.
"""

from __future__ import annotations

from toolcorrect.charts.agreement import agreement, agreement_data
from toolcorrect.charts.boxes import boxes, boxes_data
from toolcorrect.charts.causes import causes, causes_data
from toolcorrect.charts.confusion import confusion, confusion_data
from toolcorrect.charts.edit_costs import edit_costs, edit_costs_data
from toolcorrect.charts.empty_sides import empty_sides, empty_sides_data
from toolcorrect.charts.forest import forest, forest_data
from toolcorrect.charts.penalty import penalty, penalty_data
from toolcorrect.charts.rank_flips import rank_flips, rank_flips_data
from toolcorrect.charts.ranked import ranked, ranked_data
from toolcorrect.charts.specification import specification, specification_data
from toolcorrect.charts.strictness import strictness, strictness_data
from toolcorrect.charts.strip import strip, strip_data
from toolcorrect.charts.threshold import threshold, threshold_data
from toolcorrect.charts.timeline import timeline, timeline_data
from toolcorrect.charts.upset import upset, upset_data

__all__ = [
    "agreement",
    "agreement_data",
    "boxes",
    "boxes_data",
    "causes",
    "causes_data",
    "confusion",
    "confusion_data",
    "edit_costs",
    "edit_costs_data",
    "empty_sides",
    "empty_sides_data",
    "forest",
    "forest_data",
    "penalty",
    "penalty_data",
    "rank_flips",
    "rank_flips_data",
    "ranked",
    "ranked_data",
    "specification",
    "specification_data",
    "strictness",
    "strictness_data",
    "strip",
    "strip_data",
    "threshold",
    "threshold_data",
    "timeline",
    "timeline_data",
    "upset",
    "upset_data",
]
