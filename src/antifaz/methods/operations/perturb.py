"""Perturbation: numbers and categories are changed a little, so that they are no longer anybody's own.

The functions are what `az.perturb` offers: frame in, frame of the same kind out. Some share their name with the module
of their class; the imports below make the package's names the functions.
"""

from antifaz.core.registry import Registry
from antifaz.methods.operations.microaggregate import Microaggregate, microaggregate
from antifaz.methods.operations.noise import (
    AdditiveNoise,
    CorrelatedNoise,
    MultiplicativeNoise,
    additive_noise,
    correlated_noise,
    multiplicative_noise,
)
from antifaz.methods.operations.perturbation import Perturbation
from antifaz.methods.operations.pram import Pram, pram, pram_matrix
from antifaz.methods.operations.random_rounding import Rounding, rounding
from antifaz.methods.operations.shuffling import Shuffle, shuffle
from antifaz.methods.operations.swapping import RankSwap, RankSwapBlocks, rank_swap, rank_swap_blocks

#: The perturbations that come with antifaz.
BUILTIN: tuple[type[Perturbation], ...] = (
    AdditiveNoise,
    CorrelatedNoise,
    MultiplicativeNoise,
    RankSwap,
    RankSwapBlocks,
    Microaggregate,
    Pram,
    Shuffle,
    Rounding,
)
#: The same, and those of plug-ins.
PERTURBATIONS: Registry[Perturbation] = Registry("perturbation", BUILTIN, group="antifaz.perturbations")

__all__ = [
    "BUILTIN",
    "PERTURBATIONS",
    "AdditiveNoise",
    "CorrelatedNoise",
    "Microaggregate",
    "MultiplicativeNoise",
    "Perturbation",
    "Pram",
    "RankSwap",
    "RankSwapBlocks",
    "Rounding",
    "Shuffle",
    "additive_noise",
    "correlated_noise",
    "microaggregate",
    "multiplicative_noise",
    "pram",
    "pram_matrix",
    "rank_swap",
    "rank_swap_blocks",
    "rounding",
    "shuffle",
]
