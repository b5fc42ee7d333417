"""Figures of people by country."""

from __future__ import annotations

from antifaz.core.regions import region_sizes
from antifaz.proposals.countries import parts


def test_every_code_is_a_country_and_every_figure_plausible() -> None:
    sizes = region_sizes()
    assert set(sizes) - {"EU"} <= set(parts())
    assert all(30_000 <= size < 1_500_000_000 for size in sizes.values())
    # As the United Nations print them, in thousands; the Union by Eurostat is 447 million people on 1 January 2022.
    assert (sizes["ES"], sizes["US"], sizes["DE"]) == (47_559_000, 338_290_000, 83_370_000)
    assert abs(sizes["EU"] / 447_000_000 - 1) < 0.01
