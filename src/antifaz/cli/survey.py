"""The risk of a survey as a table on the terminal."""

from typing import Any

from antifaz.cli import terminal

#: What is shown, by its key in the evidence, and whether it is a share.
_RISKS = (
    ("uniques", "alone in the table", False),
    ("expected", "right matches expected", False),
    ("share", "global risk", True),
    ("highest", "individual risk, highest", True),
    ("household_expected", "records in households found, expected", False),
    ("household_share", "household risk", True),
)
_MODELLED = (
    ("uniques_expected", "alone in the table (log-linear)", False),
    ("population_uniques", "of these, alone in the population (log-linear)", False),
    ("unique_matches", "of these, right matches (log-linear)", False),
)


def survey_table(document: dict[str, Any]) -> Any:
    """Return a table of what weights and households say of the risk; without rows where nothing was measured."""
    table = terminal.new_table("survey", "before", "after")
    sides = [(document.get("survey") or {}).get(side) or {} for side in ("before", "after")]
    fitted = [side.get("log_linear") or {} for side in sides]
    for values, rows in ((sides, _RISKS), (fitted, _MODELLED)):
        for key, word, share in rows:
            if any(side.get(key) is not None for side in values):
                table.add_row(word, *(_shown(side.get(key), share) for side in values))
    return table


def _shown(value: float | None, share: bool) -> str:
    if value is None:
        return "–"
    if share:
        return f"{value:.2%}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
