"""How figures and names of the engine are said to people, the same in every panel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.answers.claims import headings, said_as_text, said_in
from app.look.counting import calendar_day, counted
from app.look.translation import tr
from core.types import LISTS_CALLED, Answer, Citation, Evidence, JudgedAnswer, PathStep, Route, Stage

ROUTE_WORDS = {
    "dense": tr("Dense"),
    "fusion": tr("Fusion"),
    "graph": tr("Graph"),
    "agentic": tr("Agentic"),
    "hybrid": tr("Hybrid"),
    "lexical": tr("Words"),
    "hierarchical": tr("Hierarchical"),
    "global": tr("Global"),
}
ROUTE_MEANING = {
    "dense": tr("passages nearest in meaning to the question"),
    "fusion": tr("nearness in meaning, words and graph together"),
    "graph": tr("a walk over the graph from the names in the question"),
    "agentic": tr("facts around the names first, and further only where they do not suffice"),
    "hybrid": tr("nearness in meaning and the strongest chain of facts"),
    "lexical": tr("the words of the question, as a search engine counts them"),
    "hierarchical": tr("from the top communities down to the entities in question"),
    "global": tr("all documents at once, by themes"),
}
GLOBAL = "global"  # chosen by the words of a question, or by hand; never by its complexity
_BY_HAND = tr("chosen by hand; the question ")
# Lower ends of what a probability is called, from the highest.
_PROBABILITY = (
    (0.9, tr("Very likely")),
    (0.7, tr("Likely")),
    (0.5, tr("Perhaps")),
    (0.3, tr("Unsure")),
    (0.0, tr("Unlikely")),
)
NOT_TOLD = tr("These documents do not tell")
GUESS = "A guess"


def duration(seconds: float) -> str:
    """Three figures at most, with the unit: 0.4 ms, 12 ms, 1.24 s, 2 min 05 s."""
    if seconds < 0.001:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60):02d} s"


def route_name(name: str) -> str:
    """A route as a heading; unknown names keep their letters."""
    return ROUTE_WORDS.get(name, name.capitalize())


def heard(route: Route) -> str:
    """What each ranked list counted: "Heard: words 44 %, meaning 44 %, graph 12 %"; "" where none were joined."""
    weights = route.complexity.weights
    if not weights or route.name == GLOBAL or (route.forced and route.name != "fusion"):
        return ""
    parts = [
        f"{LISTS_CALLED.get(name, name)} {share:.0%}" for name, share in weights.items() if share >= 0.005
    ]
    return f"Heard: {', '.join(parts)}" if len(parts) > 1 else f"Heard: {parts[0].split()[0]} alone"


def route_sentence(route: Route, stages: Sequence[Stage] = ()) -> str:
    """Why this route, in one line. For all documents at once the stage "scope" tells it."""
    complexity = route.complexity
    name = route_name(route.name)
    if route.name == GLOBAL:
        told = next((stage.detail for stage in stages if stage.name == "scope"), "")
        reason = (
            f"the question {told.removeprefix(_BY_HAND)}"
            if told
            else tr("the question is about all documents")
        )
        return f"{name}, because you chose it; {reason}." if route.forced else f"{name}: {reason}."
    if route.forced:
        return (
            f"{name}, because you chose it. By its words alone the graph's share is {complexity.score:.2f}."
        )
    share = f"the graph's share {complexity.score:.2f}"
    if route.name in {"dense", "lexical"}:
        return f"{name}: {share} is at or below {complexity.low:.2f}."
    if route.name == "graph":
        return f"{name}: {share} is at or above {complexity.high:.2f}."
    return f"{name}: {share} lies between {complexity.low:.2f} and {complexity.high:.2f}."


def percent(share: float) -> str:
    """`72 %`; only 0 and 1 themselves are 0 % and 100 %."""
    whole = round(share * 100)
    return f"{min(max(whole, 1), 99) if 0 < share < 1 else whole} %"


def probability_words(probability: float) -> str:
    """That an answer is right, in words and figures: `Likely, 72 %`."""
    words = next((words for least, words in _PROBABILITY if probability >= least), _PROBABILITY[-1][1])
    return f"{words}, {percent(probability)}"


def probability_tip(probability: float) -> str:
    """Where the number comes from."""
    return (
        f"Of 100 answers with this number, about {percent(probability).removesuffix(' %')} are right. It was fitted on "
        "questions that the model did not learn from."
    )


def judged_words(judged: JudgedAnswer, shown: Answer) -> str:
    """What was said before of an answer to the same question: `You judged this answer right on 3 March 2026`."""
    which = tr("this answer") if judged.answer == shown.text else tr("the refusal to answer")
    if judged.answer and judged.answer != shown.text:
        which = f"the answer \u201c{' '.join(judged.answer.split())}\u201d"
    verdict = "right" if judged.right else "wrong"
    given = f"; the right one: \u201c{judged.right_answer}\u201d" if judged.right_answer else ""
    return f"You judged {which} {verdict}{_on_day(judged.made)}{given}."


def _on_day(moment: str) -> str:
    """` on 3 March 2026`, where the moment can be read."""
    try:
        return f" on {calendar_day(datetime.fromisoformat(moment).astimezone())}"
    except ValueError:
        return ""


def place_words(page: int | None) -> str:
    """`page 3`, or nothing where the format has no pages."""
    return f"page {page}" if page else ""


def citation_place(citation: Citation) -> str:
    """`Payments!A12:F12`, `page 3`, or nothing where the format has neither.

    A table that is called like its document, as a CSV file's is, says only which cells.
    """
    sheet, _, cells = citation.place.rpartition("!")
    place = cells if sheet == citation.title else citation.place
    return place or place_words(citation.page)


def citation_line(number: int, citation: Citation) -> str:
    """One line of a list of sources: `[1] Title, page 3 (folder/file.pdf)`."""
    place = citation_place(citation)
    place = f", {place}" if place else ""
    return f"[{number}] {citation.title or citation.document}{place} ({citation.document})"


def answer_as_text(answer: Answer) -> str:
    """Question, answer with its marks, sources: what is copied to the clipboard."""
    lines = [answer.trace.question, ""]
    if answer.abstained:
        return "\n".join([*lines, f"{NOT_TOLD}.", answer.missing]).strip()
    if answer.guess:
        lines += [f"{GUESS} ({percent(answer.confidence)}): {answer.text}", ""]
    elif has_short_answer(answer):
        lines += [answer.text, ""]
    said = said_in(answer)
    heads = headings(said, answer.communities)
    paragraphs: list[list[str]] = [[]]
    for at, row in enumerate(said):
        if at in heads:
            paragraphs.append([f"{heads[at]}:"])
        paragraphs[-1].append(said_as_text(row))
    for paragraph in paragraphs:
        lines += [" ".join(paragraph), ""] if paragraph else []
    if answer.communities:
        lines += [reports_line(answer), ""]
    for number, citation in enumerate(answer.citations, start=1):
        lines += [citation_line(number, citation), f"    \u201c{' '.join(citation.quote.split())}\u201d"]
    return "\n".join(lines)


def first_lines(answer: Answer) -> tuple[str, str]:
    """What the answer begins with, and what it lists below, a thing a line; "" where it lists nothing.

    `The documents fall into two themes: A; B.` begins with `The documents fall into two themes:`.
    """
    text = " ".join(answer.text.split())
    head, colon, rest = text.partition(": ")
    if not (quotes_only(answer) and colon and rest):
        return text, ""
    things = rest.removesuffix(".").split("; ")
    return f"{head}:", "\n".join(f"\u2022 {thing}" for thing in things) if len(things) > 1 else rest


def quotes_only(answer: Answer) -> bool:
    """Whether it is an answer about all documents of which no sentence is anybody's own words."""
    return bool(answer.communities) and not answer.claims and not answer.usage.calls


