"""Run by the peers' own Python: anjana's k-anonymity on Adult; prints the seconds of the one call."""

import contextlib
import io
import sys
from pathlib import Path
from time import perf_counter

import pandas as pd
from anjana.anonymity import k_anonymity

folder, k, suppression = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
qis = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
data = pd.read_csv(folder / "adult.csv", sep=";", dtype=str)
trees = {}
for name in qis:
    levels = pd.read_csv(folder / f"adult_hierarchy_{name}.csv", sep=";", header=None, dtype=str)
    trees[name] = {h: levels[h].to_numpy() for h in levels}
began = perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    k_anonymity(data, [], qis, k, suppression * 100, trees)
print(perf_counter() - began)
