"""Perturbation: numbers and categories are changed a little, so that they are no longer anybody's own.

The functions are what `az.perturb` offers: frame in, frame of the same kind out.
"""

from antifaz.core.registry import Registry
from antifaz.methods.operations.frame_functions import frame_function, operations_of
from antifaz.methods.operations.microaggregate import Microaggregate
from antifaz.methods.operations.noise import AdditiveNoise, CorrelatedNoise, MultiplicativeNoise
from antifaz.methods.operations.operation import Perturbation as Perturbation
from antifaz.methods.operations.pram import Pram as Pram
from antifaz.methods.operations.pram import pram_matrix as pram_matrix
from antifaz.methods.operations.record_swap import RecordSwap as RecordSwap
from antifaz.methods.operations.rounding import RandomRounding
from antifaz.methods.operations.swapping import RankSwap, RankSwapBlocks, Shuffle

additive_noise = frame_function(AdditiveNoise)
correlated_noise = frame_function(CorrelatedNoise)
multiplicative_noise = frame_function(MultiplicativeNoise)
rank_swap = frame_function(RankSwap)
rank_swap_blocks = frame_function(RankSwapBlocks)
record_swap = frame_function(RecordSwap)
microaggregate = frame_function(Microaggregate)
pram = frame_function(Pram)
shuffle = frame_function(Shuffle)
rounding = frame_function(RandomRounding)

#: The perturbations that come with antifaz, each by its function.
BUILTIN: tuple[type[Perturbation], ...] = operations_of(globals())
#: The same, and those of plug-ins.
PERTURBATIONS: Registry[Perturbation] = Registry("perturbation", BUILTIN, group="antifaz.perturbations")
