#!/usr/bin/env python3
"""Checks wording: words per sentence in pages, and expressions that hinder readers in pages and comments. Exits 1 on a mistake.

    tools/words.py                     README.md, CONTRIBUTING.md with its table of expressions, SECURITY.md, bench/README.md, the book;
                                       comments of all sources, scenarios and studies
    tools/words.py --verbose           the same, and each page's lengths
    tools/words.py --commits [BASE]    the subjects of commits since BASE: an imperative with a capital letter, at most 72 characters
    tools/words.py --table             the banned expressions as a Markdown table
    tools/words.py --self-test         plants one mistake of each kind; exits 1 if one stays unnoticed
"""
import re
import subprocess
import sys
from pathlib import Path

LONGEST, MEAN, SUBJECT = 35, 18, 72
BASE = "73f4618"  # the commit from which on subjects are checked
ROOT = Path(__file__).resolve().parent.parent

# Expression; what to write instead; the pattern, in which a space is any white space; a sentence that it must match.
BANNED = [
    ("tell, told", "report, print, log, notify", r"\b(tells?|told|telling)\b", "The record tells how."),
    ("is no, are no", "is not a; say what is true", r"(?<!there )\b(is|are|was|were) no\b(?! longer| more)", "It is no name."),
    ("none", "not one; say what is true", r"\bnone\b", "Of these there is none."),
    ("so many, so long", "the number of; for as long as", r"\bso (many|long)\b", "It draws so many panels."),
    ("go on", "resume, continue", r"\b(go|goes|going|went|gone) on\b", "The command goes on."),
    ("break off", "stop, fail, end early", r"\b(break|breaks|broke|broken) off\b", "A run broke off."),
    ("… otherwise", "name the other case", r"(?<=\w )otherwise\b(?=[.,;:)]|$)", "It acknowledges otherwise."),
    ("What … as a subject", "name the thing", r"^What\b.*\.$", "What is missing is printed."),
    ("that of", "repeat the noun", r"\bthat of\b", "The rule is that of ns-3."),
    ("whose … whose", "two sentences", r"\bwhose\b[^,;:.]*\b(whose|which|that)\b", "A host whose queue that link fills."),
    ("keep step, in step", "be synchronised", r"\b(keeps?|kept|in) step\b", "The clock keeps step."),
    ("a look", "a sample, a check", r"\b(a|each|every|one) (first )?look\b", "This is a first look."),
    ("part", "fraction, subset, section", r"(?<!takes )(?<!take )(?<!in )\bparts?\b", "A part of the rate."),
    ("retired kernel", "out-of-tree MPTCP (v0.9x)", r"\bretired\b", "The retired kernel."),
    ("column (an assumption)", "sensitivity variant", r"\bassumptions?\b[^.]*\bcolumns?\b", "Other assumptions in columns."),
    ("reading (of a text)", "interpretation", r"\breadings\b|\b(a|each|every|other|another) reading\b", "All readings."),
    ("plain hosts, Linux hosts", "idealised, Linux-accurate host model", r"\b(plain|Linux) hosts\b", "With plain hosts."),
    ("sent again", "retransmitted", r"\b(send|sends|sent|goes? out) again\b", "A segment is sent again."),
]
# Comments may have these: a comment is often a phrase, and "part" may be a name.
PAGES_ONLY = ("none", "part", "What … as a subject")
PATTERNS = [re.compile(pattern.replace(" ", r"\s"), re.I | re.S) for _, _, pattern, _ in BANNED]
# The first word of a subject: a capital letter, and no form in -s, -ed or -ing but of verbs that end so.
VERB = re.compile(r"(?![A-Z]\w*(s|ed|ing)\b)[A-Z]|(Pass|Process|Compress|Address|Express|Focus|Discuss|Feed|Speed|Embed|Need|Bring)\b")
# How a comment begins, by the file's suffix.
MARKS = dict.fromkeys(("rs", "c", "h", "js", "mjs"), r"//[/!]?") | dict.fromkeys(("py", "sh", "toml"), "#")
CODE = r'^(?:[^"\'\n]|"[^"\n]*"|\'[^\'\n]*\')*?(?:^|(?<=\s))'  # a line up to its comment
ABBREVIATED = re.compile(r"\b(e\.g|i\.e|et al|Eq|Fig|cf|vs|approx|[A-Z])\.\s+$")


def blank(match): return "\n" * match[0].count("\n")  # later lines keep their numbers


