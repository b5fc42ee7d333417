"""How many people live in a country: for estimates where nobody has a better number at hand."""

from functools import cache

#: Where the figures are from, and of which day.
REGION_SOURCE = "United Nations, World Population Prospects, 1 July 2022"
#: Thousands of people on 1 July 2022, by the code of ISO 3166.
_THOUSANDS = """
AD 80 AE 9441 AL 2842 AR 45510 AT 8940 AU 26177 BA 3234 BE 11656 BG 6782 BO 12224 BR 215313 BY 9535 CA 38454 CH 8740
CL 19604 CN 1425887 CO 51874 CR 5181 CU 11212 CY 1251 CZ 10494 DE 83370 DK 5882 DO 11229 DZ 44903 EC 18001 EE 1326
EG 110990 ES 47559 ET 123380 FI 5541 FR 64627 GB 67509 GE 3744 GH 33476 GR 10385 GT 17844 HK 7489 HN 10433 HR 4030
HU 9967 ID 275501 IE 5023 IL 9038 IN 1417173 IR 88551 IS 373 IT 59037 JP 123952 KE 54027 KR 51816 KZ 19398 LI 39
LT 2750 LU 648 LV 1851 MA 37458 MC 36 MD 3273 ME 627 MK 2094 MT 533 MX 127504 MY 33938 NG 218541 NI 6948 NL 17564
NO 5434 NZ 5185 PA 4409 PE 34050 PH 115559 PK 235825 PL 39857 PR 3252 PT 10271 PY 6781 RO 19659 RS 7221 RU 144713
SA 36409 SE 10549 SG 5976 SI 2120 SK 5643 SM 34 SN 17316 SV 6336 TH 71697 TN 12356 TR 85341 TW 23893 TZ 65498 UA 39702
US 338290 UY 3423 VE 28302 VN 98187 ZA 59894
"""
#: The members of the European Union.
_UNION = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"


@cache
def region_sizes() -> dict[str, int]:
    """Return how many people live in each country of the list, by its code, and in the European Union (EU)."""
    words = _THOUSANDS.split()
    sizes = {code: int(number) * 1000 for code, number in zip(words[::2], words[1::2], strict=True)}
    return sizes | {"EU": sum(sizes[code] for code in _UNION.split())}
