"""Why a passage was missed, from the mark of a person to the stage that lost it; and what a change does to pins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from core.answering.ask import Asker
from core.answering.misses.diagnosis import furthest, look, passage_ranks, place_in, words_at
from core.answering.misses.judging import judged, verdict_words
from core.config import Config
from core.errors import BadInput, NothingIndexed
from core.ingest.source_files import left_out
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.scope import ScopedPassages, restrict_to_scope
from core.review.attach_support import attach_support
from core.review.pins import ASKED, PinAnswer, affected, evidence_of, result_of
from core.store.settings import path_from_text
from core.store.store import Store
from core.text.translation import tr, trn
from core.types import (
    EVERYTHING,
    BlockKind,
    Document,
    Miss,
    MissMark,
    MissPins,
    MissStage,
    MissStep,
    Passage,
    PassageRanks,
    Pin,
    Scope,
    State,
    StepState,
)

_WORD = re.compile(r"\w+")
_BETWEEN = 10  # words that may stand between two of a quotation: the name of a column
_MOST = 200  # places of the same words that are looked at
_LONGEST = 200  # words of a quotation that is looked for so
_QUOTE = 160  # characters of what was marked that are shown


Places = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """`passages` hold what was marked, in the order of the document; with none the last step says why."""

    steps: tuple[MissStep, ...]
    passages: tuple[Passage, ...] = ()
    document: str = ""
    quote: str = ""
    places: Places = ()  # of what was marked within passages, in the document's text; () for all of them
    again: str = ""  # the file that would have to be read again


def marked(store: Store, corpus: Corpus | None, mark: MissMark) -> Marked:
    """Raises BadInput where nothing is marked, or a passage that is gone."""
    if mark.passage_id:
        passage = store.passages.get(mark.passage_id).passage
        document = store.documents.get(passage.document_id)
        start, end = (mark.start, mark.end) if mark.end > mark.start else (passage.start, passage.end)
        quote = store.documents.text(document.id)[start:end]
        found = _indexed(store, corpus, document, (passage,), quote)
        return replace(found, places=((start, end),)) if mark.end > mark.start else found
    if not mark.document and not mark.quote.strip():
        raise BadInput(
            tr("Nothing is marked."), tr("Name a passage, a document, or words that stand in one.")
        )
    if not mark.document:
        return _anywhere(store, corpus, mark)
    documents = _called(store, mark.document)
    if len(documents) > 1:
        raise BadInput(
            tr("There is more than one document {name} in the workspace.", name=mark.document),
            tr("Give its path as clew documents WORKSPACE lists it."),
        )
    if not documents or documents[0].state is State.FAILED:
        return _unread(store, documents[0] if documents else None, mark.document)
    return _within(store, corpus, documents[0], mark)


def _called(store: Store, name: str) -> list[Document]:
    found = store.documents.all()
    exact = [each for each in found if name in (each.id, each.path)]
    return exact or [each for each in found if each.path.endswith(f"/{name}")]


def _anywhere(store: Store, corpus: Corpus | None, mark: MissMark) -> Marked:
    """In the first document whose text holds the words, those first of which a passage does."""
    found = None
    read = [document for document in store.documents.all() if document.state is not State.FAILED]
    for place in (
        _word_for_word,
        _places,
    ):  # a whole quotation anywhere is likelier meant than its words in a row
        for document in read:
            if place(store.documents.text(document.id), mark):
                here = _within(store, corpus, document, mark)
                if here.passages:
                    return here
                found = found or here
        if found:
            return found
    words = tr(
        "No document of the workspace holds these words. Name the file that should hold them, to see whether it was "
        "read; a scan or a picture may hold them as an image."
    )
    return Marked((_lost(MissStage.FILE, tr("in no document"), words),), quote=short(mark.quote))


def _unread(store: Store, document: Document | None, name: str) -> Marked:
    """Why a file has no document, or one without text."""
    if document is not None:
        why = " ".join(filter(None, (document.reason, document.remedy)))
        words = tr("{document} could not be read. {why}", document=document.path, why=why)
        step = _lost(MissStage.FILE, tr("not read"), words)
        return Marked((step,), document=document.path, again=document.file or document.path)
    if name in store.files.excluded():
        words = tr("{document} was taken out of the workspace by hand.", document=name)
        return Marked((_lost(MissStage.FILE, tr("taken out"), words),), document=name, again=name)
    for figure, words, again in _in_folder(store, name):
        return Marked((_lost(MissStage.FILE, figure, words),), document=name, again=again)
    called = short(name)
    words = tr("There is no document {name}, and no such file in the folder that was indexed.", name=called)
    return Marked((_lost(MissStage.FILE, tr("not there"), words),), document=called)


def _in_folder(store: Store, name: str) -> Iterator[tuple[str, str, str]]:
    """Figure, words and the file to be read again, for a file of the folder that became no document."""
    folder, parts = store.settings.get("folder"), Path(name).parts
    if not folder or ".." in parts or Path(name).is_absolute():
        return
    path = path_from_text(folder) / name
    try:
        there, linked = path.is_file(), path.is_symlink()
    except OSError:
        return
    if linked:
        yield tr("a link"), tr("{name} is a link; links out of the folder are not followed.", name=name), ""
    elif there and any(left_out(part) for part in parts):
        words = tr("{name} is left out: hidden, a lock file, or half written.", name=name)
        yield tr("left out"), words, ""
    elif there:
        words = tr("{name} lies in the folder and was not indexed yet: index again.", name=name)
        yield tr("not indexed"), words, name


def _within(store: Store, corpus: Corpus | None, document: Document, mark: MissMark) -> Marked:
    """The passages of a document that hold the words, wherever; all of them where none are marked."""
    text = store.documents.text(document.id)
    every = tuple(stored.passage for stored in store.passages.of_document(document.id))
    if mark.end <= mark.start and not mark.quote.strip():
        return _indexed(store, corpus, document, every, text)
    places = _places(text, mark)
    if not places:
        words = tr(
            "{document} was read, but these words do not stand in its text: they may be worded otherwise, or stand in "
            "a picture or on a page without text.",
            document=document.path,
        )
        step = _lost(MissStage.PASSAGE, tr("not in the text"), words)
        return Marked((_read(document), step), document=document.path, quote=short(mark.quote))
    start, end = places[0]
    matching = tuple(each for each in every if any(a < each.end and each.start < b for a, b in places))
    if not matching:
        words = _outside(store, document, start, end)
        step = _lost(MissStage.PASSAGE, tr("in no passage"), words)
        return Marked((_read(document), step), document=document.path, quote=short(text[start:end]))
    return replace(_indexed(store, corpus, document, matching, text[start:end]), places=places)


def _places(text: str, mark: MissMark) -> Places:
    """Where the marked words stand; else where they do but for marks between them, as in a file's source or a table."""
    return _word_for_word(text, mark) or _in_order(text, mark.quote)


