"""An evidence pack: what it holds, that nobody changes it unseen, and that no document steers who reads it."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from core.answering.models import Models
from core.cli import main
from core.config import with_settings
from core.errors import BadInput
from core.progress import Cancelled, TaskContext
from core.types import Answer, FactFilter, Stage, Usage
from core.types.stages import Packing
from core.workspace import Workspace
from core.workspace.pack import seal
from core.workspace.pack.files import MOST_FILES, unzipped, zipped
from core.workspace.pack.page_drawing import CITED
from tests.conftest import NAMES, SAMPLE, copied, written
from tests.ollama_server import ScriptedServer

MOMENT = "2026-11-23T12:00:00+00:00"
INVOICE = "Sahel Fuel invoice 0388.pdf"
QUESTION = "Where was the marine gas oil delivered?"


@pytest.fixture(scope="module")
def place(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `papers` of three texts and a PDF, and a workspace of it."""
    place = tmp_path_factory.mktemp("packs")
    papers = written(place / "papers", NAMES)
    shutil.copyfile(SAMPLE / "finance" / INVOICE, papers / INVOICE)
    with Workspace.open(place / "workspace", create=True, models=models) as opened:
        opened.index(papers, TaskContext(), digest=False)
    return place


@pytest.fixture(scope="module")
def opened(place: Path, models: Models) -> Iterator[Workspace]:
    with Workspace.open(place / "workspace", models=models) as opened:
        (fact,) = [
            each.fact.id
            for each in (opened.review.fact(id) for id in opened.review.ids(FactFilter()))
            if each.fact.object == "Ines Holm" and "hire" in each.fact.predicate
        ]
        opened.review.decide([fact], "approved", "seen <b>in</b> the letter")
        yield opened


@pytest.fixture(scope="module")
def answer(opened: Workspace) -> Answer:
    return opened.ask("Who hired Ines Holm?", TaskContext(), "lab:walk")


@pytest.fixture(scope="module")
def pack(opened: Workspace, answer: Answer, place: Path) -> Path:
    opened.pack(answer, place / "a.zip", TaskContext(), MOMENT)
    return place / "a.zip"


@pytest.fixture(scope="module")
def of_a_pdf(opened: Workspace, place: Path) -> dict[str, bytes]:
    opened.pack(opened.ask(QUESTION, TaskContext(), "lexical"), place / "pdf.zip", TaskContext())
    return unzipped(place / "pdf.zip")


def failed(path: Path, **how: list[str]) -> list[str]:
    return [check.name for check in Workspace.verify_pack(path, **how) if not check.ok]


# ---------------------------------------------------------------- what it holds


def test_the_same_answer_is_the_same_pack(
    opened: Workspace, answer: Answer, pack: Path, tmp_path: Path
) -> None:
    opened.pack(answer, tmp_path / "b.zip", TaskContext(), MOMENT)
    assert (tmp_path / "b.zip").read_bytes() == pack.read_bytes()
    assert failed(pack) == []
    with pytest.raises(BadInput, match="exists already"):
        opened.pack(answer, pack, TaskContext())


def test_the_record_tells_what_the_answer_rests_on(answer: Answer, pack: Path, place: Path) -> None:
    record = json.loads(unzipped(pack)["answer.json"])
    assert (record["form"], record["version"], record["made"]) == ("clew evidence pack", 1, MOMENT)
    assert record["question"] == "Who hired Ines Holm?" and record["answer"]["text"] == answer.text
    assert record["route"]["name"] == "lab:walk" and record["stages"] and record["heat"]
    assert all(set(stage) == {"name", "seconds", "detail"} for stage in record["stages"])
    (cited,) = [each for each in record["citations"] if each["quote"] == NAMES["c.txt"]]
    assert cited["rests_on"] == "approved"
    (document,) = [each for each in record["documents"] if each["path"] == "c.txt"]
    assert document["sha256"] == hashlib.sha256((place / "papers" / "c.txt").read_bytes()).hexdigest()
    (decided,) = [each for each in record["facts"] if each["decisions"]]
    assert (decided["subject"], decided["state"], decided["cited"]) == ("Tobias Renwick", "approved", True)
    assert [(act["verb"], act["why"]) for act in decided["decisions"]] == [
        ("approve", "seen <b>in</b> the letter")
    ]
    assert {"program", "encoder", "reader", "extractor", "package"} <= {
        part["role"] for part in record["made_by"]
    }


