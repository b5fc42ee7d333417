"""Hierarchies for the categories of `people`: each value, and what it becomes level by level, the last being "*".

Plain data on purpose: whoever wants a hierarchy object builds it from these.
"""

Tree = dict[str, list[str]]


def _tree(lines: str) -> Tree:
    """Read lines of `upper | lower | value; value; …` into value -> [lower, upper, "*"]."""
    rows = [line.strip().split(" | ") for line in lines.strip().splitlines()]
    return {value: [*reversed(above), "*"] for *above, values in rows for value in values.split("; ")}


EDUCATION: Tree = _tree("""
    no degree | primary or less | no schooling; primary
    no degree | secondary | lower secondary; upper secondary
    degree | vocational | vocational, intermediate; vocational, higher
    degree | university | bachelor; master; doctorate
""")
MARITAL_STATUS: Tree = _tree("""
    never married | single
    in a union | married; civil partnership
    formerly married | separated; divorced; widowed
""")
OCCUPATION: Tree = _tree("""
    professional work | management | director; shop manager
    professional work | science and technology | engineer; software developer; researcher
    professional work | care and teaching | physician; nurse; teacher
    professional work | law and finance | lawyer; accountant
    other work | office | clerk; receptionist
    other work | service and sales | shop assistant; cook; waiter; hairdresser; carer
    other work | crafts and transport | builder; electrician; mechanic; driver
    other work | manual | farm worker; factory worker; cleaner
    not in work | not yet or not now | student; unemployed; homemaker
    not in work | no longer | retired
""")
COUNTRY: Tree = _tree("""
    Europe | Southern Europe | Spain; Italy; Portugal
    Europe | Western Europe | France; Germany; Netherlands; United Kingdom
    Europe | Eastern Europe | Romania; Bulgaria; Poland; Ukraine; Russia
    Americas | South America | Argentina; Bolivia; Brazil; Colombia; Ecuador; Peru; Venezuela
    Americas | Central and North America | Cuba; Dominican Republic; Honduras; Mexico; United States
    Africa | Northern Africa | Algeria; Morocco
    Africa | Western Africa | Nigeria; Senegal
    Asia | Eastern Asia | China; Philippines
    Asia | Southern Asia | Bangladesh; India; Pakistan
""")
#: By column of `people`.
TREES: dict[str, Tree] = {
    "education": EDUCATION,
    "marital_status": MARITAL_STATUS,
    "occupation": OCCUPATION,
    "country": COUNTRY,
}