def _word_for_word(text: str, mark: MissMark) -> Places:
    """However they are broken into lines."""
    words = r"\s+".join(map(re.escape, mark.quote.split()))
    if mark.end > mark.start and (not words or re.fullmatch(words, text[mark.start : mark.end].strip())):
        return ((mark.start, mark.end),) if mark.start < len(text) else ()
    for flags in (re.NOFLAG, re.IGNORECASE) if words else ():
        if found := tuple(each.span() for each in islice(re.finditer(words, text, flags), _MOST)):
            return found
    return ()


def _in_order(text: str, quote: str) -> Places:
    """The first place with all words of a quotation in their order and few others between."""
    wanted = [found.casefold() for found in _WORD.findall(quote)]
    if not 0 < len(wanted) <= _LONGEST:
        return ()
    words = list(_WORD.finditer(text))
    folded = [found.group().casefold() for found in words]
    for first in (at for at, word in enumerate(folded) if word == wanted[0]):
        last = first
        for word in wanted[1:]:
            nearby = folded[last + 1 : last + 2 + _BETWEEN]
            if word not in nearby:
                break
            last += 1 + nearby.index(word)
        else:
            return ((words[first].start(), words[last].end()),)
    return ()


def _outside(store: Store, document: Document, start: int, end: int) -> str:
    kinds = {block.kind for block in store.documents.blocks(document.id, start, end)}
    if BlockKind.BOILERPLATE in kinds:
        return tr(
            "Taken for what only stands around a page: a menu, a share bar, a notice. Such parts are in no passage, "
            "and no setting changes that; the same words in a text of their own would be read."
        )
    return tr("These words stand between passages: none holds them.")


def _indexed(
    store: Store, corpus: Corpus | None, document: Document, passages: tuple[Passage, ...], quote: str
) -> Marked:
    """Those of the passages that questions can find."""
    steps = (_read(document), _check_passages(passages))
    marked_as = partial(Marked, document=document.path, quote=short(quote))
    if not passages:
        return marked_as(steps, again=document.file)
    inside = set(corpus.passage_ids) if corpus is not None else set()
    known = tuple(passage for passage in passages if passage.id in inside)
    if known:
        words = tr("Its vector and its words are in the index.")
        return marked_as((*steps, MissStep(MissStage.INDEX, StepState.PASSED, "", words)), known)
    ids = {passage.id for passage in passages}
    failed = [each for each in store.failures.all([document.id]) if each.passage_id in ids]
    if failed:
        words = tr("The stage {stage} failed: {reason}", stage=failed[0].stage, reason=failed[0].reason)
    elif store.candidates.passages() is not None:
        words = tr("Only passages with approved facts are searched now, and nothing of this one is approved.")
    else:
        words = tr("Its vector is still missing: indexing was stopped before it. Index again.")
    step = _lost(MissStage.INDEX, tr("not searched"), words)
    return marked_as((*steps, step), again=document.file if failed else "")


