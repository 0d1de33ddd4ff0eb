"""The identity of Python code: what a function or class does, so that stored runs are not used for changed code.

The digest covers the bytecode with its constants, defaults, closures, and whatever the code refers to by name. Code is refused if
something that it uses can change without notice. An installed package is known by its version, a module of the user by its files and
those of the modules that they import.
"""

from __future__ import annotations

import ast
import dis
import functools
import hashlib
import importlib.util
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._arguments import refused

DIGITS = 16
"""Hexadecimal digits of a digest."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))


class Unkeyed(Exception):
    """Why code has no digest."""


def digest(what: str, *values: object) -> str:
    """The digest of values: functions, classes and constants. `what` names them in errors."""
    try:
        return _digest(values)
    except Unkeyed as why:
        raise refused(f"{what}: {why}") from None


def _digest(values: object) -> str:
    sum = hashlib.sha256(sys.version.encode())
    for part in _parts(values, []):
        sum.update(f"{len(part)}:{part}".encode())
    return sum.hexdigest()[:DIGITS]


def or_name(of: Any, *values: object) -> str:
    """The same, or for code that has none a digest of its name."""
    try:
        return _digest((of, *values))
    except Unkeyed:
        return hashlib.sha256(f"{of!r} {values!r}".encode()).hexdigest()[:DIGITS]


def _parts(value: Any, above: list[object]) -> Iterator[str]:
    """What a value consists of; `above` are the functions and classes that refer to it."""
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, (tuple, frozenset)):
        items = value if isinstance(value, tuple) else sorted(value, key=repr)
        yield f"{type(value).__name__} {len(items)}"
        for item in items:
            yield from _parts(item, above)
    elif any(value is known for known in above):
        yield f"again {next(i for i, known in enumerate(above) if known is value)}"
    elif isinstance(value, types.ModuleType):
        yield f"module {value.__name__}"
        yield from _modules(value.__name__)
    elif isinstance(value, functools.partial):
        yield "partial"
        yield from _parts((value.func, value.args, tuple(sorted(value.keywords.items()))), [*above, value])
    elif isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType)) or _is_library(value):
        yield f"{_module(value)} {getattr(value, '__qualname__', value)}"
    elif isinstance(value, types.FunctionType):
        yield from _function(value, [*above, value])
    elif isinstance(value, type):
        yield from _class(value, [*above, value])
    elif isinstance(value, (staticmethod, classmethod)):
        yield type(value).__name__
        yield from _parts(value.__func__, above)
    elif isinstance(value, property):
        yield "property"
        yield from _parts((value.fget, value.fset, value.fdel), above)
    else:
        raise Unkeyed(f"{_shown(value)} may change: use only constants, tuples, functions, classes and modules")


def _module(value: Any) -> str:
    name = getattr(value, "__module__", None) or "builtins"
    package = sys.modules.get(name.partition(".")[0])
    return f"{name} {getattr(package, '__version__', '')}"


def _is_library(value: Any) -> bool:
    """Whether a class or function is of an installed package or of Python, which its version identifies."""
    if not isinstance(value, (type, types.FunctionType)):
        return False
    file = getattr(sys.modules.get(value.__module__ or ""), "__file__", None)
    return value.__module__ == "builtins" or (file is not None and _is_installed(file))


def _is_installed(file: str) -> bool:
    import sysconfig

    paths = sysconfig.get_paths()
    return any(file.startswith(paths[key]) for key in ("stdlib", "platstdlib", "purelib", "platlib"))


def _modules(name: str) -> Iterator[str]:
    """The top-level package of a module, and what it imports."""
    todo, seen = [name.partition(".")[0]], set()
    while todo:
        top = todo.pop()
        if top in seen:
            continue
        seen.add(top)
        files = _files(top)
        if files is None:
            yield f"module {top} {getattr(sys.modules.get(top), '__version__', '')}"
        for file in files or []:
            try:
                stat = file.stat()
                digest, imports = _read(file, stat.st_mtime_ns, stat.st_size)
            except OSError as why:
                raise Unkeyed(f"the module `{top}` cannot be read: {why}") from None
            yield f"file {top} {file.name} {digest}"
            todo.extend(imports)


def _files(top: str) -> list[Path] | None:
    """The files of a module or package of the user; `None` if it is installed, or does not exist."""
    if top in sys.stdlib_module_names:
        return None
    module = sys.modules.get(top)
    spec = module.__spec__ if module else importlib.util.find_spec(top)
    if not module and not spec:
        return None
    file = getattr(module, "__file__", None) or (spec and spec.origin)
    places = [str(place) for place in getattr(module, "__path__", None) or (spec and spec.submodule_search_locations) or ()]
    if not places and not file:
        raise Unkeyed(f"the module `{top}` has no file, so that it may change")
    if all(_is_installed(place) for place in places or [str(file)]):
        importlib.import_module(top)  # it knows its version then
        return None
    return sorted(file for place in places for file in Path(place).rglob("*.py")) if places else [Path(str(file))]


@functools.lru_cache(maxsize=None)
def _read(file: Path, changed: int, size: int) -> tuple[str, list[str]]:
    """The digest of a file of the user, and the top-level packages that it imports."""
    content = file.read_bytes()
    imports: set[str] = set()
    if file.suffix == ".py":
        try:
            tree = ast.parse(content)
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])  # it cannot be imported
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imports.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                imports.add(node.module.partition(".")[0])
    return hashlib.sha256(content).hexdigest(), sorted(imports)


def _imports(code: types.CodeType, package: str) -> Iterator[str]:
    """The modules that a function imports; for its own package's, that package."""
    instructions = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    for level, _, each in zip(instructions, instructions[1:], instructions[2:]):
        if each.opname == "IMPORT_NAME":
            yield package if level.argval else str(each.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _imports(constant, package)


def _function(function: types.FunctionType, above: list[object]) -> Iterator[str]:
    yield f"function {function.__name__}"
    yield from _parts((function.__defaults__, tuple(sorted((function.__kwdefaults__ or {}).items()))), above)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name == "__class__":
            continue
        yield name
        try:
            yield from _parts(cell.cell_contents, above)
        except ValueError:
            raise Unkeyed(f"`{function.__name__}` uses `{name}` before it has a value") from None
        except Unkeyed as why:
            raise Unkeyed(f"`{function.__name__}` uses `{name}` of the function around it, and {why}") from None
    yield from _code(function.__code__)
    for name in sorted(set(_imports(function.__code__, function.__globals__.get("__package__") or ""))):
        try:
            yield from _modules(name)
        except Unkeyed as why:
            raise Unkeyed(f"`{function.__name__}` imports `{name}`, and {why}") from None
    for name in sorted(set(_globals(function.__code__))):
        if name not in function.__globals__:
            continue  # a builtin, or an error at its time
        yield name
        try:
            yield from _parts(function.__globals__[name], above)
        except Unkeyed as why:
            raise Unkeyed(f"`{function.__name__}` uses the global `{name}`, and {why}") from None


def _code(code: types.CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_argcount, code.co_kwonlyargcount, code.co_flags))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant)
        else:
            yield from _parts(constant, [])


def _globals(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals(constant)


IGNORED = frozenset(
    ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__annotate__", "__annotate_func__")
    + ("__annotations_cache__", "__conditional_annotations__", "__firstlineno__", "__static_attributes__", "__qualname__")
    + ("__abstractmethods__", "_abc_impl", "__parameters__", "__orig_bases__", "__slots__", "__slotnames__", "__classdictcell__")
)


def _class(of: type, above: list[object]) -> Iterator[str]:
    yield f"class {of.__name__}"
    yield from _parts(of.__bases__, above)
    for name, value in sorted(vars(of).items()):
        if name in IGNORED:
            continue
        yield name
        try:
            yield from _parts(value, above)
        except Unkeyed as why:
            raise Unkeyed(f"`{of.__name__}.{name}`: {why}") from None


def _shown(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 40 else text[:40] + '…'}, of type {type(value).__name__},"
