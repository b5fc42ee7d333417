"""`python -m experiments [NAME…] [--quick] [--write]`: without a name, list what there is."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from experiments import load

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main() -> int:
    """Make the experiments that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="a small version that ends within seconds")
    parser.add_argument("--write", action="store_true", help="put the result into the page that asks for it")
    asked = parser.parse_args()
    known = load()
    unknown = sorted(set(asked.names) - set(known))
    if unknown:
        print(f"There is no experiment {', '.join(unknown)}. Known: {', '.join(sorted(known))}.", file=sys.stderr)
        return 2
    if asked.quick and asked.write:
        print("A quick result does not go into a page: leave out --quick or --write.", file=sys.stderr)
        return 2
    for name in sorted(known) if not asked.names else ():
        print(f"{name:28} {known[name].place}")
    for name in asked.names:
        text = known[name].make(asked.quick)
        print(f"## {name}: {known[name].place}\n\n{text}")
        if asked.write:
            print(f"written to {_write(name, text)}", file=sys.stderr)
    return 0


def _write(name: str, text: str) -> str:
    place = re.compile(rf"(<!-- experiment: {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
    for page in sorted(DOCS.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = place.sub(lambda match: f"{match[1]}\n{text}\n{match[2]}", before)
        if place.search(before):
            page.write_text(after, encoding="utf-8")
            return str(page.relative_to(DOCS.parent))
    raise SystemExit(f"no page has <!-- experiment: {name} --> … <!-- end -->")


if __name__ == "__main__":
    raise SystemExit(main())