def _read(document: Document) -> MissStep:
    words = tr("{document} was read as {kind}.", document=document.path, kind=document.media_type)
    return MissStep(MissStage.FILE, StepState.PASSED, "", words)


def _check_passages(passages: tuple[Passage, ...]) -> MissStep:
    if not passages:
        words = tr("The document has no text that became a passage.")
        return _lost(MissStage.PASSAGE, tr("no passage"), words)
    count = len(passages)
    words = trn("{count} passage holds what is marked.", "{count} passages hold what is marked.", count)
    return MissStep(MissStage.PASSAGE, StepState.PASSED, f"{count:,}", words)


def _lost(stage: MissStage, figure: str, words: str) -> MissStep:
    return MissStep(stage, StepState.LOST, figure, words)


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE else f"{line[:_QUOTE].rstrip()}…"


def why_missed(
    store: Store,
    asker: Callable[[], Asker],
    config: Config,
    question: str,
    mark: MissMark,
    context: TaskContext,
    route: str = "auto",
    k: int = 5,
    generator: str = "extractive",
    scope: Scope = EVERYTHING,
) -> Miss:
    """Raises BadInput for a mark that means nothing, and as `Asker.ask`."""
    try:
        over = asker()
    except NothingIndexed:
        over = None
    found = marked(store, over.view.corpus if over is not None else None, mark)
    if not found.passages or over is None:
        return _unsearched(question, mark, found, route, k, generator)
    if not scope.all:
        selection = restrict_to_scope(store, scope, over.view.corpus.graph.passage_keys)
        inside = store.passages.by_keys(selection.keys.tolist())
        passages = {stored.passage.id for stored in inside} & {passage.id for passage in found.passages}
        step = _scope_step(selection, bool(passages))
        found = replace(found, steps=(*found.steps, step))
        if not passages:
            missed = _unsearched(question, mark, found, route, k, generator)
            return replace(missed, passage_id=found.passages[0].id, scope=scope)
        over = over.restrict_to(scope)
        found = replace(found, passages=tuple(each for each in found.passages if each.id in passages))
    diagnosis = look(over, question, context, route, k, generator)
    passage = furthest(diagnosis, found.passages)
    at = passage_ranks(store, over, diagnosis, passage, context)
    place = place_in(passage, found.places, diagnosis.answer)
    words = words_at(store, passage, place)
    lost, why, steps = judged(diagnosis, at, passage.id, config, words)
    return Miss(
        question,
        route,
        k,
        generator,
        mark,
        lost,
        why,
        (*found.steps, *steps),
        passage.id,
        found.document,
        found.quote if words is None else short(words.text),
        at,
        attach_support(store, diagnosis.answer),
        scope=scope,
        place=place,
    )


def _scope_step(selection: ScopedPassages, inside: bool) -> MissStep:
    words = tr("Only this was looked in: {scope}.", scope=selection.found.words)
    figure = f"{selection.found.taken:,}/{selection.found.count:,}"
    return MissStep(MissStage.SCOPE, StepState.PASSED if inside else StepState.LOST, figure, words)


def _unsearched(question: str, mark: MissMark, found: Marked, route: str, k: int, generator: str) -> Miss:
    last = found.steps[-1]
    return Miss(
        question,
        route,
        k,
        generator,
        mark,
        last.stage,
        verdict_words(last.stage),
        found.steps,
        "",
        found.document,
        found.quote,
        PassageRanks(),
        None,
        found.again,
    )


def effect_on_pins(store: Store, before: Asker, now: Asker, route: str, context: TaskContext) -> MissPins:
    """All pinned questions asked of both; `route` "" leaves each its own, else it is forced where none is."""
    pins = store.pins.all()
    total = 2 * len(pins)
    was = _asked(store, pins, before, "", 0, total, context)
    return MissPins(len(pins), affected(was, _asked(store, pins, now, route, len(pins), total, context)))


def _asked(
    store: Store, pins: list[Pin], asker: Asker, route: str, first: int, total: int, context: TaskContext
) -> dict[str, PinAnswer]:
    found = {}
    for at, pin in enumerate(pins, start=first):
        context.report("questions", at, total)
        way = route if route and pin.route == "auto" else pin.route
        answer = attach_support(store, asker.ask(pin.question, context, way, ASKED))
        found[pin.id] = result_of(store, pin, answer), evidence_of(answer)
    context.report("questions", first + len(pins), total)
    return found
