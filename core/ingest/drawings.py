"""Reads what Office files draw instead of writing: charts as tables, diagrams as lines, the words for pictures.

ECMA-376, 21.2 (charts) and 21.4 (diagrams); [MS-ODRAWXML] 2.24 for the charts of Office 2016.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.ingest.cleaning import one_line
from core.ingest.package import Element, attribute, local, parse_int
from core.ingest.tables import MarkedCell

EPOCH = datetime(1899, 12, 30)
QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')  # parts of a number format that are no fields
FILE_NAME = re.compile(r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|webp|svg|emf|wmf|ico|avif|heic)", re.IGNORECASE)
EMU = 12_700  # in a point
SMALLEST = 130.0, 60.0  # points across and down of a picture that may hold text
MOST_POINTS = 20_000  # of one series that are read
KIND_WORD = re.compile(r"[A-Z]?[a-z]+")
KINDS = {"of pie": "pie", "circle": "pie", "ring": "doughnut", "filled radar": "radar"}


@dataclass(frozen=True, slots=True)
class Chart:
    """The values that a chart draws: a row of the names of its series, then one row a category."""

    title: str
    rows: list[list[str]]
    kinds: Sequence[str] = ()  # as its format names them: "bar3DChart", "filled-radar", "boxWhisker"

    @property
    def heading(self) -> str:
        """Its title and what it is: "Landed fish (bar chart)"."""
        kinds = [KINDS.get(words, words) for words in map(_kind_words, self.kinds) if words]
        named = f"{' and '.join(dict.fromkeys(kinds))} chart" if kinds else ""
        return f"{self.title} ({named})" if self.title and named else self.title or named.capitalize()


def _kind_words(kind: str) -> str:
    return " ".join(KIND_WORD.findall(kind.removesuffix("Chart"))).lower()


def read_chart(root: Element) -> Chart:
    """Return a chart of a part of its own; without rows where the file holds no values of it."""
    if any(local(element) == "chartData" for element in root):
        return _recent_chart(root)
    series = [_series(element) for element in root.iter() if local(element) == "ser"]
    title = _title(root.find("./{*}chart"))
    plots = [] if (area := root.find(".//{*}plotArea")) is None else list(area)
    axes = {local(axis): words for axis in plots if local(axis).endswith("Ax") and (words := _title(axis))}
    points = [axis for axis in plots if local(axis) == "valAx"]
    across = _title(points[0]) if len(points) == 2 and "catAx" not in map(local, plots) else ""
    measure = axes.get("valAx", "") if not across else _title(points[1])
    heading = axes.get("catAx") or axes.get("dateAx") or across
    if not title and len(series) == 1:
        title = series[0].name  # as the programs do
    if measure and measure not in title:
        title = f"{title} ({measure})" if title else measure
    kinds = [local(plot) for plot in plots if local(plot).endswith("Chart")]
    return Chart(title, _chart_rows(heading, series), kinds)


@dataclass(frozen=True, slots=True)
class _Series:
    name: str
    labels: Mapping[int, str]
    values: Mapping[int, str]


def _series(element: Element) -> _Series:
    found = {local(child): child for child in element}
    labels = found.get("cat", found.get("xVal"))
    values = found.get("val", found.get("yVal"))
    name = found.get("tx")
    written = _points(values) if values is not None else {}
    if (sizes := found.get("bubbleSize")) is not None:
        size = _points(sizes)
        written = {at: f"{text} ({size[at]})" if at in size else text for at, text in written.items()}
    return _Series(
        "" if name is None else " ".join(_points(name).values()),
        _points(labels) if labels is not None else {},
        written,
    )


def _points(element: Element) -> dict[int, str]:
    """The stored points of names or values by their place; of several levels of names the outer first."""
    levels = [
        level
        for level in element.iter()
        if local(level) in {"lvl", "strCache", "strLit", "numCache", "numLit"}
    ]
    if not levels:
        text = element.findtext(".//{*}v")
        return {0: one_line(text)} if text else {}
    found: dict[int, str] = {}
    count = max(
        (parse_int(attribute(level, "val"), 0) for level in element.iter() if local(level) == "ptCount"),
        default=0,
    )
    for depth, level in enumerate(reversed(levels)):
        code = level.findtext("./{*}formatCode") or ""
        points = {
            parse_int(attribute(point, "idx"), 0): _value(point.findtext("./{*}v") or "", code, local(level))
            for point in level.iterfind("./{*}pt")
        }
        if depth == len(levels) - 1:
            found = {at: f"{found[at]} {text}" if at in found else text for at, text in points.items()}
        else:  # a name of an outer level holds up to the next
            last = ""
            for at in range(min(max(count, *points, 0) + 1 if points else 0, MOST_POINTS)):
                last = points.get(at, last)
                found[at] = f"{found[at]} {last}" if at in found else last
    return {at: found[at] for at in sorted(found)[:MOST_POINTS]}


def _value(text: str, code: str, kind: str) -> str:
    """A number without the noise of its last binary digits, a day as one."""
    if not kind.startswith("num"):
        return one_line(text)
    try:
        number = float(text)
        fields = QUOTED.sub("", code.partition(";")[0]).lower()
        if "y" in fields or "d" in fields and "m" in fields:
            return (EPOCH + timedelta(days=number)).date().isoformat()
        return f"{number * 100:.12g} %" if fields.endswith("%") else f"{number:.15g}"
    except (ValueError, OverflowError):
        return one_line(text)


def _title(element: Element | None) -> str:
    """The title of a chart or an axis, written or taken from a cell."""
    title = None if element is None else element.find("./{*}title")
    if title is None:
        return ""
    return one_line(" ".join(paragraphs(title)) or title.findtext(".//{*}v") or "")


def _chart_rows(heading: str, series: Iterable[_Series]) -> list[list[str]]:
    """Series that share their categories side by side, others (of points) below each other."""
    drawn = [one for one in series if one.values]
    if not drawn:
        return []
    shared = all(one.labels == drawn[0].labels or not one.labels for one in drawn)
    if not shared:
        return [
            [heading, "", "Series"],
            *([one.labels.get(at, ""), text, one.name] for one in drawn for at, text in one.values.items()),
        ]
    places = sorted({at for one in drawn for at in one.values})
    labels = drawn[0].labels
    return [
        [MarkedCell.of(name, heading=True) for name in (heading, *(one.name for one in drawn))],
        *([labels.get(at, ""), *(one.values.get(at, "") for one in drawn)] for at in places),
    ]


def _recent_chart(root: Element) -> Chart:
    """Waterfalls, trees, funnels: each series names the data that it draws by their number."""
    data = {attribute(one, "id"): one for one in root.iter() if local(one) == "data"}
    series = []
    for element in root.iter():
        if local(element) != "series" or (place := element.find("./{*}dataId")) is None:
            continue
        named: dict[int, str] = {}
        values: dict[int, str] = {}
        for dimension in data.get(attribute(place, "val"), ()):
            for level in reversed(dimension.findall("./{*}lvl")):
                code = attribute(level, "formatCode")
                kind = local(dimension)[:3]
                for point in level.iterfind("./{*}pt"):
                    at = parse_int(attribute(point, "idx"), 0)
                    text = _value(point.text or "", code, kind)
                    if kind == "num":
                        values[at] = text
                    else:
                        named[at] = f"{named[at]} {text}" if at in named else text
        series.append(_Series(one_line(element.findtext("./{*}tx//{*}v") or ""), named, values))
    kinds = [attribute(one, "layoutId") for one in root.iter() if local(one) == "series"]
    return Chart(_title(root.find("./{*}chart")), _chart_rows("", series), kinds)


def diagram_lines(root: Element) -> Iterator[tuple[int, str]]:
    """(depth, text) of the points of a diagram, each before those below it."""
    texts = {
        attribute(point, "modelId"): one_line(" ".join(paragraphs(point)))
        for point in root.iterfind("./{*}ptLst/{*}pt")
        if attribute(point, "type") in {"", "node", "doc", "asst"}
    }
    below: dict[str, list[tuple[int, str]]] = {}
    inner = set()
    for link in root.iterfind("./{*}cxnLst/{*}cxn"):
        if attribute(link, "type") in {"", "parOf"}:
            target = attribute(link, "destId")
            below.setdefault(attribute(link, "srcId"), []).append(
                (parse_int(attribute(link, "srcOrd"), 0), target)
            )
            inner.add(target)
    waiting = [(0, point) for point in reversed(texts) if point not in inner]
    done = set()
    while waiting:
        depth, point = waiting.pop()
        if point in done or point not in texts:
            continue
        done.add(point)
        if texts[point]:
            yield depth, texts[point]
        waiting += (
            (depth + bool(texts[point]), one) for _, one in sorted(below.get(point, ()), reverse=True)
        )


def paragraphs(element: Element) -> Iterator[str]:
    """The paragraphs of text in a drawing."""
    for paragraph in element.iter():
        if local(paragraph) == "p":
            text = "".join(run.text or "" for run in paragraph.iter() if local(run) == "t")
            if text.strip():
                yield text


def description(properties: Element | None) -> str:
    """The words for a picture; "" where they only name its file."""
    if properties is None:
        return ""
    return described(attribute(properties, "descr"))


def described(text: str) -> str:
    """Return the words for a picture on one line; "" where they only name its file."""
    text = one_line(text)
    return "" if FILE_NAME.fullmatch(text) else text


def may_hold_text(across: float, down: float) -> bool:
    """Whether a picture of this size, in points, is large enough for words."""
    return across >= SMALLEST[0] and down >= SMALLEST[1]


def may_hold_text_emu(extent: Element | None) -> bool:
    """As `may_hold_text`, by the element that holds `cx` and `cy`."""
    if extent is None:
        return False
    return may_hold_text(
        parse_int(attribute(extent, "cx"), 0) / EMU, parse_int(attribute(extent, "cy"), 0) / EMU
    )
