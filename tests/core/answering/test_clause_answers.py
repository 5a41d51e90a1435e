"""Questions that name a numbered part of a document find that part and no neighbour of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.progress import TaskContext
from core.text.numbering import numbered_units, rank, references
from core.types import Block, BlockKind, Way
from core.workspace import Workspace
from tests.growth import assert_grows_linearly


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does clause 6 of the lease say?", [("clause", "6")]),
        ("Was steht in § 9 (3)?", [("§", "9 3")]),
        ("§ 9 Abs. 3", [("§", "9 3")]),
        ("section 2.1(b)", [("section", "2 1 b")]),
        ("Que dit l'article 12 alinéa 2 ?", [("article", "12 2")]),
        ("paragraph 2 of section 4", [("section", "4 2")]),
        ("¿Qué dice la cláusula 8?", [("cláusula", "8")]),
        ("Annex B", [("annex", "b")]),
        ("Annex B.2.1", [("annex", "b 2 1")]),
        ("제7조는 무엇입니까?", [("§", "7")]),
        ("What does clause (c) say?", [("clause", "c")]),
        ("item (a) of clause 3", [("clause", "3 a")]),
        ("Que dit l'article premier ?", [("article", "1")]),
        ("第十二条写了什么?", [("§", "12")]),
        ("第二次世界大战", []),
        ("Who was born in 1951?", []),
        ("What is 7.5 % of 900 euro?", []),
    ],
)
def test_references(question: str, expected: list[tuple[str, str]]) -> None:
    assert [(r.noun, " ".join(r.path)) for r in references(question)] == expected


LIST = (
    "Rules of the rowing house\n\n1. Boats are wiped.\n2. Oars hang on the wall. No oar is lent.\n"
    "3. Nobody rows by night.\n\nThe warden is Ylva."
)
LEASE = (
    "§ 8 Miete\nDie Miete ist 410 Euro.\n\n§ 9 Dach\n(1) Der Mieter fegt. (2) Der Vermieter deckt.\n"
    "(3) Niemand raucht.\n\n"
    "§ 10 Ende\nEnde ist im Mai."
)
ARTICLES = (
    "Article I – Hire\n\nThe hire is paid.\n\nIt is paid in May.\n\nArticle II – Crew\n\n"
    "2.1 The crew is four.\n2.2 The cook:\n"
    "(a) cooks;\n(b) scrubs.\n\nArticle III\nLaw of Bergen."
)
STATUTE = (
    "§ 1 Ort\n\n(1) Der Steg liegt am Ufer.\n\n(2) Er ist offen.\n\n"
    "§ 2 Preise\n\n(1) Ein Boot kostet vier Euro.\n\n(2) Hunde zahlen nichts.\n\n§ 3 Ende\n\nEr endet im Mai."
)
CHARTER = (
    "Article I Name\nSection 1. The club is Alder.\nArticle II Members\nSection 1. Anyone may row.\n"
    "Section 2. None may shout.\nArticle III Dues\nSection 1. Dues are owed in May.\nSection 2. The purser asks.\n"
    "Section 3. The fee is nine crowns.\n"
)
STEPS = "Step 1: Open the cock.\n\nStep 2: Wait.\n\nStep 3: Shut it.\n"


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        (LIST, "rule 2", "2. Oars hang on the wall. No oar is lent."),
        (LIST, "rule 4", ""),
        (LEASE, "§ 9 (2)", "(2) Der Vermieter deckt."),
        (LEASE, "§ 9", "§ 9 Dach\n(1) Der Mieter fegt. (2) Der Vermieter deckt.\n(3) Niemand raucht."),
        (ARTICLES, "Art. 1", "Article I – Hire\n\nThe hire is paid.\n\nIt is paid in May."),
        (ARTICLES, "clause 2.1", "2.1 The crew is four."),
        (ARTICLES, "section 2.2(b)", "(b) scrubs."),
        # A part within one of the same number.
        (STATUTE, "§ 2 (2)", "(2) Hunde zahlen nichts."),
        (CHARTER, "Article III, Section 3", "Section 3. The fee is nine crowns."),
        (STEPS, "step 2", "Step 2: Wait."),
        (
            "Artículo 1.º Horas\nA las seis.\n\nArtículo 2.º Pago\nOcho euros.\n",
            "art. 2",
            "Artículo 2.º Pago\nOcho euros.",
        ),
        ("第九条 会费\n会费五元。\n\n第十条 钥匙\n钥匙在门口。\n", "第10条", "第十条 钥匙\n钥匙在门口。"),
        ("1. Oars.\n2. Poles.\n5. Nets.\n", "point 5", "5. Nets."),  # two were struck
        ("J. Moe signed it, and K. Lie, too.\nHe left.\n", "section J", ""),  # an initial
        ("Rule 5 of the club binds no guest.\n", "rule 5", ""),  # prose
        # A date and a quantity at the beginning of a line are no numbers of parts.
        ("Notes\n\n3. März 2019 was cold.\n\n2.5 tonnes came.\n\nIn 2019 he left.", "point 3", ""),
        ("Notes\n\n3. März 2019 was cold.\n\n2.5 tonnes came.\n\nIn 2019 he left.", "section 2.5", ""),
    ],
)
def test_numbered_parts(text: str, question: str, expected: str) -> None:
    (reference,) = references(question)
    about = frozenset({"rul"}) if text is LIST else frozenset()
    units = numbered_units(text, [])
    best = max(units, key=lambda unit: rank(reference, unit, about), default=None)
    found = best is not None and rank(reference, best, about) > 0
    assert (text[best.start : best.end] if best is not None and found else "") == expected


def test_headings_part_what_is_numbered() -> None:
    text = "Fees\n\n1. Forty crowns.\n2. Ten crowns.\n\nRules\n\n1. Wipe the boats.\n2. Hang up the oars.\n"
    blocks = [
        Block(BlockKind.HEADING, text.index(word), text.index(word) + len(word), 1)
        for word in ("Fees", "Rules")
    ]
    (reference,) = references("rule 2")
    best = max(numbered_units(text, blocks), key=lambda unit: rank(reference, unit, frozenset()))
    assert text[best.start : best.end] == "2. Hang up the oars."


@pytest.mark.long
@pytest.mark.parametrize("piece", ["1. a\n", "Aa{n} 1: x\n", "§ {n} (1) x\n"])
def test_time_is_linear(piece: str) -> None:
    assert_grows_linearly(
        lambda text: numbered_units(text, []),
        lambda size: "".join(piece.replace("{n}", str(n)) for n in range(size)),
        16_000,
    )


@pytest.mark.parametrize(
    ("text", "question", "found"),
    [
        ("Motions\n\n1. A lamp.\n2. A rope.\n", "What is motion 2?", ["2. A rope."]),
        ("Versions of the permit\n\n1. A lamp.\n2. A rope.\n", "Who voted for version 2 of it?", []),
        ("Version 1.1\n\n8. A lamp.\n9. A rope.\n", "Who voted for version 1.9?", []),
        ("Section 1\n\n8. A lamp.\n9. A rope.\n", "What does section 1 (9) say?", ["9. A rope."]),
    ],
)
def test_what_numbers_count(text: str, question: str, found: list[str]) -> None:
    heading = text.partition("\n")[0]
    units = numbered_units(text, [Block(BlockKind.HEADING, 0, len(heading), 1)])
    (reference,) = references(question)
    fits = [text[u.start : u.end].strip() for u in units if rank(reference, u, frozenset())]
    assert fits == found


DOCUMENTS = {
    "fleet-manual.md": "# Fleet manual\n\n1. Engines are greased.\n2. Sails are dried.\n",
    "rowing.md": "# Rules of the rowing house\n\n1. Boats are wiped dry.\n2. Oars hang on the wall.\n"
    "3. Towels are washed on Friday.\n"
    "4. Nobody rows after ten.\n5. The warden, Ylva Strand, has the keys.\n",
    "lease.txt": "Lease of the brig Terna\n\n1. The owner is Odd Rasch.\n\n"
    "2. The hire is 410 crowns a day. It is paid by Mads Hov.\n\n"
    "3. The crew is four.\n",
    "dach.txt": LEASE,
    "winch.md": "# Winch\n\n## Lifting\n\n1. Hook the load.\n2. Free the brake.\n\n"
    "## Lowering\n\n1. Hold the lever.\n2. Set the brake.\n",
    "findings.md": "# Release\n\nDock 4: first findings\n\nThe crane had no oil.\n\nDock 5: later\n\nAll is open.\n",
    "statement.txt": "On that night Berit Nygaard and Olav Ruud worked in Dock 4 until the crane fell.",
    "diary.txt": "The lamps in Dock 4 were broken, and nobody saw the crane move.",
    "talk.txt": "Ylva washed the rule with clause and section in shed 4. Nobody knows what clause means.",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("clauses")
    (folder / "documents").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    workspace = Workspace.open(folder / "workspace", create=True)
    workspace.index(folder / "documents", TaskContext())
    yield workspace
    workspace.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "expected", "document"),
    [
        (
            "What does clause 2 of the lease say?",
            "2. The hire is 410 crowns a day. It is paid by Mads Hov.",
            "lease.txt",
        ),
        ("What does rule 4 of the rowing house say?", "4. Nobody rows after ten.", "rowing.md"),
        ("Tell me rule 1.", "1. Boats are wiped dry.", "rowing.md"),
        ("What does section 10 of the lease of the Dach say?", "§ 10 Ende Ende ist im Mai.", "dach.txt"),
        ("What is step 2 of lowering with the winch?", "2. Set the brake.", "winch.md"),
    ],
)
def test_the_part_is_the_answer(workspace: Workspace, question: str, expected: str, document: str) -> None:
    answer = workspace.ask(question, TaskContext())
    assert answer.text == expected and not answer.abstained and not answer.guess
    assert {citation.document for citation in answer.citations} == {document}
    assert answer.evidence[0].document == document


@pytest.mark.long
def test_what_documents_speak_of_is_a_thing_and_no_part(workspace: Workspace) -> None:
    answer = workspace.ask("Who worked in Dock 4 that night?", TaskContext())
    assert answer.trace.route.way is Way.DIRECT
    assert "Berit Nygaard" in answer.text


@pytest.mark.long
def test_two_parts_of_one_number_are_no_sure_answer(workspace: Workspace) -> None:
    answer = workspace.ask("What is step 2 of the winch?", TaskContext())
    assert answer.guess
    assert {"2. Free the brake.", "2. Set the brake."} <= set(answer.sentences)


@pytest.mark.long
@pytest.mark.parametrize(
    "question", ["What does clause 2 of the Penhallow lease say?", "What does point 4 say?"]
)
def test_a_part_of_another_document_or_of_none_that_is_named_is_no_sure_answer(
    workspace: Workspace, question: str
) -> None:
    assert workspace.ask(question, TaskContext()).guess


@pytest.mark.long
def test_what_is_asked_of_a_part_is_looked_for_in_it(workspace: Workspace) -> None:
    answer = workspace.ask("Who has the keys by rule 5 of the rowing house?", TaskContext())
    assert "Ylva Strand" in answer.text
    assert {citation.quote for citation in answer.citations} <= {"5. The warden, Ylva Strand, has the keys."}


@pytest.mark.long
@pytest.mark.parametrize(
    "question", ["What does clause 9 of the lease say?", "What does rule 12 of the rowing house say?"]
)
def test_a_number_that_is_not_there_is_missing(workspace: Workspace, question: str) -> None:
    answer = workspace.ask(question, TaskContext())
    assert answer.abstained and not answer.citations
    assert "its numbers are 1 to" in answer.missing
