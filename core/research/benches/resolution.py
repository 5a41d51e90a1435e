"""Accuracy of entity resolution, on aliases that the passages of a question set give themselves.

An encyclopaedia's passage names its subject twice: in its title and at the head of its first sentence ("Dillon
Francis": "Dillon Hart Francis (born ...) is"). Those two are one entity; two titles are two. Titles that differ
only in a qualifier ("Titanic (1997 film)") are homonyms. Clew distinguishes them by the qualifier, so they are
indexed without it and must be distinguished by what their texts say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from core.answering.models import Models
from core.answering.reliability import wilson
from core.extraction.names import normalise, qualified, without_disambiguation
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures
from core.research.datasets import Dataset, open_cached, read_dataset
from core.types import Passage
from core.types.kinds import stable_id, without_sense
from core.workspace import Workspace

# Up to the bracket or verb that ends the subject; full stops only behind initials.
LEAD = re.compile(
    r"[\"“' ]*(?P<name>[^(),;.:\"]{3,80}?(?:\b[A-Z]\.[^(),;:\"]{0,60}?)?)[\"”' ]*\s*(?:\(|,? (?:is|was|were|are)\b)"
)
WORD = re.compile(r"\w+")


def run(arguments: Arguments) -> Figures:
    """Measure pairwise precision and recall over titles and aliases that name one entity only."""
    assert arguments.dataset is not None
    data, models, context = read_dataset(arguments.dataset), Models(), arguments.context
    apart, homonyms = _homonyms_apart(data, models, context)
    workspace, _ = open_cached(data, context, models)
    try:
        entities = workspace.names.entity_ids()
        names, entity_count = len(entities), len(set(entities.values()))
        gold = labelled(data.passages, entities)
        entities |= _meant(gold, entities, data.passages, workspace)
    finally:
        workspace.close()
    hits, wrong = _predicted(gold, entities)
    positives = [pair for pair in _same(gold) if pair[0] != pair[1]]
    found = sum(entities[one] == entities[other] for one, other in positives)
    lower, _ = wilson(hits, hits + wrong)
    return {
        "precision": Figure(hits / max(1, hits + wrong), "", None, "precision first"),
        "precision, lower end of 95 %": Figure(lower, ""),
        "recall": Figure(found / max(1, len(positives)), ""),
        "labelled pairs of one entity": Figure(len(positives), ""),
        "merged pairs, right": Figure(hits, ""),
        "merged pairs, wrong": Figure(wrong, ""),
        "homonyms kept apart, their qualifiers taken out": Figure(apart / max(1, homonyms), ""),
        "labelled pairs of homonyms": Figure(homonyms, ""),
        "labelled names": Figure(len(gold), ""),
        "names": Figure(names, ""),
        "entities": Figure(entity_count, ""),
    }


def labelled(passages: Sequence[Passage], known: Iterable[str]) -> dict[str, str]:
    """Return the title by normal form, for titles and aliases; names of several titles, and of no entity, are left
    out.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for passage in passages:
        title = normalise(passage.title)
        owners[title].add(title)
        match = LEAD.match(passage.text.strip())
        alias = normalise(match.group("name")) if match else ""
        # Some passages begin with another subject: an alias must share a word with the title.
        if alias and set(WORD.findall(alias)) & set(WORD.findall(title)):
            owners[alias].add(title)
    present = set(known)
    return {name: next(iter(own)) for name, own in owners.items() if len(own) == 1 and name in present}


def _meant(
    gold: dict[str, str], entities: dict[str, str], passages: Sequence[Passage], workspace: Workspace
) -> dict[str, str]:
    """Return the entity of ambiguous labelled names: the one that the title's passage refers to."""
    divided = {without_sense(name) for name in entities if without_sense(name) != name}
    titled = {normalise(passage.title): passage for passage in passages}
    found = {name: _namesakes(titled[gold[name]], name, workspace) for name in gold.keys() & divided}
    return {name: min(own) for name, own in found.items() if own}


def unqualified(passages: Iterable[Passage]) -> list[Passage]:
    """Return the passages whose titles differ only in their qualifier, with the bare title."""
    titled: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        if qualified(normalise(passage.title))[1]:
            bare = without_disambiguation(passage.title)
            bare = bare if bare != passage.title else passage.title.partition(", ")[0]
            titled[normalise(bare)].append(replace(passage, title=bare))
    return [passage for own in titled.values() if len(own) > 1 for passage in own]


def _homonyms_apart(data: Dataset, models: Models, context: TaskContext) -> tuple[int, int]:
    """Index these passages in a workspace of their own; return (pairs distinguished, pairs)."""
    passages = tuple(unqualified(data.passages))
    if not passages:
        return 0, 0
    fingerprint = stable_id(*(f"{p.id}\x1f{p.title}\x1f{p.text}" for p in passages))
    workspace, _ = open_cached(Dataset(f"{data.name}-homonyms", passages, (), fingerprint), context, models)
    try:
        return homonyms_apart(passages, workspace)
    finally:
        workspace.close()


def homonyms_apart(passages: Sequence[Passage], workspace: Workspace) -> tuple[int, int]:
    """Return (pairs distinguished, pairs) of documents with the same bare title that both mention it."""
    titled: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        titled[normalise(passage.title)].append(passage)
    apart = pairs = 0
    for bare, own in titled.items():
        meant = [found for passage in own if (found := _namesakes(passage, bare, workspace))]
        for one, other in combinations(meant, 2):
            pairs += 1
            apart += one.isdisjoint(other)
    return apart, pairs


def _namesakes(passage: Passage, bare: str, workspace: Workspace) -> set[str]:
    """Return the ids of the entities that the bare name refers to in this passage."""
    return {
        mention.entity_id
        for mention in workspace.documents.mentions(passage.document_id)
        if normalise(passage.text[mention.start : mention.end]) == bare
    }


def _predicted(gold: dict[str, str], entities: dict[str, str]) -> tuple[int, int]:
    """Return the pairs of labelled names under one entity: of one title, and of two."""
    together: dict[str, list[str]] = defaultdict(list)
    for name in gold:
        together[entities[name]].append(name)
    pairs = [gold[a] == gold[b] for names in together.values() for a, b in combinations(names, 2)]
    return sum(pairs), len(pairs) - sum(pairs)


def _same(gold: dict[str, str]) -> list[tuple[str, str]]:
    by_title: dict[str, list[str]] = defaultdict(list)
    for name, title in gold.items():
        by_title[title].append(name)
    return [pair for names in by_title.values() for pair in combinations(sorted(names), 2)]
