#!/usr/bin/env python3
"""Finds circles of imports: three or more files of a crate, each of which imports from the next. Exits 1 if there is one.

    tools/circles.py                each crate of crates/
    tools/circles.py --self-test    plants circles; exits 1 if one stays unnoticed

An import is a path to an item of another file, in `use` or in code, and leads through re-exports to the item's definition. A re-export counts
only if its file also uses the name. Tests do not count. A call of a method is not a path: an `impl` in several files stays unnoticed.
"""
import re
import sys
from pathlib import Path

CRATES = Path(__file__).resolve().parent.parent / "crates"
IGNORED = re.compile(r"""//[^\n]*|/\*.*?\*/|\bb?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'""", re.S)  # comments, literals
# An item for tests: one line, or up to the brace with its indentation.
TEST = re.compile(r"^( *)#\[cfg\((?:all\()?test\b.*\n(?:\1#.*\n)*\1(?:\S.*[;,}]|\S(?:.*\n)*?\1\}.*) *$", re.M)
USE = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);|\bmod\s+\w+\s*;")
DEFINITION = r"\b(?:struct|enum|union|fn|trait|type|const|static|static mut|mod|macro_rules!)\s+%s\b"


def expand(tree):
    """The paths of a `use`, each with the name that it brings into scope."""
    while group := re.search(r"((?:\w+::)*)\{([^{}]*)\}", tree):
        parts = [group[1] + part.strip() for part in group[2].split(",") if part.strip()]
        tree = tree[:group.start()] + ", ".join(parts) + tree[group.end():]
    for path, alias in re.findall(r"(?:^|(?<=,))\s*((?:\w+::)*(?:\w+|\*))(?:\s+as\s+(\w+))?", tree.replace("::self", "")):
        yield tuple(path.split("::")), alias or path.split("::")[-1]


def imports(sources):
    """For each file the files that it imports from, with the names. `sources` has each file's text by its module's path."""
    texts = {module: IGNORED.sub(" ", text) for module, text in sources.items()}
    tests = {(*module, name) for module, text in texts.items() for item in TEST.finditer(text) for name in re.findall(r"\bmod (\w+);", item[0])}
    texts = {module: TEST.sub("", text) for module, text in texts.items() if not any(module[:end + 1] in tests for end in range(len(module)))}
    uses = {module: [(*use, match[1]) for match in USE.finditer(text) for use in expand(match[2] or "")] for module, text in texts.items()}

    def absolute(module, path):
        """A path in a file, from the crate's root; nothing if it leads out of the crate."""
        up = path.count("super")
        if path[0] in ("crate", "self", "super"):
            return (() if path[0] == "crate" else module[:len(module) - up]) + path[up or 1:]
        return module + path if module + path[:1] in texts else None

    def defined(path, seen=()):
        """The file and the name of the item of an absolute path; nothing for a module, and for an item of another crate."""
        module = next((path[:end] for end in range(len(path or ()), -1, -1) if path and path[:end] in texts), path)
        if module == path or path in seen:
            return None
        name = path[len(module)]
        if re.search(DEFINITION % name, texts[module]):
            return module, name
        for use, alias, _ in uses[module]:
            if alias == name and use != (name,):
                target = absolute(module, use)
                return defined(target + path[len(module) + 1:], (*seen, path)) if target else (module, name)
        globs = [absolute(module, use[:-1]) for use, alias, _ in uses[module] if alias == "*"]
        found = [defined((*glob, name), (*seen, path)) for glob in globs if glob in texts and glob != module]
        # A macro may define it: in the first file that mentions it.
        return next((place for place in found if place and re.search(rf"\b{name}\b", texts[place[0]])), (module, name))

    edges = {module: {} for module in texts}
    for module, text in texts.items():
        code, names = USE.sub("", text), {name: use for use, name, _ in uses[module]}
        inline = [path.split("::") for path in re.findall(r"(?<![\w:$])\w+(?:::\w+)+", code)]
        paths = [(*names.get(first, (first,)), *rest) for first, *rest in inline]
        for path, name, public in uses[module]:
            given = re.findall(DEFINITION % r"([A-Z]\w*)", texts.get(absolute(module, path[:-1]), "")) if name == "*" else [name]
            paths += [path] if not public or any(re.search(rf"\b{name}\b", code) for name in given) else []
        for *path, name in paths:
            place = absolute(module, (*path, name) if name != "*" else tuple(path))
            # A file is itself the target if a glob names it, or an item of its name is meant.
            is_target = place in texts and (name == "*" or re.search(rf"\b{name}\b(?!::)", code))
            target, name = (place, name) if is_target else defined(place) or (module, name)
            if target != module:
                edges[module].setdefault(target, set()).add(name)
    return edges


def circle(edges, a, b):
    """The shortest circle of more than two files in which `a` imports from `b`; empty if there is none."""
    paths = [[b]]
    for path in paths:
        for after in edges[path[-1]]:
            if after == a and len(path) > 1:
                return path + [a]
            if after != a and all(after != known[-1] for known in paths):
                paths.append(path + [after])
    return []


def check(crate, files):
    """The circles of a crate, the shortest first, no two with an import in common, as text."""
    parts = {file: tuple(file.removesuffix(".rs").split("/")) for file in files}
    modules = {path[:-1] if path[-1] in ("mod", "lib", "main") else path: file for file, path in parts.items()}
    edges, used = imports({module: files[file] for module, file in modules.items()}), set()
    for found in sorted((circle(edges, a, b) for a in edges for b in edges[a]), key=len):
        steps = list(zip(found, found[1:] + found[:1]))
        if steps and used.isdisjoint(steps):
            used.update(steps)
            lines = [f"    {modules[a]} imports {', '.join(sorted(edges[a][b]))} from {modules[b]}" for a, b in steps]
            yield "\n".join([f"{crate}: a circle of {len(found)} files", *lines])


def self_test():
    """Mistakes: circles that stay unnoticed, and a crate without one that is refused."""
    planted = {"lib.rs": "mod a;\nmod b;\nmod c;\npub use a::A;", "a.rs": "use crate::b;\npub struct A(b::B);", "b/mod.rs": "pub struct B(crate::c::C);"}
    bad = ["use crate::{A as X};", "fn f(_: crate::A) {}", "use super::a::*;", "use crate::a;\nfn f(_: a::A) {}"]
    good = ["// crate::A", 'const X: &str = "crate::A";', "pub use crate::A;", "#[cfg(test)]\nmod tests {\n    use crate::A;\n}", "use crate::b::B;"]
    found = {text: len(list(check("planted", planted | {"c.rs": text + "\npub struct C;"}))) for text in bad + good}
    return [f"{count} circles found with {text!r}" for text, count in found.items() if count != (text in bad)]


def main(args):
    if args not in ([], ["--self-test"]):
        sys.exit(__doc__)
    found, sources = self_test() if args else [], [] if args else sorted(CRATES.glob("*/src"))
    for source in sources:
        files = {file.relative_to(source).as_posix(): file.read_text(encoding="utf-8") for file in sorted(source.rglob("*.rs"))}
        found += check(source.parent.name, files)
    print("\n".join([*found, f"circles: {len(found)} {'mistakes of the self-test' if args else 'circles of imports'}"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
