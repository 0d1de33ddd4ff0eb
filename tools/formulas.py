#!/usr/bin/env python3
"""Converts the book's formulas to MathML: `$…$` in a sentence, and blocks of ```math. Both are LaTeX. Needs the package `math-core`.

    tools/formulas.py               a preprocessor of mdBook; a formula with a mistake ends the build, with its page and line
    tools/formulas.py --self-test   plants mistakes, and exits 1 if one stays unnoticed
"""
import json
import re
import sys

from math_core import LatexError, LatexToMathML

CONVERTER = LatexToMathML(fancy_error=False)
# Formulas, and what hides a dollar sign: code, comments and a backslash.
PATTERN = re.compile(
    r"^(?P<indent>[ >]*)(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<block>.*?)^[ >]*(?P=fence)[ ]*$"
    r"|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
    r"|<!--.*?-->|\\\$"
    r"|\$(?P<inline>(?:[^$\n]|\n(?!\s*\n))*)\$|(?P<alone>\$)",
    re.M | re.S,
)
# Forges read a backslash before these as Markdown's own.
ESCAPE = re.compile(r"\\[^a-zA-Z\s]")


def mathml(latex, block):
    """A formula as HTML in which Markdown finds no marks of its own."""
    html = CONVERTER.convert_with_local_state(latex, displaystyle=block)
    html = re.sub(r"[*_`|\\\[\]~]", lambda mark: f"&#{ord(mark[0])};", html)
    return f"<div>{html}</div>" if block else html


def convert(page, text):
    """The text with its formulas converted, and the mistakes."""
    found = []

    def replace(match):
        inline, block = match["inline"], match["block"]
        latex = inline if block is None else re.sub(r"^[ >]*", "", block, flags=re.M) if match["info"] == "math" else None
        if latex is None and not match["alone"]:
            return match[0]
        line = text.count("\n", 0, match.start()) + 1
        try:
            if match["alone"]:
                raise ValueError("a $ without another one: write \\$ for the sign")
            if inline is not None and latex != latex.strip() or not latex.strip():
                raise ValueError("a formula neither begins nor ends with a space")
            if inline is not None and (escape := ESCAPE.search(latex)):
                raise ValueError(f"Markdown takes {escape[0]} for a sign: use a command of letters, or a block of ```math")
            return (match["indent"] or "") + mathml(latex, block is not None)
        except (LatexError, ValueError) as why:
            found.append(f"docs/src/{page}:{line}: {latex or '$'}: {why}")
            return match[0]

    return PATTERN.sub(replace, text), found


def chapters(items):
    """All chapters of mdBook's tree."""
    for item in items:
        if isinstance(item, dict) and (chapter := item.get("Chapter")):
            yield chapter
            yield from chapters(chapter["sub_items"])


def self_test():
    """Mistakes that stay unnoticed, and text that changes though it has no formula."""
    bad = [r"a $\unknown{w}$", r"a $\frac{1}{2$", "a $w", "a $ w $", r"a $w\,T$", "```math\n\\frac{1}\n```"]
    same = ["`$w$`", "```sh\necho $a $b\n```", r"5 \$ and 6 \$", "<!-- $w -->", "a ``$w` $`` b"]
    missed = [text for text in bad if len(convert("page", text)[1]) != 1]
    missed += [text for text in same if convert("page", text) != (text, [])]
    missed += ["line"] if not convert("page", "\n\na $\\x$")[1][0].startswith("docs/src/page:3: ") else []
    good, mistakes = convert("page", "| $w_r^*$ | $\\lvert B\\rvert$ |\n\n```math\na \\\\ b\n```\n")
    shown = mistakes or good.count("<math") != 3 or good.count("|") != 3 or "_" in good or "*" in good or "$" in good
    return missed + (["good formulas"] if shown else [])


def main(args):
    if args == ["--self-test"]:
        found = self_test()
    elif args[:1] == ["supports"]:
        return args[1:] != ["html"]
    else:
        _, book = json.load(sys.stdin)
        found = []
        for chapter in chapters(book.get("items") or book.get("sections") or []):
            chapter["content"], mistakes = convert(chapter["path"] or chapter["name"], chapter["content"])
            found += mistakes
        if not found:
            json.dump(book, sys.stdout)
    print(*(f"formulas: {line}" for line in found), sep="\n", end="\n" if found else "", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