def blocks(text):
    """Paragraphs, headings and items of lists, each with its first line's number and whether it is a heading."""
    text = re.sub(r"^( *)(```|~~~).*?^\1\2[ ]*$|<!--.*?-->|!\[[^]]*\]\([^)]*\)", blank, text, flags=re.M | re.S)
    text = re.sub(r"(`+)(.+?)\1(?!`)", lambda m: "CODE" + blank(m), text, flags=re.S)
    text = re.sub(r"(?<!\\)\$[^$]+\$", lambda m: "CODE" + blank(m), text)
    text = re.sub(r"\[([^]]*)\](\([^)]*\)|\[[^]]*\])", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^>\n]*>|<https?:[^>]*>|\*+|(?<!\w)_|_(?!\w)", "", text)
    lines, start = [], 1
    for number, line in enumerate([*text.split("\n"), ""], 1):
        line = line.strip(" >")
        item = re.match(r"([-+]|\d+\.)\s+", line)
        special = re.match(r"#|\||\{\{|---", line)
        if lines and (not line or item or special):
            yield start, False, "\n".join(lines)
            lines = []
        if line.startswith("#"):
            yield number, True, line.lstrip("# ")
        elif line and not special:
            start, lines = start if lines else number, [*lines, line[item.end():] if item else line]


def sentences(block):
    """Each sentence of a block, with the number of line breaks before it."""
    begin = 0
    for end in [match.end() for match in re.finditer(r"[.!?][\"”’)]*\s+", block)] + [len(block)]:
        if end == len(block) or not ABBREVIATED.search(block[:end]):
            yield block[:begin].count("\n"), block[begin:end].strip()
            begin = end


def expressions(name, line, sentence, allowed=()):
    """The banned expressions in a sentence that starts on that line."""
    for (banned, instead, *_), pattern in zip(BANNED, PATTERNS):
        for match in pattern.finditer(sentence) if banned not in allowed else ():
            at = line + sentence[:match.start()].count("\n")
            yield f"{name}:{at}: “{' '.join(match[0].split())}”: {banned} → {instead}"


def comments(text, mark):
    """Each run of lines with comments, with its first line's number. Code and quotations in them are replaced."""
    if mark.startswith("//"):
        text = re.sub(r"/\*.*?\*/", lambda block: re.sub(r"^[ \t]*/?\*+/?", "// ", block[0].replace("*/", ""), flags=re.M), text, flags=re.S)
    pattern = re.compile(f"{CODE}{mark}(?:\\s(.*))?$")
    start, lines = 1, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        match = pattern.match(line)
        comment = (match[1] or "").strip() if match else ""
        if comment:
            start, lines = start if lines else number, [*lines, comment]
        elif lines:
            block = re.sub(r"(`+)(.+?)\1(?!`)", lambda code: "CODE" + blank(code), "\n".join(lines), flags=re.S)
            yield start, re.sub(r'"[^"]*"|“[^”]*”', lambda quotation: "QUOTE" + blank(quotation), block)
            lines = []


def check_comments(name, text):
    """The banned expressions in a source's comments."""
    found = []
    if name.endswith(".py"):
        text = re.sub(r'^[ \t]*r?"""(?=\w).*?"""$', lambda block: re.sub("^", "# ", block[0].replace('"""', ""), flags=re.M), text, flags=re.M | re.S)
    for line, block in comments(text, MARKS[name.rsplit(".", 1)[-1]]):
        for before, sentence in sentences(block):
            found += expressions(name, line + before, sentence, PAGES_ONLY)
    return found


def sources():
    """The sources with comments, vendored ones excluded."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True).stdout.split("\n")
    names = listed if len(listed) > 1 else (str(path.relative_to(ROOT)) for path in ROOT.glob("*/**/*.*"))
    return [name for name in names if name.rsplit(".", 1)[-1] in MARKS and not re.search(r"vendor|target/|words\.py", name)]


def check(name, text):
    """The lengths of a page's sentences, and its mistakes."""
    lengths, found = [], []
    for line, heading, block in blocks(text):
        for before, sentence in sentences(block):
            words = sum(bool(re.search(r"\w", word)) for word in sentence.split())
            lengths += [words] if words and not heading else []
            if words > LONGEST and not heading:
                found.append(f"{name}:{line + before}: {words} words: {' '.join(sentence.split()[:8])} …")
            found += expressions(name, line + before, sentence)
    mean = sum(lengths) / max(len(lengths), 1)
    found += [f"{name}: mean of {mean:.1f} words a sentence"] if mean > MEAN else []
    return f"{name}: {len(lengths)} sentences, mean {mean:.1f}, longest {max(lengths, default=0)}", found


