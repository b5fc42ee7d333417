"""Run by the peers' own Python: anonymeter's three attacks on the tables of a folder; prints the seconds they took."""

import sys
import warnings
from pathlib import Path
from time import perf_counter

import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

warnings.filterwarnings("ignore")
folder, attacks = Path(sys.argv[1]), int(sys.argv[2])
known, secret = sys.argv[3].split(","), sys.argv[4]
tables = {
    name: pd.read_csv(folder / f"{name}.csv", dtype={"postcode": str}) for name in ("original", "released", "control")
}
sides = {"ori": tables["original"], "syn": tables["released"], "control": tables["control"]}
half = len(known) // 2
began = perf_counter()
SinglingOutEvaluator(**sides, n_attacks=attacks).evaluate(mode="multivariate")
LinkabilityEvaluator(**sides, n_attacks=attacks, aux_cols=(known[:half], known[half:])).evaluate(n_jobs=1)
InferenceEvaluator(**sides, n_attacks=attacks, aux_cols=known, secret=secret).evaluate(n_jobs=1)
print(perf_counter() - began)