def test_the_manifest_and_its_digest_can_be_checked_by_hand(pack: Path) -> None:
    files = unzipped(pack)
    digest = hashlib.sha256(files["manifest.json"]).hexdigest()
    listed = json.loads(files["manifest.json"])["files"]
    assert set(listed) == set(files) - {"manifest.json", "signature.json"}
    for name in ("answer.html", "answer.json"):
        assert files[name].count(digest.encode()) == 1
        files[name] = files[name].replace(digest.encode(), b"0" * 64)
    assert all(hashlib.sha256(files[name]).hexdigest() == each["sha256"] for name, each in listed.items())


def test_annotations_point_to_what_they_quote(pack: Path, opened: Workspace) -> None:
    files = unzipped(pack)
    reported = json.loads(files["annotations.jsonld"])
    assert reported["@context"][0] == "http://www.w3.org/ns/anno.jsonld"
    nodes = {node["id"]: node for node in reported["@graph"]}
    found = [node for node in nodes.values() if node["type"] == "Annotation"]
    assert found
    for target in (target for node in found for target in node["target"]):
        source = target["source"]
        inside = source in files
        text = files[source].decode() if inside else opened.documents.text(source.removeprefix("#document-"))
        quote, position = target["selector"]
        assert (quote["type"], position["type"]) == ("TextQuoteSelector", "TextPositionSelector")
        assert text[position["start"] : position["end"]] == quote["exact"]
        assert quote["prefix"] + quote["exact"] + quote["suffix"] in text
    links = ("wasDerivedFrom", "wasGeneratedBy", "wasAttributedTo", "wasQuotedFrom", "used", "wasAssociatedWith",
             "wasInfluencedBy", "actedOnBehalfOf")  # fmt: skip
    for node in nodes.values():
        for link in links:
            ends = node.get(link, [])
            assert {ends} if isinstance(ends, str) else set(ends) <= nodes.keys()
    assert nodes["#answer"]["wasDerivedFrom"] and nodes["#asking"]["endedAtTime"] == MOMENT
    assert [node["type"] for node in nodes.values() if node["id"].startswith("#person")] == [
        ["prov:Agent", "prov:Person"]
    ]


def test_the_page_of_a_pdf_is_marked_where_it_is_cited(of_a_pdf: dict[str, bytes]) -> None:
    record = json.loads(of_a_pdf["answer.json"])
    page = next(each for each in record["pages"] if any(box["cited"] for box in each["boxes"]))
    pixels = unpacked(of_a_pdf[page["file"]])
    scale = 110 / 72
    for box in (box["box"] for box in page["boxes"] if box["cited"]):
        left, top, right, bottom = (round(side * scale) for side in box)
        inside = pixels[top:bottom, left:right].reshape(-1, 3)
        assert (inside == CITED).all(axis=1).mean() > 0.4  # paper, highlighted
        assert (inside.max(axis=1) < 128).any()  # letters, as black as they were
    assert b"data:image/png;base64," in of_a_pdf["answer.html"]


def unpacked(png: bytes) -> np.ndarray:
    """Red, green and blue of a PNG without filters."""
    width, height = struct.unpack(">II", png[16:24])
    at, found = 8, b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        assert (
            zlib.crc32(png[at + 4 : at + 8 + size])
            == struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0]
        )
        found += png[at + 8 : at + 8 + size] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(found), dtype=np.uint8).reshape(height, 1 + 3 * width)
    return rows[:, 1:].reshape(height, width, 3)


# ---------------------------------------------------------------- decisions on names, the model