def table():
    """The banned expressions as a Markdown table."""
    return "\n".join(["| not | instead |", "|---|---|", *(f"| {name} | {instead} |" for name, instead, *_ in BANNED)])


def check_table(name, text):
    """CONTRIBUTING.md has the table between its markers."""
    return [] if f"<!-- words -->\n\n{table()}\n\n<!-- end -->" in text else [f"{name}: not the table of tools/words.py --table"]


def check_subject(line):
    """A commit's abbreviated hash and its subject."""
    subject = line.split(" ", 1)[1]
    found = [f"{line}: {len(subject)} characters, at most {SUBJECT}"] if len(subject) > SUBJECT else []
    return found + ([] if VERB.match(subject) else [f"{line}: starts without a capital letter or an imperative"])


def check_commits(base):
    """The subjects of commits since `base`, merges excluded."""
    def git(*args): return subprocess.run(["git", "-C", ROOT, *args], capture_output=True, text=True)
    if not (ROOT / ".git").exists():
        why = "not a clone of the repository"
    elif git("merge-base", "--is-ancestor", base, "HEAD").returncode:
        why = f"the history lacks the commit {base}"
    else:
        return [mistake for line in git("log", "--no-merges", "--format=%h %s", f"{base}..HEAD").stdout.splitlines()
                for mistake in check_subject(line)]
    skipped = subprocess.run([ROOT / "tools/skipped.sh", "the subjects of commits", why]).returncode
    return [why] if skipped else []


def self_test():
    """Mistakes that stay unnoticed, and correct text that is refused."""
    long = "Word" + " word" * LONGEST + "."
    bad = [(name, sentence) for name, _, _, sentence in BANNED] + [("36 words", long), ("mean", long[:-6] + ".")]
    good = ["It is no longer there, and there is no other. Take part in it.", f"Run `{'a ' * 40}`, or ${'a ' * 40}b$."]
    good += [f"| {long} |", f"```text\n{long}\n```"]
    missed = [name for name, sentence in bad if not any(name in mistake for mistake in check("page", sentence)[1])]
    missed += [mistake for text in good for mistake in check("page", text)[1]]
    planted = [("a.rs", "/// It is told.\n"), ("a.rs", "f(); // so\n// many\n"), ("a.c", "/* one\n * is told */\n")]
    planted += [("a.py", "f()  # that of\n"), ("a.py", '    """A\n\n    told.\n    """\n'), ("a.toml", "# goes on\n")]
    missed += [f"{text!r} in {name}" for name, text in planted if len(check_comments(name, text)) != 1]
    missed += check_comments("a.rs", 'let url = "https://told.none"; // see `none`, "none"\nlet none = told;\n')
    page = f"<!-- words -->\n\n{table()}\n\n<!-- end -->\n"
    missed += ["another table"] if not check_table("page", page.replace("retransmitted", "resent")) else []
    subjects = ["Adds a page", "Added a page", "Adding a page", "add a page", "Add " + "a" * SUBJECT]
    missed += [subject for subject in subjects if not check_subject(f"1234567 {subject}")]
    return missed + check_table("page", page) + check_subject("1234567 Add a page") + check_subject("1234567 Pass the seed on")


def main(args):
    if args == ["--table"]:
        return print(table())
    if args == ["--self-test"]:
        what, found = "mistakes unnoticed", self_test()
    elif args[:1] == ["--commits"] and len(args) <= 2:
        what, found = "mistakes in subjects of commits", check_commits(args[1] if args[1:] else BASE)
    elif args not in ([], ["--verbose"]):
        sys.exit(__doc__)
    else:
        book = set(ROOT.glob("docs/src/**/*.md")) - {ROOT / "docs/src/SUMMARY.md"}
        pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md")] + sorted(book)
        checked = [check(str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")) for page in pages]
        print(*(line for line, _ in checked if args), sep="\n", end="\n" if args else "")
        files = sources()
        what = f"mistakes in {len(pages)} pages and the comments of {len(files)} files"
        found = [mistake for _, mistakes in checked for mistake in mistakes]
        found += [mistake for file in files for mistake in check_comments(file, (ROOT / file).read_text(encoding="utf-8"))]
        found += check_table("CONTRIBUTING.md", pages[1].read_text(encoding="utf-8"))
    print("\n".join([*found, f"words: {len(found)} {what}"]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
