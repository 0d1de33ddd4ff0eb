"""Writes the site's front page, and checks every relative link of the site:  tools/site.py FOLDER"""

import html
import re
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


def inline(text):
    """A cell of Markdown as HTML. Links of the README point into the book."""
    text = html.escape(text.strip(), quote=False)
    text = re.sub(r"\[([^]]*)\]\(docs/src/([^)#]*)\.md(#[^)]*)?\)", r'<a href="book/\2.html\3">\1</a>', text)
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def findings(readme):
    """The README's table of findings."""
    section = readme.split("## Findings", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    head, _, *body = rows
    cell = lambda name, text: f'<td data-head="{html.escape(name.strip())}">{inline(text)}</td>'
    lines = ["".join(f"<th>{inline(name)}</th>" for name in head), *("".join(map(cell, head, row)) for row in body)]
    return "\n".join(['<div class="wide"><table>', *(f"<tr>{line}</tr>" for line in lines), "</table></div>"])


class Links(HTMLParser):
    """The links of a page, and the places that links may name."""

    def __init__(self, page):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def broken(site):
    pages = {path.resolve(): Links(path.read_text(errors="replace")) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc or link.startswith("javascript:"):
                continue
            if url.path.startswith("/"):
                # mdBook's page for missing addresses, which only servers show.
                if path.name != "404.html":
                    yield f"{path}: {link} is not relative"
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                yield f"{path}: {link} leads nowhere"


def main(site):
    root = Path(__file__).parent.parent
    version = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    page = (root / "site/index.html").read_text()
    page = page.replace("@findings", findings((root / "README.md").read_text())).replace("@version", version)
    (site / "index.html").write_text(page)
    problems = list(broken(site))
    print("\n".join(problems), file=sys.stderr)
    sys.exit(bool(problems))


main(Path(sys.argv[1]))
