"""Whether the evidence is enough, judged without a model: coverage of what the question needs.

A heuristic, and shown as one: it counts names, relations and the kind of answer, and knows nothing of
whether the answer is right (A2RAG III-C: sufficiency for escalation, not certification). Facts are judged
trail by trail, so that no relation is put together out of facts that have nothing to do with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.retrieval.agentic.needs import Needs, Relation
from core.retrieval.agentic.trail import Trail
from core.text.translation import tr
from core.types.kinds import VALUES


@dataclass(frozen=True, slots=True)
class Coverage:
    """Shares 0..1. `open` says in words what is not covered yet."""

    names: float
    relations: float
    answer: float
    open: tuple[str, ...]

    @property
    def least(self) -> float:
        return min(self.names, self.relations, self.answer)

    def words(self, enough: float) -> str:
        """One line for the trace, with its numbers."""
        shares = {
            "names": f"{self.names:.2f}",
            "relations": f"{self.relations:.2f}",
            "answer": f"{self.answer:.2f}",
        }
        if self.least >= enough:
            return tr(
                "covered (a heuristic): names {names}, relations {relations}, answer type {answer}; enough",
                **shares,
            )
        return tr(
            "covered (a heuristic): names {names}, relations {relations}, answer type {answer}; "
            "goes on, open: {open}",
            open=tr(", ").join(self.open) or tr("everything"),
            **shares,
        )


Forms = Mapping[str, Sequence[str]]
NONE: Forms = {}


def of_facts(
    needs: Needs,
    trails: Sequence[Trail],
    text: Callable[[str], str],
    labels: Sequence[str],
    forms: Forms = NONE,
) -> Coverage:
    """How much of the question the facts cover: by every start's trail in a comparison, else by the best one.

    `text(passage id)` in lower case holds the names that a fact's passage speaks of; `labels` are those
    of the entities by row. A name counts by its own letters or by any of its `forms`, by key.
    """
    if not needs.names or not trails:
        return Coverage(0.0, 0.0, 0.0, _open(needs, frozenset(), set(), 0.0))
    if not needs.each:
        single = [_of_trails(needs, [trail], text, labels, forms) for trail in trails]
        return max(single, key=lambda found: (found.least, found.relations, found.answer, found.names))
    return _of_trails(needs, trails, text, labels, forms)


def _of_trails(
    needs: Needs, trails: Sequence[Trail], text: Callable[[str], str], labels: Sequence[str], forms: Forms
) -> Coverage:
    wanted = len(needs.starts) if needs.each else 1
    passages = {passage for trail in trails for taken in trail.taken for passage in taken.fact.passages}
    texts = [text(passage) for passage in passages]
    mentioned = _find_names(needs, texts, forms)
    covered = [sum(at in trail.covered for trail in trails) / wanted for at in range(len(needs.relations))]
    well = [trail for trail in trails if any(_fits(needs, labels[row]) for row in trail.ends)]
    answer = min(1.0, len(well) / wanted)
    every = frozenset(at for at, share in enumerate(covered) if share >= 1.0)
    return Coverage(
        names=len(mentioned) / len(needs.names),
        relations=sum(min(1.0, share) for share in covered) / len(covered) if covered else answer,
        answer=answer,
        open=_open(needs, every, mentioned, answer),
    )


def of_texts(
    needs: Needs,
    texts: Sequence[tuple[str, frozenset[str]]],
    labels: Iterable[str],
    forms: Forms = NONE,
) -> Coverage:
    """How much of the question the text of passages covers, where the graph does not tell it.

    `texts` are passages in lower case with their stems, `labels` those of the names in them that the
    question does not hold.
    """
    if not texts:
        return Coverage(0.0, 0.0, 0.0, _open(needs, frozenset(), set(), 0.0))
    mentioned = _find_names(needs, [words for words, _ in texts], forms)
    stems = frozenset().union(*(found for _, found in texts))
    covered = frozenset(at for at, relation in enumerate(needs.relations) if relation.clues & stems)
    answer = float(any(_fits(needs, label) for label in labels))
    return Coverage(
        names=len(mentioned) / len(needs.names) if needs.names else 1.0,
        relations=len(covered) / len(needs.relations) if needs.relations else answer,
        answer=answer,
        open=_open(needs, covered, mentioned, answer),
    )


def _find_names(needs: Needs, texts: Sequence[str], forms: Forms) -> set[str]:
    """Keys of the names that stand in any of the texts."""
    return {
        name.key
        for name in needs.names
        if any(form in text for form in (name.key, *forms.get(name.key, ())) for text in texts)
    }


def _fits(needs: Needs, label: str) -> bool:
    """Whether a thing of this label can be the answer; OTHER may be anything that bears a name."""
    if not needs.labels or label in needs.labels:
        return True
    return label == "OTHER" and not VALUES & set(needs.labels)


def _open(needs: Needs, covered: frozenset[int], found_names: set[str], answer: float) -> tuple[str, ...]:
    names = [name.text for name in needs.names if name.key not in found_names]
    relations: list[Relation] = [r for at, r in enumerate(needs.relations) if at not in covered]
    words = [*names, *(relation.word for relation in relations)]
    if answer < 1.0:
        labels = "/".join(needs.labels) or tr("of any type")
        words.append(tr("an answer ({labels})", labels=labels))
    return tuple(dict.fromkeys(words))