def test_decisions_on_names_that_hold_are_reported(place: Path, models: Models, tmp_path: Path) -> None:
    """Merges, splits, names, kinds and further names of entities in the pack; not of others, nor what is undone."""
    with Workspace.open(copied(place / "workspace", tmp_path / "workspace"), models=models) as opened:
        names, context = opened.names, TaskContext()
        renwick, holm = names.id_of("Tobias Renwick"), names.id_of("Ines Holm")
        names.add_alias(renwick, "the broker", context, "his <b>letter</b>")
        names.retype(holm, "ORG", context)
        undone = names.rename(holm, "Ines Maria Holm", context)
        opened.review.undo(undone)
        opened.review.settle(context)
        sahel = next(id for name, id in names.entity_ids().items() if name.startswith("sahel"))
        names.rename(sahel, "Another", context)  # of another document
        opened.pack(opened.ask("Who hired Ines Holm?", context, "graph", 1), tmp_path / "n.zip", context)
        files = unzipped(tmp_path / "n.zip")
        reported = json.loads(files["answer.json"])["names"]
        assert [(each["verb"], each["outcome"]) for each in reported] == [
            ("alias", "same"),
            ("retype", "ORG"),
        ]
        assert reported[0]["words"] == "tobias renwick / broker" and reported[0]["why"] == "his <b>letter</b>"
        page = files["answer.html"].decode()
        assert "one entity" in page and "his &lt;b&gt;letter&lt;/b&gt;" in page
        nodes = {node["id"]: node for node in json.loads(files["annotations.jsonld"])["@graph"]}
        assert nodes["#name-1"]["wasInfluencedBy"] == [f"#decision-{reported[0]['id']}"]
        assert nodes[f"#decision-{reported[0]['id']}"]["wasAssociatedWith"] in nodes
        assert failed(tmp_path / "n.zip") == []


