"""Places on a Hilbert curve."""

from __future__ import annotations

import numpy as np
import pytest

from antifaz.kernels.hilbert import hilbert_keys


@pytest.mark.parametrize(("axes", "bits"), [(2, 3), (3, 2), (1, 4), (4, 1)])
def test_neighbours_on_the_curve_are_neighbours_in_space_and_no_cell_is_left_out(axes: int, bits: int) -> None:
    cells = np.indices((2**bits,) * axes).reshape(axes, -1).T.astype(np.uint32)
    keys = hilbert_keys(cells, bits)
    assert keys.shape[1] == 1
    places = keys[:, 0] >> np.uint64(64 - axes * bits)
    assert sorted(places.tolist()) == list(range(2 ** (axes * bits)))
    along = cells[np.argsort(places)].astype(int)
    assert (np.abs(np.diff(along, axis=0)).sum(axis=1) == 1).all()
    assert along[0].tolist() == [0] * axes


def test_a_place_beyond_64_bits_goes_on_in_the_next_word() -> None:
    keys = hilbert_keys(np.array([[0, 0, 0], [2**22 - 1, 0, 0], [5, 9, 70000]], np.uint32), 22)
    assert keys.shape == (3, 2)
    assert keys[0].tolist() == [0, 0]
    # The corner along the first axis is the curve's last cell: 66 ones.
    assert keys[1].tolist() == [2**64 - 1, 3 << 62]
    assert hilbert_keys(np.array([[1, 0]], np.uint32), 31).shape == (1, 1)
    # Exactly 64 bits are one word.
    assert hilbert_keys(np.array([[2**16 - 1, 0, 0, 0]], np.uint32), 16).tolist() == [[2**64 - 1]]
