"""Read what a PDF shows above its pages: the values of its form, and what people wrote on it."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import pypdfium2.raw as api

from core.ingest.cleaning import joined_lines, one_line
from core.ingest.package import local
from core.ingest.pdf_words import corners_of, in_page_coordinates
from core.ingest.word_boxes import WordsOfPage

MOST_ANNOTATIONS = 2_000  # of a page that are read
MOST_BYTES = 200_000  # of a text
MOST_PACKET = 10_000_000  # bytes of a form's data
UNSEEN = api.FPDF_ANNOT_FLAG_HIDDEN | api.FPDF_ANNOT_FLAG_NOVIEW
CHOICES = {api.FPDF_FORMFIELD_COMBOBOX, api.FPDF_FORMFIELD_LISTBOX}
SILENT = {api.FPDF_FORMFIELD_PUSHBUTTON, api.FPDF_FORMFIELD_SIGNATURE}
# Kinds of annotations that show no text of their own: links and windows, marks and drawings without a word to them.
PLAIN = {
    api.FPDF_ANNOT_LINK, api.FPDF_ANNOT_POPUP, api.FPDF_ANNOT_WIDGET, api.FPDF_ANNOT_HIGHLIGHT,
    api.FPDF_ANNOT_UNDERLINE, api.FPDF_ANNOT_STRIKEOUT, api.FPDF_ANNOT_SQUIGGLY, api.FPDF_ANNOT_TEXT,
    api.FPDF_ANNOT_FREETEXT, api.FPDF_ANNOT_INK, api.FPDF_ANNOT_LINE, api.FPDF_ANNOT_SQUARE,
    api.FPDF_ANNOT_CIRCLE, api.FPDF_ANNOT_POLYGON, api.FPDF_ANNOT_POLYLINE, api.FPDF_ANNOT_CARET,
}  # fmt: skip
COMMENT = "Comment"  # how notes of people begin; notes of a page are values of its form else
PASSWORD = 1 << 13  # PDF 32000-1, table 228
ELEMENTS = re.compile(r"<[^<>]*>")  # of text with formats, which is XHTML
TECHNICAL = re.compile(r"\[\d+\]")
NEAR = 300.0  # points left of a field within which its printed label ends


@dataclass(slots=True)
class Overlay:
    """What stands above a page: fields as (label, value, rectangle), notes in words, how many notes were not read."""

    fields: list[tuple[str, str, tuple[float, float, float, float]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unread_notes: int = 0
    choices: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)  # their first button


def overlay_of(page: Any, form: Any | None) -> Overlay:
    """Return the form's values and the annotations of a page; `form` is pdfium's handle, None without a form."""
    overlay = Overlay()
    count = api.FPDFPage_GetAnnotCount(page.raw)
    for index in range(min(count, MOST_ANNOTATIONS)):
        annotation = api.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        try:
            if api.FPDFAnnot_GetFlags(annotation) & UNSEEN:
                continue
            kind = api.FPDFAnnot_GetSubtype(annotation)
            if kind == api.FPDF_ANNOT_WIDGET:
                if form is not None:
                    _add_field(overlay, annotation, form)
            elif kind not in {api.FPDF_ANNOT_LINK, api.FPDF_ANNOT_POPUP}:
                _add_note(overlay, annotation, kind)
        finally:
            api.FPDFPage_CloseAnnot(annotation)
    overlay.unread_notes += max(0, count - MOST_ANNOTATIONS)
    return overlay


def xfa_values(document: Any) -> list[tuple[str, str]]:
    """Return what was filled in of a form that a program in the file draws, by the names of its fields."""
    found: list[tuple[str, str]] = []
    for index in range(max(0, api.FPDF_GetXFAPacketCount(document.raw))):
        size = ctypes.c_ulong()
        if not api.FPDF_GetXFAPacketContent(document.raw, index, None, 0, size) or size.value > MOST_PACKET:
            continue
        room = ctypes.create_string_buffer(size.value)
        if api.FPDF_GetXFAPacketContent(document.raw, index, room, size.value, size) and b"data" in room.raw:
            found += _data_of(room.raw)
    return found


def _data_of(packet: bytes) -> list[tuple[str, str]]:
    """Names and texts of the data in an XFA packet; none of a damaged one, nor of one that defines entities."""
    if b"<!ENTITY" in packet:
        return []
    try:
        root = ElementTree.fromstring(packet)
    except ElementTree.ParseError:
        return []  # a piece of a form that is cut into several
    data = root if local(root) == "data" else next((e for e in root.iter() if local(e) == "data"), None)
    fields = () if data is None else islice(data.iter(), MOST_ANNOTATIONS)
    return [
        (_readable(local(element)), value)
        for element in fields
        if len(element) == 0 and (value := joined_lines(element.text or ""))
    ]


def _add_note(overlay: Overlay, annotation: Any, kind: int) -> None:
    words = joined_lines(_annotation_text(annotation, b"Contents"))
    words = words or " ".join(ELEMENTS.sub(" ", _annotation_text(annotation, b"RC")).split())
    if words:
        author = one_line(_annotation_text(annotation, b"T"))
        overlay.notes.append(f"{COMMENT} by {author}: {words}" if author else f"{COMMENT}: {words}")
    elif kind not in PLAIN:
        overlay.unread_notes += 1


def _add_field(overlay: Overlay, annotation: Any, form: Any) -> None:
    kind = api.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in SILENT or kind < 0:
        return
    name = one_line(_text(lambda room, size: api.FPDFAnnot_GetFormFieldName(form, annotation, room, size)))
    tooltip = one_line(
        _text(lambda room, size: api.FPDFAnnot_GetFormFieldAlternateName(form, annotation, room, size))
    )
    rectangle = api.FS_RECTF()
    if not api.FPDFAnnot_GetRect(annotation, rectangle):
        return
    sides = (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
    checked = bool(api.FPDFAnnot_IsChecked(form, annotation))
    if kind == api.FPDF_FORMFIELD_CHECKBOX:
        value = "yes" if checked else "no"
    elif kind == api.FPDF_FORMFIELD_RADIOBUTTON:
        # The label stands before the first of the buttons, what each is for behind it.
        sides = overlay.choices.setdefault(name, sides) if name else sides
        if not checked:
            return
        value = _text(lambda room, size: api.FPDFAnnot_GetFormFieldExportValue(form, annotation, room, size))
    else:
        if api.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD and kind not in CHOICES:
            return
        value = _text(lambda room, size: api.FPDFAnnot_GetFormFieldValue(form, annotation, room, size))
        if kind in CHOICES and (chosen := list(_chosen(annotation, form))):
            value = ", ".join(chosen)
    value = joined_lines(value)
    if not value:
        return
    overlay.fields.append((tooltip or _readable(name), value, sides))


def _chosen(annotation: Any, form: Any) -> Iterator[str]:
    for index in range(min(api.FPDFAnnot_GetOptionCount(form, annotation), MOST_ANNOTATIONS)):
        if api.FPDFAnnot_IsOptionSelected(form, annotation, index):
            yield _text(partial(api.FPDFAnnot_GetOptionLabel, form, annotation, index))


def _readable(name: str) -> str:
    """The last part of a field's name, "" where a program gave it."""
    last = TECHNICAL.sub("", name).rpartition(".")[2].replace("_", " ").strip()
    return last if any(map(str.isalpha, last)) else ""