def test_the_language_model_is_named_with_its_digest(
    opened: Workspace, answer: Answer, tmp_path: Path, ollama: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = f"ollama:{ollama.model}"
    stage = Stage("answer", 0.1, "for people alone", Packing(model, (), 0, 0, 10, 5))
    trace = replace(answer.trace, stages=(*answer.trace.stages, stage))
    by_model = replace(answer, usage=Usage(1, 10, 5, 0.1), trace=trace)
    monkeypatch.setattr(opened, "config", with_settings(opened.config, [f"models.host={ollama.url}"]))
    for reachable in (True, False):
        if not reachable:
            ollama.refuse()
        opened.pack(by_model, tmp_path / "m.zip", TaskContext(), replace=True)
        created_by = json.loads(unzipped(tmp_path / "m.zip")["answer.json"])["made_by"]
        (part,) = [part for part in created_by if part["role"] == "language model"]
        assert part["name"] == model and (ollama.digest in part["version"]) == reachable


# ---------------------------------------------------------------- stopped


@pytest.mark.parametrize("last", ["pack", "pages"])
def test_of_a_pack_that_is_stopped_nothing_stays(opened: Workspace, tmp_path: Path, last: str) -> None:
    """At once, and while its pages are drawn; a pack that was there stays whole."""
    answer, target = opened.ask(QUESTION, TaskContext(), "lexical"), tmp_path / "pdf.zip"
    opened.pack(answer, target, TaskContext())
    complete, reported = target.read_bytes(), list[str]()
    context = TaskContext(lambda news: reported.append(news.stage), lambda: last in reported)
    with pytest.raises(Cancelled):
        opened.pack(answer, target, context, "later", replace=True)
    assert reported[-1] == last
    assert target.read_bytes() == complete and list(tmp_path.iterdir()) == [target]


# ---------------------------------------------------------------- hostile documents


class Tags(HTMLParser):
    """Collects tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_nothing_of_a_document_is_mark_up(hostile_path: Path, models: Models, tmp_path: Path) -> None:
    with Workspace.open(copied(hostile_path, tmp_path / "workspace"), models=models) as opened:
        for number, question in enumerate(("Who founded AT&T Trading?", "Who owns <img src=x onerror=a>?")):
            target = tmp_path / f"{number}.zip"
            opened.pack(opened.ask(question, TaskContext(), "graph"), target, TaskContext())
            assert failed(target) == []
            files = unzipped(target)
            page = files["answer.html"].decode()
            tags = Tags()
            tags.feed(page)
            assert not tags.tags & {"script", "i", "u", "link", "iframe", "object", "form", "base"}
            for name, value in tags.attributes:
                assert not name.startswith("on") and name not in {"srcset", "action"}
                assert name not in {"src", "href"} or value.startswith(("#", "data:image/png;base64,"))
            assert "\u202e" not in page and "\x1b" not in page
            if "graph.svg" in files:
                ElementTree.fromstring(files["graph.svg"])
    assert "&lt;img src=x onerror=a&gt;" in page


# ---------------------------------------------------------------- changes


def forged(files: dict[str, bytes]) -> dict[str, bytes]:
    """The manifest made anew for changed files, in the hope that nobody looks at the signature."""
    digest = hashlib.sha256(files["manifest.json"]).hexdigest().encode()
    plain = {name: content.replace(digest, b"0" * 64) for name, content in files.items() if name not in SEALS}
    resealed = seal.sealed(plain)
    return {**resealed, "signature.json": files["signature.json"]}


SEALS = ("manifest.json", "signature.json")


def edited(files: dict[str, bytes], dice: random.Random) -> dict[str, bytes]:
    name = dice.choice(sorted(files))
    content = bytearray(files[name])
    content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    return {**files, name: bytes(content)}


def removed(files: dict[str, bytes], dice: random.Random) -> dict[str, bytes]:
    name = dice.choice(sorted(files))
    return {key: content for key, content in files.items() if key != name}


def added(files: dict[str, bytes], dice: random.Random) -> dict[str, bytes]:
    return {**files, f"passages/{dice.randrange(90, 99)}.txt": b"Ines Holm confessed."}


def reworded(files: dict[str, bytes], dice: random.Random) -> dict[str, bytes]:
    name = dice.choice(["answer.html", "answer.json", "annotations.jsonld"])
    return {**files, name: files[name].replace(b"Renwick", b"Renwich", 1)}


CHANGES: list[Callable[[dict[str, bytes], random.Random], dict[str, bytes]]] = [
    edited, removed, added, reworded,
]  # fmt: skip


def with_another_order(files: dict[str, bytes], dice: random.Random) -> bytes:
    created = BytesIO()
    names = sorted(files)
    while names == sorted(files):
        dice.shuffle(names)
    with zipfile.ZipFile(created, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), files[name])
    return created.getvalue()


def tampered(data: bytes, files: dict[str, bytes], number: int) -> bytes:
    """Flip, add or cut bytes, change the order, or change contents below a sound ZIP or seal, by the number."""
    dice = random.Random(number)
    at = dice.randrange(len(data))
    if number < 30:
        return data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :]
    if number < 35:
        return data[:at] + b"x" + data[at:]
    if number < 40:
        return data[:at]
    if number < 42:
        return (b"#!" + data, data + b"\0")[number - 40]
    if number < 50:
        return with_another_order(files, dice)
    changed = CHANGES[number % len(CHANGES)](files, dice)
    seals = set(SEALS) <= changed.keys()
    return zipped(
        forged(changed)
        if number >= 75 and seals and changed["manifest.json"] == files["manifest.json"]
        else changed
    )


def test_every_change_is_found(pack: Path, tmp_path: Path) -> None:
    data, files = pack.read_bytes(), unzipped(pack)
    missed = []
    for number in (0, 14, 28, 31, 36, *range(40, 43), *range(50, 54), *range(76, 80), 99):
        (tmp_path / "t.zip").write_bytes(created := tampered(data, files, number))
        assert created != data, number
        if not failed(tmp_path / "t.zip"):
            missed.append(number)
    assert missed == []


def test_a_file_that_was_put_in_is_named(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "t.zip").write_bytes(zipped({**unzipped(pack), "passages/99.txt": b"Ines Holm confessed."}))
    (found,) = [check for check in Workspace.verify_pack(tmp_path / "t.zip") if not check.ok]
    assert found.name == "files" and "passages/99.txt" in found.detail


def test_another_persons_pack_is_complete_and_its_key_is_reported(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = unzipped(pack)
    own = seal.own_key()
    digest = hashlib.sha256(files["manifest.json"]).hexdigest().encode()
    plain = {name: each.replace(digest, b"0" * 64) for name, each in files.items() if name not in SEALS}
    plain = reworded(plain, random.Random(1))
    with monkeypatch.context() as patch:
        patch.setattr(seal, "machine_secret", lambda: b"of somebody else, thirty-two big")
        other = seal.own_key()
        (tmp_path / "other.zip").write_bytes(zipped(seal.sealed(plain)))
    checks = {check.name: check for check in Workspace.verify_pack(tmp_path / "other.zip")}
    assert other != own and other in checks["signature"].detail
    assert (checks["files"].ok, checks["signature"].ok, checks["key"].ok) == (True, True, False)
    assert failed(tmp_path / "other.zip", keys=[other]) == []
    assert failed(tmp_path / "other.zip", keys=[own]) == ["key"]


# ---------------------------------------------------------------- no pack at all


def compressed(name: str, content: bytes) -> bytes:
    created = BytesIO()
    with zipfile.ZipFile(created, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return created.getvalue()


def claiming_to_be_large() -> bytes:
    data = bytearray(zipped({"a.txt": b"abc"}))
    at = data.index(b"PK\x01\x02")
    data[at + 20 : at + 28] = struct.pack("<II", 4_000_000_000, 4_000_000_000)
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x05\x06",
        b"no ZIP at all",
        compressed("answer.json", b"0" * 50_000_000),
        claiming_to_be_large(),
        zipped({"../../escaped.txt": b"x"}),
        zipped({"a\\b.txt": b"x"}),
        zipped({f"f{number}.txt": b"" for number in range(MOST_FILES + 1)}),
    ],
    ids=["an end alone", "text", "a bomb", "a false size", "a way out", "backslash", "many"],
)
def test_what_is_no_pack_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.zip").write_bytes(data)
    (check,) = Workspace.verify_pack(tmp_path / "t.zip")
    assert (check.name, check.ok) == ("zip", False) and check.remedy
    assert list(tmp_path.iterdir()) == [tmp_path / "t.zip"]


def test_nested_and_strange_json_is_refused(opened: Workspace, tmp_path: Path) -> None:
    for manifest in (b"[" * 500_000, b'{"files": {"a": 1}}', b"null", b"\xff"):
        files = {"manifest.json": manifest, "answer.json": b"[" * 500_000, "signature.json": b"{}"}
        (tmp_path / "t.zip").write_bytes(zipped(files))
        assert failed(tmp_path / "t.zip") == ["files", "signature"]
        with pytest.raises(BadInput):
            opened.compare_pack(tmp_path / "t.zip")


# ---------------------------------------------------------------- beside a workspace, and by command


def test_documents_that_changed_since_are_reported(
    place: Path, models: Models, pack: Path, tmp_path: Path
) -> None:
    shutil.copytree(place / "papers", tmp_path / "papers")
    with Workspace.open(copied(place / "workspace", tmp_path / "workspace"), models=models) as opened:
        assert all(check.ok for check in opened.compare_pack(pack))
        (tmp_path / "papers" / "c.txt").write_text("Nobody hired Ines Holm.", encoding="utf-8")
        opened.index(tmp_path / "papers", TaskContext(), digest=False)
        changed = {check.name: check for check in opened.compare_pack(pack)}
    assert not changed["documents"].ok and "c.txt" in changed["documents"].detail
    assert not changed["passages"].ok and not changed["originals"].ok


@pytest.mark.usefixtures("lent_models")
def test_by_command(place: Path, pack: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "new.zip")
    words = ["ask", str(place / "workspace"), "Who hired Ines Holm?", "--pack", target]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == "Tobias Renwick"
    assert main(words) == 1
    reported = capsys.readouterr()
    assert "**Tobias Renwick** hired Ines Holm." in reported.out and target in reported.err
    assert main([*words, "--replace"]) == 0
    assert f"passages in {target}." in capsys.readouterr().out
    assert main(["pack", "verify", target, "--workspace", str(place / "workspace"), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert [check["name"] for check in reported["checks"]] == [
        "files", "signature", "key", "documents", "passages", "originals",
    ]  # fmt: skip
    Path(target).write_bytes(pack.read_bytes().replace(b"Renwick", b"Renwich", 1))
    assert main(["pack", "verify", target]) == 1
    assert "FAIL    zip:" in capsys.readouterr().out
    assert main(["pack", "verify", str(tmp_path / "none.zip")]) == 1
