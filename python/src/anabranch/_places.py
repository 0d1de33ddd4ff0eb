"""Folders of files: local ones, and those of an object store by fsspec."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from . import _arguments

locks: set[int] = set()
"""Descriptors of locked files, which forked children close."""


class Place(Protocol):
    """A folder, with files in folders of one level."""

    files: Any
    """The file system of fsspec; `None` for a local folder."""

    def name(self, file: str) -> str:
        """The whole name of a file, for other programs."""

    def sizes(self, folder: str) -> dict[str, int]:
        """The files of a folder and their bytes, in the order of their names."""

    def read(self, file: str) -> bytes | None:
        """A file's content, if it exists."""

    def write(self, file: str, content: bytes) -> None:
        """Writes a file, which has its name once it is complete."""

    def move(self, source: Path, file: str) -> None:
        """Moves a local file there."""

    def remove(self, file: str) -> None:
        """Removes a file."""

    def locked(self) -> AbstractContextManager[object]:
        """Excludes other clients, as far as the file system can."""


class Local:
    """A folder of this machine, or of a file system that is mounted."""

    def __init__(self, folder: Path) -> None:
        self.files = None
        self.folder = folder

    def __str__(self) -> str:
        return str(self.folder)

    def name(self, file: str) -> str:
        return str(self.folder / file)

    def sizes(self, folder: str) -> dict[str, int]:
        try:
            with os.scandir(self.folder / folder) as files:
                return {f.name: f.stat().st_size for f in sorted(files, key=lambda f: f.name) if not f.name.endswith(".partial")}
        except FileNotFoundError:
            return {}

    def read(self, file: str) -> bytes | None:
        try:
            return (self.folder / file).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, file: str, content: bytes) -> None:
        partial = self._partial(file)
        partial.write_bytes(content)
        partial.replace(self.folder / file)

    def move(self, source: Path, file: str) -> None:
        partial = self._partial(file)
        shutil.copyfile(source, partial)
        partial.replace(self.folder / file)

    def remove(self, file: str) -> None:
        (self.folder / file).unlink(missing_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        try:
            import fcntl
        except ImportError:
            yield
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = open(self.folder / "lock", "w")
        except OSError as why:
            raise _arguments.refused(f"cannot write into {self}: {why}") from why
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as why:
                raise _arguments.refused(f"another client writes into {self}: {why}") from why
            locks.add(file.fileno())
            try:
                yield
            finally:
                # Closing would not unlock it while a forked child has it open.
                fcntl.flock(file, fcntl.LOCK_UN)
                locks.discard(file.fileno())

    def _partial(self, file: str) -> Path:
        path = self.folder / f"{file}.partial"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


class Remote:
    """A folder of a file system of fsspec. A file of an object store is complete once it has its name."""

    def __init__(self, url: str) -> None:
        try:
            import fsspec
        except ImportError as why:
            raise _arguments.refused(f"{url} needs fsspec: pip install fsspec") from why
        files: Any
        try:
            files, self.folder = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as why:
            raise _arguments.refused(f"fsspec cannot open {url}: {why}") from why
        self.files, self.url = files, url.rstrip("/")

    def __str__(self) -> str:
        return self.url

    def name(self, file: str) -> str:
        return f"{self.url}/{file}"

    def _path(self, file: str) -> str:
        return f"{self.folder.rstrip('/')}/{file}"

    def sizes(self, folder: str) -> dict[str, int]:
        self.files.invalidate_cache()
        try:
            files = self.files.ls(self._path(folder), detail=True)
        except FileNotFoundError:
            return {}
        return {each["name"].rpartition("/")[2]: each["size"] for each in sorted(files, key=lambda each: str(each["name"]))}

    def read(self, file: str) -> bytes | None:
        try:
            content: bytes = self.files.cat_file(self._path(file))
        except FileNotFoundError:
            return None
        return content

    def write(self, file: str, content: bytes) -> None:
        self.files.makedirs(self._path(file).rpartition("/")[0], exist_ok=True)
        self.files.pipe_file(self._path(file), content)

    def move(self, source: Path, file: str) -> None:
        self.write(file, source.read_bytes())

    def remove(self, file: str) -> None:
        self.files.rm_file(self._path(file))

    def locked(self) -> AbstractContextManager[object]:
        return nullcontext()


def place(name: str, value: object) -> Place:
    """A folder, or the URL of one."""
    if isinstance(value, str) and value.startswith("file://"):
        return Local(Path(value.removeprefix("file://")))
    if isinstance(value, str) and "://" in value:
        return Remote(value)
    return Local(_arguments.path(name, value))