def _annotation_text(annotation: Any, key: bytes) -> str:
    return _text(lambda room, size: api.FPDFAnnot_GetStringValue(annotation, key, room, size))


def _text(ask: Callable[[Any, int], int]) -> str:
    """What one of pdfium's functions writes, in UTF-16; "" where it is too long."""
    size = ask(None, 0)
    if size <= 2 or size > MOST_BYTES:
        return ""
    room = ctypes.create_string_buffer(size)
    ask(ctypes.cast(room, ctypes.POINTER(ctypes.c_ushort)), size)
    return room.raw[: size - 2].decode("utf-16-le", "replace").rstrip("\0")


def with_fields(page: Any, found: WordsOfPage, overlay: Overlay) -> WordsOfPage:
    """Return the page with "label: value" for each field at its place, after the label that is printed before it."""
    import numpy as np

    if not overlay.fields:
        return found
    places = in_page_coordinates(page, corners_of([sides for _, _, sides in overlay.fields]))
    after: dict[int, list[int]] = {}  # fields by the word that they follow; -1: the page's beginning
    labelled: set[int] = set()
    middles = (found.corners[:, 1] + found.corners[:, 3]) / 2
    order = np.lexsort((places[:, 0], places[:, 1])).tolist()
    for number in order:
        left, top, _, bottom = places[number].tolist()
        level = np.flatnonzero((middles > top - 2) & (middles < bottom + 2))
        before = level[found.corners[level, 2] <= left + 2]
        before = before[left - found.corners[before, 2] < NEAR]
        if len(before):
            word = int(before[found.corners[before, 2].argmax()])
            labelled.add(number)
        else:
            above = np.flatnonzero(middles < (top + bottom) / 2)
            word = int(above[middles[above].argmax()]) if len(above) else -1
            same = above[np.abs(middles[above] - middles[word]) < 3] if len(above) else above
            word = int(same.max()) if len(same) else word
        after.setdefault(word, []).append(number)
    return _inserted(found, overlay, places, after, labelled)


def _inserted(
    found: WordsOfPage, overlay: Overlay, places: Any, after: dict[int, list[int]], labelled: set[int]
) -> WordsOfPage:
    import numpy as np

    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    corners: list[Any] = []
    weights: list[int] = []
    length = at = 0

    def put(text: str, box: Any | None = None, weight: int = 0) -> None:
        nonlocal length
        if box is not None:
            spans.append((length, length + len(text)))
            corners.append(box)
            weights.append(weight)
        pieces.append(text)
        length += len(text)

    for word in range(-1, len(found.spans)):
        printed = ""
        if word >= 0:
            start, end = found.spans[word]
            printed = found.text[start:end]
            put(found.text[at:start])
            put(printed, found.corners[word], 0 if found.weights is None else int(found.weights[word]))
            at = end
        for place, number in enumerate(after.get(word, ())):
            label, value, _ = overlay.fields[number]
            if number in labelled and not place:
                put(" " if printed.endswith((":", "?")) else ": ")
            else:
                put("\n")
                for piece in f"{label}:".split() if label else ():
                    put(piece, places[number])
                    put(" ")
            for piece in value.split(" "):
                put(piece, places[number])
                put(" ")
            put("\n")
    put(found.text[at:])
    return WordsOfPage(
        found.number,
        "".join(pieces),
        spans,
        np.array(corners, dtype=np.float32).reshape(-1, 4),
        None if found.weights is None else np.array(weights, dtype=np.int32),
    )
