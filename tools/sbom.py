"""Prints a software bill of materials, CycloneDX 1.5 in JSON:  tools/sbom.py CRATE [OPTION of cargo metadata …]

It lists what the crate is linked with, and not what only builds or tests it.
"""

import hashlib
import json
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

root = Path(__file__).parent.parent
command = ["cargo", "metadata", "--format-version", "1", "--locked", *sys.argv[2:]]
metadata = json.loads(subprocess.run(command, cwd=root, check=True, capture_output=True).stdout)
lock = tomllib.loads((root / "Cargo.lock").read_text())
checksums = {(package["name"], package["version"]): package.get("checksum") for package in lock["package"]}
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}


def runs(node):
    """The dependencies that belong to the program, rather than of its build or tests."""
    return [dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package):
    entry = {"type": "library", "bom-ref": reference(package), "name": package["name"], "version": package["version"]}
    if package["license"]:
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := checksums.get((package["name"], package["version"])):
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        entry["purl"] = reference(package)
    return entry


start = next(package for package in packages.values() if package["name"] == sys.argv[1])
kind = "application" if any("bin" in each["kind"] for each in start["targets"]) else "library"
reached, waiting = set(), [start["id"]]
while waiting:
    package = waiting.pop()
    if package not in reached:
        reached.add(package)
        waiting.extend(runs(nodes[package]))
found = sorted((packages[package] for package in reached), key=reference)
digest = hashlib.sha256((root / "Cargo.lock").read_bytes() + sys.argv[1].encode()).digest()
print(
    json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}",
            "version": 1,
            "metadata": {"component": {**component(start), "type": kind}},
            "components": [component(package) for package in found if package is not start],
            "dependencies": [
                {
                    "ref": reference(package),
                    "dependsOn": sorted(reference(packages[dep]) for dep in runs(nodes[package["id"]])),
                }
                for package in found
            ],
        },
        indent=1,
    )
)