def reports_line(answer: Answer) -> str:
    """`Rests on: ...`, for an answer about all documents."""
    titles = "; ".join(" ".join(community.title.split()) for community in answer.communities)
    return f"Rests on: {titles}"


def has_short_answer(answer: Answer) -> bool:
    """Whether `text` says something else than the first sentence, or than all that follow on some."""
    said = [row.text for row in said_in(answer)]
    text = " ".join(answer.text.split())
    wholes = [" ".join(said[at:]) for at in range(len(said))]
    return bool(text) and text not in (*said[:1], *wholes)


def step_words(step: PathStep) -> str:
    """A fact of a chain on one line."""
    return " ".join(f"{step.subject} {step.predicate} {step.object}".split())


def reason_of(evidence: Evidence, answer: Answer) -> str:
    """Why a passage is in the list, in one line; the facts of a chain are shown beside it.

    Without an explanation, as far as the trace tells: the seeds that it names, or the route.
    """
    why = evidence.why
    if why is not None and why.path and why.entity_ids:
        first, facts = why.path[0], counted(len(why.path), "fact")
        start = first.subject if first.subject_id == why.entity_ids[0] else first.object
        ranks = ", ".join(f"{part} {rank}" for part, rank in why.ranks.items())
        return f"{facts} from {start}, strength {why.strength:.2f}" + (f" (rank: {ranks})" if ranks else "")
    if why is not None:
        return why.words
    text = f"{evidence.passage.title} {evidence.passage.text}".casefold()
    named = [seed.name for seed in answer.trace.seeds if seed.name.casefold() in text]
    if named:
        return "names " + ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    if answer.trace.seeds:
        return tr("reached over the graph")
    if answer.communities:
        return tr("tells of a theme")
    return tr("near in meaning")
