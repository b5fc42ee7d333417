"""Run by the peers' own Python: anonypy's Mondrian on Adult; prints the seconds of the one call."""

import contextlib
import io
import sys
from pathlib import Path
from time import perf_counter

import anonypy
import pandas as pd

folder, k, rows = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
qis = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
data = pd.read_csv(folder / "adult.csv", sep=";").head(rows)
for name in (*qis, "salary-class"):
    if name != "age":
        data[name] = data[name].astype("category")
began = perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    anonypy.Preserver(data, qis, "salary-class").anonymize_k_anonymity(k=k)
print(perf_counter() - began)
