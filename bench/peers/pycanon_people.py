"""Run by the peers' own Python: everything that pycanon says of a released table; prints the seconds it took."""

import sys
from pathlib import Path
from time import perf_counter

import pandas as pd
from pycanon import anonymity

known, secret = sys.argv[3].split(","), [sys.argv[4]]
data = pd.read_csv(Path(sys.argv[1]) / "classes.csv", dtype=str)
began = perf_counter()
anonymity.k_anonymity(data, known)
for measure in (
    "alpha_k_anonymity", "l_diversity", "entropy_l_diversity", "recursive_c_l_diversity", "basic_beta_likeness",
    "enhanced_beta_likeness", "t_closeness", "delta_disclosure",
):  # fmt: skip
    getattr(anonymity, measure)(data, known, secret)
print(perf_counter() - began)
