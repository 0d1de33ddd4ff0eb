"""Checks wheels and source distributions:  tools/wheels.py FILE…

A wheel: the version, the tag, which must be true of the library inside, the licences, the checksums, and that nothing names this folder. Exits 1 on
a fault.
"""

import base64
import csv
import email
import hashlib
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]
# `e_machine` of ELF.
MACHINES = {"x86_64": 62, "aarch64": 183}


def faults_of_metadata(text):
    about = email.message_from_string(text)
    for key, right in (("Name", "anabranch"), ("Version", VERSION), ("License-Expression", "MIT OR Apache-2.0"), ("Requires-Python", ">=3.10")):
        if about[key] != right:
            yield f"{key} is {about[key]}, not {right}"
    if sorted(about.get_all("License-File", [])) != LICENCES:
        yield f"License-File is {about.get_all('License-File')}, not {LICENCES}"
    if not about.get_payload().strip():
        yield "there is no description"


def faults_of_library(library, tag):
    machine = tag.rsplit("_", 1)[-1] if tag.endswith("aarch64") else "x86_64"
    found = int.from_bytes(library[18:20], "little")
    if library[:4] != b"\x7fELF" or found != MACHINES[machine]:
        yield f"the library is for machine {found}, not {machine}"
    oldest = re.search(r"manylinux_2_(\d+)_", tag)
    if not oldest:
        yield f"the tag {tag} is not manylinux"
        return
    needed = max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)), default=0)
    if needed > int(oldest[1]):
        yield f"the library needs glibc 2.{needed}, and the tag says 2.{oldest[1]}"


def faults_of_wheel(path):
    name, version, python, abi, platform = path.stem.split("-")
    if (version, python, abi) != (VERSION, "cp310", "abi3"):
        yield f"its name has {version}, {python} and {abi}, not {VERSION}, cp310 and abi3"
    with zipfile.ZipFile(path) as wheel:
        files = {info.filename: wheel.read(info) for info in wheel.infolist()}
    about = f"{name}-{version}.dist-info"
    yield from faults_of_metadata(files[f"{about}/METADATA"].decode())
    for licence in LICENCES:
        if files.get(f"{about}/licenses/{licence}") != (ROOT / licence).read_bytes():
            yield f"{licence} is missing or differs"
    for file in ("anabranch/py.typed", "anabranch/_anabranch.abi3.so"):
        if file not in files:
            yield f"{file} is missing"
    for file, content in files.items():
        if str(ROOT).encode() in content:
            yield f"{file} names the folder of the build, {ROOT}"
    yield from faults_of_library(files.get("anabranch/_anabranch.abi3.so", b""), platform)
    for file, checksum, _ in csv.reader(files[f"{about}/RECORD"].decode().splitlines()):
        found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(files[file]).digest()).decode().rstrip("=")
        if checksum and checksum != found:
            yield f"{file} has another checksum than RECORD"


def faults_of_sources(path):
    with tarfile.open(path) as archive:
        names = archive.getnames()
        yield from faults_of_metadata(archive.extractfile(f"anabranch-{VERSION}/PKG-INFO").read().decode())
        for member in archive.getmembers():
            if not (member.isfile() or member.isdir()):
                yield f"{member.name} is not a file"
    for licence in LICENCES:
        if not any(name.endswith(f"/{licence}") for name in names):
            yield f"{licence} is missing"
    if not any(name.endswith("/studies/standard/standard-cases.toml") for name in names):
        yield "the studies are missing"


faults = 0
for path in map(Path, sys.argv[1:]):
    for fault in (faults_of_wheel if path.suffix == ".whl" else faults_of_sources)(path):
        print(f"wheels: {path.name}: {fault}", file=sys.stderr)
        faults += 1
if len(sys.argv) == 1:
    sys.exit("wheels: name the files to check")
sys.exit(faults != 0)
