"""The list of parts (CycloneDX): what the released package installs with it, and the scripts that it carries."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

VENDOR = "src/antifaz/web/page/vendor"
#: What the texts in LICENSES.txt are called in SPDX.
_LICENCES = {"preact": "MIT", "htm": "Apache-2.0", "echarts": "Apache-2.0", "zrender": "BSD-3-Clause"}
#: A heading of LICENSES.txt: name, version, and either files or the file that it is inside of.
_HEADING = re.compile(r"^==== (?P<name>\w+) (?P<version>[\d.]+) \((?P<inside>inside )?(?P<files>[\w.,-]+)\)$", re.M)
#: What a new environment has by itself; not a part, unless something that we install needs it.
_TOOLS = {"pip", "setuptools", "wheel"}

Part = dict[str, Any]


def write_sbom(python: Path, root: Path, out: Path, version: str) -> str:
    """List what is installed beside `python` and what is vendored; check it against the schema; say what was found."""
    asked = ["--pyproject", str(root / "pyproject.toml"), "--spec-version", "1.6", "--output-reproducible"]
    made = subprocess.run(
        [sys.executable, "-m", "cyclonedx_py", "environment", *asked, str(python)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        raise SystemExit(f"cyclonedx-py failed:\n{made.stderr}")
    bill = json.loads(made.stdout)
    bill["metadata"]["component"] |= {"version": version, "purl": f"pkg:pypi/antifaz@{version}"}
    installed = _without_tools(bill)
    carried = vendored(root / VENDOR)
    _add(bill, carried)
    text = json.dumps(bill, indent=2, ensure_ascii=False) + "\n"
    _check(text)
    out.write_text(text, encoding="utf-8")
    return f"{installed} packages that [all] installs, {len(carried)} libraries that the page carries"


def vendored(folder: Path) -> list[Part]:
    """Return the vendored libraries as components, from the headings of their licences and the files themselves."""
    found = list(_HEADING.finditer((folder / "LICENSES.txt").read_text(encoding="utf-8")))
    known = {file for heading in found for file in heading["files"].split(",")}
    unknown = sorted(path.name for path in folder.glob("*.js") if path.name not in known)
    if unknown:
        raise SystemExit(f"LICENSES.txt says nothing about: {', '.join(unknown)}")
    return [_library(heading, folder) for heading in found]


def _library(heading: re.Match[str], folder: Path) -> Part:
    name, version, files = heading["name"], heading["version"], heading["files"].split(",")
    part: Part = {
        "type": "library",
        "bom-ref": f"vendored-{name}",
        "name": name,
        "version": version,
        "purl": f"pkg:npm/{name}@{version}",
        "licenses": [{"license": {"id": _LICENCES[name]}}],
        "description": f"In {', '.join(f'antifaz/web/page/vendor/{file}' for file in files)}",
    }
    if not heading["inside"]:
        part["components"] = [_file(folder / file) for file in files]
    return part


def _file(path: Path) -> Part:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    hashes = [{"alg": "SHA-256", "content": digest}]
    return {"type": "file", "bom-ref": f"file-{path.name}", "name": path.name, "hashes": hashes}


def _without_tools(bill: Part) -> int:
    """Take out the environment's own tools and where on this machine the wheel lay; count what is left."""
    root = bill["metadata"]["component"]
    tools = {part["bom-ref"] for part in bill["components"] if part["name"] in _TOOLS}
    others = [link for link in bill["dependencies"] if link["ref"] not in tools]
    gone = tools - {ref for link in others for ref in link.get("dependsOn", ())}
    bill["components"] = [part for part in bill["components"] if part["bom-ref"] not in gone]
    bill["dependencies"] = [link for link in bill["dependencies"] if link["ref"] not in gone]
    for part in (root, *bill["components"]):
        if "externalReferences" in part:
            links = part["externalReferences"]
            part["externalReferences"] = [link for link in links if not link["url"].startswith("file:")]
    return len(bill["components"])


def _add(bill: Part, carried: list[Part]) -> None:
    """Put the vendored libraries beside the others, as parts of the package itself."""
    bill["components"] += carried
    refs = [part["bom-ref"] for part in carried]
    (own,) = [link for link in bill["dependencies"] if link["ref"] == bill["metadata"]["component"]["bom-ref"]]
    own["dependsOn"] = sorted([*own.get("dependsOn", ()), *refs])
    bill["dependencies"] += [{"ref": ref} for ref in refs]


def _check(text: str) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        raise SystemExit(f"The list of parts does not keep to CycloneDX 1.6: {wrong}")
    if "file:/" in text or str(Path.home()) + "/" in text:
        raise SystemExit("The list of parts names folders of this machine.")
