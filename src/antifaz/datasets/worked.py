"""Two tables small enough to be worked through by hand: six patients and nineteen graduates. Nobody in them exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_SIX = """\
fnac,sexo,cod_postal,dolencia
1986,M,53715,gripe
1996,F,53715,neumonía
1986,M,53703,bronquitis
1986,M,53703,fractura brazo
1996,F,53706,apendicitis
1986,F,53706,fractura pierna
"""
_NINETEEN = """\
residencia,sexo,campo,ingresos
Navalcarnero,M,ENFERMERIA,medio
Torrelaguna,F,ENFERMERIA,medio
Ampudia,M,MEDICINA,alto
Palenzuela,M,MECANICA,bajo
Navalcarnero,F,QUIMICA,bajo
Navalcarnero,F,BIOLOGIA,bajo
Palenzuela,M,ENFERMERIA,medio
Palenzuela,M,MEDICINA,alto
Gama,F,INFORMATICA,alto
Mogarraz,F,TELECOMUNICACIONES,alto
Palenzuela,M,ELECTRONICA,alto
Medina del Campo,M,BIOLOGIA,medio
Medina de Rioseco,F,ELECTRONICA,alto
Candelario,M,BIOLOGIA,bajo
Ampudia,M,BIOLOGIA,alto
Palenzuela,M,MEDICINA,medio
Medina del Campo,M,ENFERMERIA,medio
Medina de Rioseco,F,ENFERMERIA,alto
Gama,M,MEDICINA,alto
"""


def six_people() -> pa.Table:
    """Return six patients: year of birth, sex, postcode, complaint; all as text."""
    return _table(_SIX)


def nineteen_people() -> pa.Table:
    """Return nineteen graduates: where they live, sex, field, income; all as text."""
    return _table(_NINETEEN)


def _table(text: str) -> pa.Table:
    import pyarrow as pa

    names, *rows = (line.split(",") for line in text.splitlines())
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
