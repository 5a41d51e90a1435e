"""Files that may take more than linear time to read: one shape a function, of any size."""

from __future__ import annotations

import json

from core.research.synthetic.growth_packages import PACKAGES, Make, nest, repeat
from core.research.synthetic.malicious_files import HEAD

# ---------------------------------------------------------------- text


def _steps(unit: str, indent: str = " ") -> Make:
    """Indent each line more than the one before, to the depth that gives the file its size."""

    def make(size: int) -> bytes:
        depth = max(1, int((2 * size) ** 0.5))
        return "".join(f"{indent * n}{unit}\n" for n in range(depth)).encode()

    return make


def _columns(size: int) -> bytes:
    columns = max(2, size // 40)
    lines = (",".join(f"{'c' if not row else ''}{n * 7 % 9_999}" for n in range(columns)) for row in range(6))
    return "\n".join(lines).encode()


def _double_spacing(size: int) -> bytes:
    """Return pages of 28 numbered lines each."""
    return "\n\n".join(f"{n % 28 + 1:>2}  the Gull came to port {n}, and" for n in range(size // 34)).encode()


def _totals(size: int) -> bytes:
    lines = [f"North,{n},{n * 2}\nTotal,{n},{n * 2}" for n in range(size // 34)]
    return "\n".join(["Region,Sold,Paid", *lines]).encode()


def _markdown_table(size: int) -> bytes:
    rows = "".join(f"| Part {n} | {n} | Vestmar |\n" for n in range(size // 28))
    return f"| Name | Number | Firm |\n| --- | --- | --- |\n{rows}".encode()


def _markdown_links(size: int) -> bytes:
    half = size // 50
    uses = "".join(f"See [the port {n}][r{n}].\n\n" for n in range(half))
    return (uses + "".join(f"[r{n}]: https://x.example/{n}\n" for n in range(half))).encode()


def _sentence(size: int) -> bytes:
    return ("The " + " and ".join(f"clerk of port {n % 977}" for n in range(size // 20)) + " came.").encode()


def _long_substitution(size: int) -> bytes:
    return f".. |s| replace:: {'Gull ' * (size // 10)}\n\n{'|s| ' * (size // 8)}\n".encode()


def _long_rule(size: int) -> bytes:
    rule = "+" + "-" * (size // 2) + "+\n"
    return (rule + "|a\n" * (size // 6)).encode()


# ---------------------------------------------------------------- mail and chats


def _recipients(size: int) -> bytes:
    names = ",\n ".join(f"Ida {n} Berg <ida{n}@vest.example>" for n in range(size // 36))
    return f"{HEAD}Cc: {names}\n\nThe ship was sold.\n".encode()


def _references(size: int) -> bytes:
    chain = "\n ".join(f"<{n}@vest.example>" for n in range(size // 22))
    return f"{HEAD}References: {chain}\n\nThe ship was sold.\n".encode()


def _multiparts(size: int) -> bytes:
    parts = "".join(f"--b\nContent-Type: text/plain\n\nThe ship {n} was sold.\n" for n in range(size // 52))
    return f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n{parts}--b--\n".encode()


def _nested_parts(size: int) -> bytes:
    nested = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(min(90, size // 52))
    )
    rest = "The ship was sold.\n" * (size // 19)
    return f"{HEAD}{nested}Content-Type: text/plain\n\n{rest}".encode()


def _slack(size: int) -> bytes:
    times = size // 110
    messages = [
        {
            "type": "message",
            "user": f"U{n:08}",
            "text": f"<@U{n // 2:08}> sold it",
            "ts": f"{1_620_000_000 + n}.0",
        }
        for n in range(times)
    ]
    return json.dumps(messages).encode()


def _slack_blocks(size: int) -> bytes:
    """Return messages whose text is in blocks only."""
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": "Sold"}]}
    blocks = [{"type": "rich_text", "elements": [section]}]
    messages = [
        {"type": "message", "user": f"U{n}", "ts": str(1_620_000_000 + n), "text": "", "blocks": blocks}
        for n in range(size // 210)
    ]
    return json.dumps(messages).encode()


def _telegram(size: int) -> bytes:
    messages = [
        {
            "id": n,
            "type": "message",
            "date": "2021-05-04T10:00:00",
            "from": f"Ida {n}",
            "from_id": f"user{n}",
            "text": [{"type": "mention", "text": "@bo"}, " sold it"],
        }
        for n in range(size // 160)
    ]
    return json.dumps({"name": "Port", "type": "private_group", "id": 1, "messages": messages}).encode()


# ---------------------------------------------------------------- by name

SHAPES: dict[str, Make] = {
    # HTML
    "comments that never end.html": repeat("<!-- ship "),
    "comments closed oddly.html": repeat("<!-- a --!"),
    "tags that never end.html": repeat("<a b"),
    "closed tags without opening.html": repeat("</b></div>"),
    "declarations that never end.html": repeat("<![CDATA[ x "),
    "instructions that never end.html": repeat("<?xml x "),
    "scripts that never end.html": repeat("<script> a < b; "),
    "attributes.html": repeat("a{n}='b' ", "<p ", ">The ship.</p>"),
    "quoted attribute.html": repeat("<a href='", "<p>The ship "),
    "nested divs.html": nest("<div>", "</div>"),
    "nested inline.html": nest("<b><i>", "</i></b>"),
    "nested lists.html": nest("<ul><li>a", "</li></ul>"),
    "lists in a quote.html": repeat("<ul><li>The Gull {n}.</li></ul>", "<blockquote>", "</blockquote>"),
    "nested quotes.html": nest("<blockquote>a", "</blockquote>"),
    "nested tables.html": nest("<table><tr><td>a", "</td></tr></table>"),
    "open paragraphs.html": repeat("<p>The Gull {n} came."),
    "open list items.html": repeat("<li>The Gull {n}", "<ol reversed>"),
    "open cells.html": repeat("<td>Gull {n}", "<table><tr>"),
    "spanned cells.html": repeat("<tr><td colspan=900 rowspan=900>Gull {n}", "<table>"),
    "one line.html": repeat("The Gull came to Vestmar. ", "<p>"),
    "entities.html": repeat("&amp;&#65;&nbsp;"),
    "entities without end.html": repeat("&amp"),
    "marks.html": repeat("<sup>1</sup>word "),
    "equations.html": repeat("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"),
    "one equation.html": nest("<mfrac><mi>a</mi>", "</mfrac>", "<math>"),
    "fields.html": repeat("<label>Ship {n}<input value='Gull'></label><select><option selected>a</select>"),
    "choices.html": repeat("<option selected>Gull {n}", "<select>"),
    "line breaks.html": repeat("Gull<br>"),
    "headings.html": repeat("<h2>Port {n}</h2><p>The Gull came.</p>"),
    # Markdown
    "deep headings.md": repeat("###### Port {n}\n\n"),
    "stairs of headings.md": repeat("# A {n}\n## B\n### C\n#### D\nWords.\n"),
    "nested lists.md": _steps("- Gull", "  "),
    "nested quotes.md": repeat("> "),
    "anchors.md": repeat("# Gull {#a {n}\n\n"),
    "lists.md": repeat("- Gull {n}\n"),
    "open emphasis.md": repeat("*a _b "),
    "open links.md": repeat("[a](b "),
    "open brackets.md": repeat("["),
    "open pictures.md": repeat("![a]["),
    "backticks.md": lambda size: "".join("`" * n + "a " for n in range(1, int((2 * size) ** 0.5))).encode(),
    "open fences.md": repeat("```\na\n~~~\n"),
    "table.md": _markdown_table,
    "reference links.md": _markdown_links,
    "open html.md": repeat("<a <!-- "),
    "escapes.md": repeat("\\*\\["),
    "footnotes.md": repeat("Gull[^n{n}]\n\n[^n{n}]: Sold.\n\n"),
    # reStructuredText
    "sections.rst": repeat("Port {n}\n=========\n\nThe Gull came.\n\n"),
    "levels.rst": _steps("Words of the port.\n"),
    "marks.rst": repeat("``a `b *c |d "),
    "directives.rst": repeat(".. note:: Port {n}\n   The Gull.\n\n"),
    "substitutions.rst": repeat(".. |s{n}| replace:: Gull\n\n|s{n}| came. `a{n}`_\n\n.. _a{n}: b\n\n"),
    "table.rst": repeat("+-----+-----+\n| a   | b   |\n"),
    "indented substitutions.rst": repeat("   .. |s{n}| replace:: Gull\n", "Text.\n\n"),
    "long substitution.rst": _long_substitution,
    "long rule.rst": _long_rule,
    "lists.rst": repeat("{n}. Gull\n\n"),
    # plain text
    "no spaces.txt": repeat("gull"),
    "no line ends.txt": repeat("The Gull {n} came to Vestmar. "),
    "capitals.txt": repeat("THE GULL CAME TO VESTMAR. "),
    "capital words.txt": repeat("Gull Tern "),
    "digits.txt": repeat("1234567890 "),
    "one number.txt": repeat("1,234,567."),
    "brackets.txt": repeat("((["),
    "abbreviations.txt": repeat("v. "),
    "initials.txt": repeat("A. B. C. "),
    "dots.txt": repeat(". . "),
    "numbered lines.txt": repeat("{n}. The Gull came.\n"),
    "clauses.txt": repeat("1.{n}.2 The Gull came (a) and (b).\n"),
    "line numbers.txt": repeat("{n}  The Gull came to Vestmar\n"),
    "page numbers.txt": repeat("The Gull came.\n\n- {n} -\n\f"),
    "repeated names.txt": repeat("Ida Berg met Bo Kask. "),
    "names.txt": repeat("Ida B{n}erg met Bo K{n}ask. "),
    "one sentence.txt": _sentence,
    "short lines.txt": repeat("a\n"),
    "empty lines.txt": repeat("\n \n", "a", "b"),
    "dates.txt": repeat("4 May 2021, 4. Mai 2021, 04/05/2021 "),
    "half dates.txt": repeat("4 May "),
    "number words.txt": repeat("twenty-one hundred and four "),
    "quotations.txt": repeat('"The Gull came, '),
    "quoted lines.txt": repeat("> The Gull came.\n"),
    "deep quotes.txt": _steps("Gull", ">"),
    "speakers.txt": repeat("IDA {n}: I sold it to you.\n"),
    "stamped chat.txt": repeat("[10:00] <ida> you sold it?\n"),
    "inverted names.txt": repeat("Berg, Ida; Kask, Bo; "),
    "commas.txt": repeat("a, "),
    "hyphens.txt": repeat("har-\nbour "),
    "cut words.txt": repeat("and then the Gull {n} came to the har-\n"),
    "chains.txt": repeat("up-to-the-in-\n"),
    "double spacing.txt": _double_spacing,
    "labels.txt": repeat("Invoice date: 04/05/2021\n"),
    "underlined.txt": repeat("Port {n}\n------\nThe Gull.\n"),
    "columns.txt": repeat("The Gull came     The Tern went\n"),
    "tabs.txt": repeat("a\t\t\tb\n"),
    "hebrew.txt": repeat("\u05e1\u05e4\u05d9\u05e0\u05d4 "),
    "accents.txt": repeat("e\u0301"),
    "addresses.txt": repeat("ida@vest.example/a.b."),
    "legal.txt": repeat("\u00a7 12 Abs. 2 Art. 5 "),
    "legacy.txt": lambda size: ("K\u00f6nig \u00fcber M\u00e4hren. " * (size // 18)).encode("cp1252"),
    "russian.txt": lambda size: ("\u041f\u043e\u0440\u0442 \u0441\u0434\u0430\u043d. " * (size // 11)).encode(
        "koi8_r"
    ),
    "calendar.ics": repeat(
        "BEGIN:VEVENT\r\nSUMMARY:Port {n}\r\nDTSTART:20210504T100000Z\r\n"
        "ATTENDEE;CN=Ida {n}:mailto:i@x.example\r\nEND:VEVENT\r\n",
        "BEGIN:VCALENDAR\r\n",
        "END:VCALENDAR\r\n",
    ),
    # tables
    "one column.csv": repeat("Gull {n}\n", "Ship\n"),
    "columns.csv": _columns,
    "open quotes.csv": repeat('a,"b\n'),
    "totals.csv": _totals,
    "labels.csv": repeat("Ship {n},Gull\n"),
    "ragged.csv": repeat("a,b,c\n{n}\n\nd,e\n"),
    "blocks.csv": repeat("Name,Tons\nGull,{n}\n\n"),
    # mail and chats
    "recipients.eml": _recipients,
    "references.eml": _references,
    "headers.eml": lambda size: HEAD.encode() + repeat("X-Port-{n}: Gull\n", "", "\nSold.\n")(size),
    "one header.eml": lambda size: b"Subject: " + repeat("=?utf-8?q?Gull?= ", "", "\n\nSold.\n")(size),
    "parts.eml": _multiparts,
    "nested parts.eml": _nested_parts,
    "parameters.eml": lambda size: (
        HEAD.encode() + repeat("; a*{n}=b", "Content-Type: text/plain", "\n\nSold.\n")(size)
    ),
    "quoted.eml": lambda size: HEAD.encode() + b"\n" + _steps("Gull", ">")(size),
    "replies.eml": lambda size: (
        HEAD.encode()
        + b"\n"
        + repeat("On 4 May 2021, Ida {n} wrote:\n> The Gull.\n\n-----Original Message-----\n")(size)
    ),
    "quotations in one.eml": lambda size: (
        HEAD.encode() + b"\n" + repeat("> Ida {n} wrote:\n>> The Gull {n}.\n> Sold.\n")(size)
    ),
    "messages.mbox": repeat(
        "From ida@x.example Tue May  4 10:00:00 2021\nFrom: Ida {n} <i@x.example>\nSubject: Gull\n\nSold {n}.\n\n"
    ),
    "whatsapp.txt": repeat("04/05/2021, 10:00 - Ida {n}: @Bo sold the Gull?\n"),
    "export.txt": repeat("\u200e[04/05/2021, 10:00:11] Ida {n}: \u200edid you go?\nmore\n"),
    "unseen.txt": repeat("\u200e", "[04/05/2021, 10:00:11] Ida: you?\n[04/05/2021, 10:00:12] Bo: "),
    "slack.json": _slack,
    "blocks.json": _slack_blocks,
    "telegram.json": _telegram,
    "nested.json": nest("[", "]", within="1"),
    **PACKAGES,
}
