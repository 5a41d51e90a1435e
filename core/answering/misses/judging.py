"""Which stage lost the passage, and the whole way in words."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive import checked_bar
from core.answering.generate import PASSAGES_AGAIN, PASSAGES_FIRST
from core.answering.misses.diagnosis import JOINED, RetrievalDiagnosis, Words, alike, rests_on, says
from core.answering.validators import RESOLUTION
from core.answering.writers import GENERATORS
from core.config import Config
from core.retrieval.gate import gate_in_words
from core.text.translation import either, mark, tr, trn
from core.types import LISTS_CALLED, MissStage, MissStep, PassageRanks, ReaderView, StepState
from core.types.stages import Gated

_LONGEST = 80  # characters of what was read or said
_NEAR = 2  # times as many passages as are read: what stands there was cut off, what is further down was lost before
_STAGES = {"lexical": MissStage.WORDS, "dense": MissStage.MEANING, "graph": MissStage.WALK}


def judged(
    diagnosis: RetrievalDiagnosis,
    at: PassageRanks,
    passage_id: str,
    config: Config,
    marked: Words | None = None,
) -> tuple[MissStage | None, str, tuple[MissStep, ...]]:
    """The stage that lost the passage, None where the answer rests on it; why in a few words; every step of the way."""
    lost = _lost(diagnosis, at, passage_id, config, marked)
    taken = lost is MissStage.READER and rests_on(diagnosis.answer, passage_id)
    steps = _steps(
        diagnosis, at, config, tr(_OTHER_WORDS, answer=_short(diagnosis.answer.text)) if taken else ""
    )
    places = [stage for stage, *_ in steps]
    end = places.index(lost) if lost in places else len(places)
    outcomes = []
    for number, (stage, good, figure, words) in enumerate(steps):
        if stage is lost:
            state = StepState.LOST
        elif number > end and stage in _AFTER:
            state = StepState.UNREACHED
        else:
            state = StepState.PASSED if good else StepState.WEAK
        outcomes.append(MissStep(stage, state, figure, words))
    own = lost is MissStage.READER and at.preferred is None
    return lost, tr(_TAKEN) if own else verdict_words(lost), tuple(outcomes)


_TAKEN = mark("The reader took other words of it.")
_OTHER_WORDS = mark("The answer rests on this passage, but on other words of it: “{answer}”.")
_AFTER = (MissStage.CUT, MissStage.PACK, MissStage.READER, MissStage.CHECKS, MissStage.BAR)


def _lost(
    diagnosis: RetrievalDiagnosis, at: PassageRanks, passage_id: str, config: Config, marked: Words | None
) -> MissStage | None:
    answer = diagnosis.answer
    if diagnosis.other_answerer == "reports" and not answer.trace.route.forced:
        return MissStage.WAY
    if rests_on(answer, passage_id):
        return None if says(answer, diagnosis.generator, passage_id, marked) else MissStage.READER
    if diagnosis.other_answerer:
        return MissStage.WAY
    if not diagnosis.searched:
        return MissStage.GATE
    if at.joined is None or at.joined > at.read:
        return _lost_by_search(diagnosis, at)
    if diagnosis.generator not in GENERATORS and at.joined > PASSAGES_FIRST and not answer.abstained:
        return MissStage.PACK
    own = at.reader.confidence if at.reader else 0.0
    best = max(own, at.preferred.confidence if at.preferred else 0.0)
    read = at.reader is not None and (marked is None or alike(at.reader.text, marked.around))
    if answer.abstained and read and own >= best > 0:
        return MissStage.CHECKS if own >= config.answer.min_probability else MissStage.BAR
    return MissStage.READER


def _lost_by_search(diagnosis: RetrievalDiagnosis, at: PassageRanks) -> MissStage:
    """The last thing that could have brought the passage among those read and did not."""
    if diagnosis.route not in JOINED:
        one = {"dense": MissStage.MEANING, "lexical": MissStage.WORDS, "graph": _by_graph(at)}
        return _cut(at) or one.get(diagnosis.route, MissStage.WALK)
    weights = dict(at.weights)
    ranks = {"lexical": at.words, "dense": at.meaning, "graph": at.graph}
    if any(rank is not None and rank <= at.read and weights.get(name, 0) < 1 for name, rank in ranks.items()):
        return MissStage.JOIN
    heaviest = max(weights, key=lambda name: weights[name])
    return _cut(at) or (_by_graph(at) if heaviest == "graph" else _STAGES[heaviest])


def _cut(at: PassageRanks) -> MissStage | None:
    return MissStage.CUT if at.joined is not None and at.joined <= _NEAR * at.read else None


def _by_graph(at: PassageRanks) -> MissStage:
    if at.walk is not None and (at.walk <= at.read or (at.graph or at.walk) > at.walk):
        return MissStage.SECOND
    if at.unknown and not at.shared:
        return MissStage.NAMES
    return MissStage.WALK if at.seeds_inside else MissStage.SEEDS


# ------------------------------------------------------------ in words

_RawStep = tuple[MissStage, bool, str, str]  # stage, whether the passage came through well, figure, words


def _steps(diagnosis: RetrievalDiagnosis, at: PassageRanks, config: Config, reader: str) -> list[_RawStep]:
    """`reader`: what it did, where that is no matter of the passages that it read."""
    if diagnosis.other_answerer:
        return [(MissStage.WAY, False, diagnosis.other_answerer, _way_words(diagnosis))]
    way = (MissStage.WAY, True, at.route, _way_words(diagnosis))
    gates = (each.data for each in diagnosis.answer.trace.stages if isinstance(each.data, Gated))
    gate = next(map(gate_in_words, gates), "")
    if not diagnosis.searched:
        return [way, (MissStage.GATE, False, tr("closed"), tr("Nothing was looked for: {why}.", why=gate))]
    opened = (MissStage.GATE, True, tr("open"), tr("Passages were looked for: {why}.", why=gate))
    return [
        way,
        opened,
        *_graph_steps(at),
        *_list_steps(diagnosis, at),
        *_end_steps(diagnosis, at, config, reader),
    ]


def _way_words(diagnosis: RetrievalDiagnosis) -> str:
    if diagnosis.other_answerer == "table":
        return tr("A table answered this, so no passage was looked for.")
    if diagnosis.other_answerer:
        return tr("The question was taken to be about all documents: reports answered it, no single passage.")
    if diagnosis.route in JOINED:
        return tr(
            "Words, meaning and graph are joined; {route} counts most.",
            route=diagnosis.answer.trace.route.name,
        )
    if not diagnosis.answer.trace.route.forced:
        return tr("The workspace asks by {route}.", route=diagnosis.route)
    return tr("The route {route} was chosen by hand.", route=diagnosis.route)


def _graph_steps(at: PassageRanks) -> list[_RawStep]:
    if at.shared:
        names = tr("The question and the passage both name {names}.", names=_listed(at.shared))
    elif at.names:
        names = tr("The question names {names}; the passage does not.", names=_listed(at.names))
    else:
        names = tr("The question names nothing that the documents name.")
    if at.unknown:
        missing = tr(
            "Nothing in the graph is called {names}.", names=either([f"“{name}”" for name in at.unknown[:3]])
        )
        names = f"{names} {missing}"
    seeded = (
        tr("The walk starts at {names}, which the passage names.", names=_listed(at.seeds_inside))
        if at.seeds_inside
        else tr("None of the names where the walk starts stands in the passage.")
    )
    mass = tr(
        "The graph puts it at place {rank}; it holds {mass} of the walk's mass. "
        "Only the first {pool} go to the second stage.",
        mass=f"{at.mass:.2%}",
        rank=_rank(at.walk, at),
        pool=f"{at.pool:,}",
    )
    found: list[_RawStep] = [
        (MissStage.NAMES, bool(at.shared), f"{len(at.shared):,}/{len(at.names) + len(at.unknown):,}", names),
        (MissStage.SEEDS, bool(at.seeds_inside), f"{len(at.seeds_inside):,}/{at.seeds:,}", seeded),
        (MissStage.WALK, _within(at.walk, max(at.pool, at.read)), _figure(at.walk), mass),
    ]
    if at.pool and _within(at.walk, at.pool):
        second = tr(
            "The second stage moved it from {before} to {now}.",
            before=_rank(at.walk, at),
            now=_rank(at.graph, at),
        )
        found.append((MissStage.SECOND, _within(at.graph, at.read), _figure(at.graph), second))
    return found


def _list_steps(diagnosis: RetrievalDiagnosis, at: PassageRanks) -> list[_RawStep]:
    weights = dict(at.weights)
    found: list[_RawStep] = []
    for name, rank in (("lexical", at.words), ("dense", at.meaning)):
        share = f"{weights.get(name, 0.0):.0%}"
        words = tr(
            "By {list} it is {rank} of {count}; that list counts for {share}.",
            list=tr(LISTS_CALLED[name]),
            rank=_rank(rank, at),
            count=f"{at.passages:,}",
            share=share,
        )
        found.append((_STAGES[name], _within(rank, at.read), _figure(rank), words))
    if diagnosis.route in JOINED:
        each = tr(", ").join(f"{tr(LISTS_CALLED[name])} {share:.0%}" for name, share in at.weights)
        words = tr(
            "The three lists are joined to place {rank} (each counts: {weights}).",
            rank=_rank(at.joined, at),
            weights=each,
        )
        found.append((MissStage.JOIN, _within(at.joined, at.read), _figure(at.joined), words))
    return found


def _end_steps(
    diagnosis: RetrievalDiagnosis, at: PassageRanks, config: Config, reader: str
) -> list[_RawStep]:
    cut = tr("It is {rank}; the first {read} are read.", rank=_rank(at.joined, at), read=f"{at.read:,}")
    found: list[_RawStep] = [
        (MissStage.CUT, _within(at.joined, at.read), f"{_figure(at.joined)}/{at.read:,}", cut)
    ]
    if diagnosis.generator not in GENERATORS:
        packed = tr(
            "The model is given the first {first} passages, {more} where its first answer does not hold.",
            first=PASSAGES_FIRST,
            more=PASSAGES_AGAIN,
        )
        found.append((MissStage.PACK, _within(at.joined, PASSAGES_FIRST), _figure(at.joined), packed))
    own = at.reader
    sure = own.confidence if own else 0.0
    best = at.preferred is None or sure >= at.preferred.confidence
    found.append((MissStage.READER, best, f"{sure:.0%}", reader or _reader_words(at)))
    likeliest = max(sure, at.preferred.confidence if at.preferred else 0.0)
    if diagnosis.answer.abstained and (
        failed := _checks_words(diagnosis, likeliest >= config.answer.min_probability)
    ):
        found.append((MissStage.CHECKS, False, str(len(diagnosis.answer.trace.rounds) or "–"), failed))
    bar = tr(
        "The likeliest reading has {share}; an answer needs {sure}, a whole sentence that passes the checks {checked}, "
        "a possible answer {told}.",
        share=f"{likeliest:.0%}",
        sure=f"{config.answer.sure:.0%}",
        checked=f"{checked_bar(config.answer):.0%}",
        told=f"{config.answer.min_probability:.0%}",
    )
    found.append((MissStage.BAR, not diagnosis.answer.abstained, f"{config.answer.min_probability:.0%}", bar))
    return found


def _checks_words(diagnosis: RetrievalDiagnosis, withheld: bool) -> str:
    """What the checks found wrong, and of what is withheld, though likely enough, why; "" where nothing failed.

    That an answer is not sure is no reason: guesses are told.
    """
    rounds = [each for each in diagnosis.answer.trace.rounds if each.failure and each.failure != RESOLUTION]
    why = dict.fromkeys(
        part.words for each in rounds for part in each.validations if part.name == each.failure
    )
    failed = trn(
        "The answer did not pass its checks in {count} round: {why}.",
        "The answer did not pass its checks in {count} rounds: {why}.",
        len(rounds),
        why="; ".join(why),
    )
    return " ".join(filter(None, (failed if why else "", diagnosis.answer.missing if withheld else "")))


def _reader_words(at: PassageRanks) -> str:
    among = at.joined is not None and at.joined <= at.read
    own = _reading_words(at.reader)
    if not among:
        return tr("It was not read. By itself the reader finds in it {said}.", said=own)
    if at.preferred is None:
        return tr("The reader finds in it {said}, and nothing better in any other passage.", said=own)
    return tr(
        "The reader finds in it {said}; it prefers {document}: {other}.",
        said=own,
        document=at.preferred.document,
        other=_reading_words(at.preferred),
    )


def _reading_words(view: ReaderView | None) -> str:
    if view is None or not view.text:
        return tr("nothing")
    return tr(
        "“{text}” (about the question {relevance}, the answer {sure})",
        text=_short(view.text),
        relevance=f"{view.relevance:.0%}",
        sure=f"{view.confidence:.0%}",
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _within(rank: int | None, most: int) -> bool:
    return rank is not None and rank <= most


def _figure(rank: int | None) -> str:
    return f"{rank:,}" if rank is not None else "–"


def _rank(rank: int | None, at: PassageRanks) -> str:
    return f"{rank:,}" if rank is not None else tr("beyond the first {depth}", depth=f"{at.depth:,}")


def _listed(names: Sequence[str]) -> str:
    return tr(", ").join(f"“{name}”" for name in names[:3])


def verdict_words(lost: MissStage | None) -> str:
    """A few words; what the stage says comes beside them."""
    return tr(WHY[lost]) if lost is not None else tr("The answer rests on it: nothing was missed.")


WHY = {
    MissStage.FILE: mark("Not read."),
    MissStage.PASSAGE: mark("In no passage."),
    MissStage.INDEX: mark("Not in the index."),
    MissStage.SCOPE: mark("Outside of the scope."),
    MissStage.WAY: mark("Answered in another way."),
    MissStage.GATE: mark("Nothing seemed to be about this."),
    MissStage.NAMES: mark("No name was recognised."),
    MissStage.SEEDS: mark("The walk did not start there."),
    MissStage.WALK: mark("Too little mass."),
    MissStage.SECOND: mark("Put back by the second stage."),
    MissStage.WORDS: mark("Too few words in common."),
    MissStage.MEANING: mark("Too far in meaning."),
    MissStage.JOIN: mark("Outweighed when the lists were joined."),
    MissStage.CUT: mark("Cut off: just below the passages that are read."),
    MissStage.PACK: mark("Not given to the model."),
    MissStage.READER: mark("The reader preferred another."),
    MissStage.CHECKS: mark("Refused by the checks."),
    MissStage.BAR: mark("Below the bar of an answer."),
}
