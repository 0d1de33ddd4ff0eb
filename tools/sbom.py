"""Prints the dependencies of the command, with the feature `linux`, as a software bill of materials: CycloneDX 1.5, JSON."""

import hashlib
import json
import subprocess
import tomllib
import uuid
from pathlib import Path

root = Path(__file__).parent.parent
command = ["cargo", "metadata", "--format-version", "1", "--locked", "--features", "linux"]
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


start = next(package for package in packages.values() if package["name"] == "anabranch-cli")
reached, waiting = set(), [start["id"]]
while waiting:
    package = waiting.pop()
    if package not in reached:
        reached.add(package)
        waiting.extend(runs(nodes[package]))
found = sorted((packages[package] for package in reached), key=reference)
digest = hashlib.sha256((root / "Cargo.lock").read_bytes()).digest()
print(
    json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}",
            "version": 1,
            "metadata": {"component": {**component(start), "type": "application"}},
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
