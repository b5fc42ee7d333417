"""Tables small enough to be solved on paper, with their hierarchies and the answers.

They come from the documents that asked for this system; the answers were worked out by hand.
"""

from __future__ import annotations

Rows = list[dict[str, str | None]]
Trees = dict[str, dict[str | None, list[str]]]


def _rows(columns: str, text: str) -> Rows:
    names = columns.split(",")
    return [dict(zip(names, line.strip().split(","), strict=True)) for line in text.strip().splitlines()]


def _tree(text: str) -> dict[str | None, list[str]]:
    paths = [line.strip().split(",") for line in text.strip().splitlines()]
    return {path[0]: path for path in paths}


SIX_PEOPLE: Rows = _rows(
    "fnac,sexo,cod_postal,dolencia",
    """
    1986,M,53715,gripe
    1996,F,53715,neumonía
    1986,M,53703,bronquitis
    1986,M,53703,fractura brazo
    1996,F,53706,apendicitis
    1986,F,53706,fractura pierna
    """,
)
SIX_TREES: Trees = {
    "fnac": _tree("""
        1986,198*,19**
        1996,199*,19**
    """),
    "cod_postal": _tree("""
        53706,5370*,537**
        53715,5371*,537**
        53703,5370*,537**
    """),
}
#: All 2-anonymous level vectors (fnac, cod_postal).
SIX_K2 = [(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]

NINETEEN_PEOPLE: Rows = _rows(
    "residencia,sexo,campo,ingresos",
    """
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
    """,
)
# The document's geography is not Spain's (Ampudia is in Palencia): what it printed is what was counted.
NINETEEN_TREES: Trees = {
    "residencia": _tree("""
        Gama,Salamanca,CyL,España
        Torrelaguna,Palencia,CyL,España
        Candelario,Salamanca,CyL,España
        Ampudia,Valladolid,CyL,España
        Navalcarnero,Madrid,Madrid,España
        Medina del Campo,Palencia,CyL,España
        Medina de Rioseco,Palencia,CyL,España
        Palenzuela,Valladolid,CyL,España
        Mogarraz,Madrid,Madrid,España
    """),
    "sexo": _tree("""
        F,Persona
        M,Persona
    """),
    "campo": _tree("""
        MEDICINA,ciencias,natural,general
        INFORMATICA,salud,natural,general
        BIOLOGIA,TIC,ingenieria,general
        TELECOMUNICACIONES,TIC,ingenieria,general
        QUIMICA,ciencias,natural,general
        MECANICA,salud,natural,general
        ENFERMERIA,industrial,ingenieria,general
        ELECTRONICA,industrial,ingenieria,general
    """),
}
#: All 3-anonymous level vectors (residencia, sexo, campo).
NINETEEN_K3 = [(1, 1, 3), (2, 1, 3), (3, 0, 3), (3, 1, 2), (3, 1, 3)]

TEN_PATIENTS: Rows = _rows(
    "sexo,edad,cod_postal,estado_civil,diagnostico",
    """
    M,20,12500,Soltero/a,Diabetes
    F,24,12700,Soltero/a,Infección
    F,26,12600,Soltero/a,Infección
    M,29,12900,Divorciado/a,Cáncer
    F,45,11100,Casado/a,Diabetes
    F,40,11300,Divorciado/a,Cáncer
    M,50,11500,Viudo/a,Cáncer
    M,30,11800,Soltero/a,Diabetes
    M,35,11700,Casado/a,Cáncer
    F,39,11200,Divorciado/a,Infección
    """,
)
TEN_TREES: Trees = {
    "edad": {
        str(age): [str(age), interval, "[20 - 50]"]
        for interval, ages in {
            "[20 - 29]": (20, 24, 26, 29),
            "[30 - 39]": (30, 35, 39),
            "[40 - 50]": (40, 45, 50),
        }.items()
        for age in ages
    },
    "cod_postal": {
        str(row["cod_postal"]): [str(row["cod_postal"]), str(row["cod_postal"])[:2] + "***"] for row in TEN_PATIENTS
    },
    "estado_civil": _tree("""
        Soltero/a,Soltero/a
        Casado/a,Casado/a
        Divorciado/a,[Divorciado/a o Viudo/a]
        Viudo/a,[Divorciado/a o Viudo/a]
    """),
}
#: The released table of the document: ages at 1 and postcodes at 1 make these classes (row numbers from 0).
TEN_K3_CLASSES = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
