"""What a stage recorded, as tables: one function a kind of record, which say what they hold and no more."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from app.answers.claims import LOOKS
from app.answers.wording import percent
from app.explain.rounds import check_name
from app.explain.tables import (
    FIGURE,
    RANK,
    Labels,
    Section,
    document_column,
    list_name,
    move_column,
    number_column,
    passage_column,
    rank_column,
    ranking_columns,
    rejected_column,
    seed_columns,
    title_of,
)
from app.look.counting import listed
from app.look.translation import tr, trn
from app.widgets.table import Column
from core.types import StageData
from core.types.stages import (
    Checked,
    ChosenStatements,
    Explanations,
    Gated,
    GatheredPassages,
    Integration,
    Joined,
    NearFacts,
    Packing,
    QuestionRead,
    Ranked,
    Reading,
    Reordered,
    ScopeCoverage,
    SecondStageOrder,
    SeedCandidates,
)

# What the reader calls a kind of answer.
KINDS = {"span": tr("words"), "yes": tr("yes"), "no": tr("no"), "sentences": tr("sentences"),
         "none": tr("not told"), "several": tr("a list")}  # fmt: skip
SCOPE_KINDS = {"entity": tr("entity"), "document": tr("document"), "community": tr("community"),
               "dates": tr("dates")}  # fmt: skip
FORMS = {"who": tr("who"), "when": tr("when"), "where": tr("where"), "how many": tr("how many"),
         "which": tr("which"), "what": tr("what"), "yes or no": tr("yes or no"),
         "other": tr("in another form")}  # fmt: skip
# Where what was distilled for a model comes from.
PLACES = {"fact": tr("fact"), "community": tr("community"), "entity": tr("entity"), "passage": tr("passage")}
# What the second stage knows of a passage.
SIGNALS = {
    "place": tr("Place in the first stage"),
    "cosine": tr("Nearness in meaning"),
    "cosine_share": tr("Nearness, as a share of the nearest"),
    "cosine_place": tr("Place by nearness"),
    "sentence": tr("Nearness of its best sentence"),
    "sentence_share": tr("The same, as a share of the nearest"),
    "second_sentence": tr("Nearness of its second sentence"),
    "words": tr("Words of the question in it"),
    "name_words": tr("Words of its names in it"),
    "other_words": tr("Other words of the question in it"),
    "names": tr("Names of the question in it"),
    "title_is_name": tr("Its title is a name of the question"),
    "title_words": tr("Words of its title in the question"),
    "title_in_question": tr("Its title stands in the question"),
    "bridge": tr("Names what a chosen passage names"),
    "question_name": tr("Shares a name of the question with one"),
    "shared": tr("Shares rare names with one"),
    "names_title": tr("Is what a chosen one speaks of, by nearness"),
    "named_title": tr("Is what a chosen one speaks of"),
    "title_named": tr("Speaks of what a chosen one is about"),
    "title_nearness": tr("The same, by nearness"),
    "likeness": tr("Likeness to a chosen one"),
    "new_words": tr("Words that no chosen one holds"),
    "words_left": tr("Words still to be found"),
    "new_name": tr("A name that no chosen one holds"),
    "new_title": tr("A title that is a name still to be found"),
    "title_again": tr("A title that was there before"),
    "step_0": tr("Chosen first"),
    "step_1": tr("Chosen second"),
    "step_2": tr("Chosen third"),
    "step_3": tr("Chosen later"),
}


def sections_of(data: StageData, labels: Labels) -> tuple[Section, ...]:
    """Return the tables of a record; passages are called by `labels`, else by their id."""
    return _SECTIONS[type(data)](data, labels)


def counted_words(data: StageData | None) -> str:
    """`12 of 40 taken`, said as the kind of record has it; "" for none that counts."""
    if isinstance(data, SecondStageOrder):
        return tr("{taken} of {count} moved", taken=data.taken, count=data.count)
    if isinstance(data, Checked):
        return tr("{taken} of {count} hold", taken=data.taken, count=data.count)
    if isinstance(data, Explanations):
        return tr("{taken} of {count} by chains", taken=data.taken, count=data.count)
    if isinstance(data, QuestionRead):
        return trn("{count} word", "{count} words", len(data.words))
    if data is None or isinstance(data, Gated):
        return ""
    return tr("{taken} of {count} taken", taken=f"{data.taken:,}", count=f"{data.count:,}")


def _question(data: QuestionRead, _: Labels) -> tuple[Section, ...]:
    notes = [tr("Asked: {form}", form=FORMS.get(data.form, data.form))]
    if data.focus:
        notes.append(tr("What is asked for: {noun}", noun=data.focus))
    notes.append(tr("Names: {names}", names=listed(data.names)) if data.names else tr("No names"))
    tip = tr("What it adds to the graph's share, in logits")
    columns = (
        Column(tr("Feature"), lambda row: row.words),
        number_column(tr("Value"), lambda row: row.value, 2),
        number_column(tr("Push"), lambda row: row.contribution, 2, tip),
    )
    note = "  \u00b7  ".join(notes)
    return (Section(tr("What moved the route"), columns, data.features, note),)


def _gate(data: Gated, _: Labels) -> tuple[Section, ...]:
    pairs = (
        (tr("Nearest document"), data.document or tr("none")),
        (tr("Its similarity"), f"{data.similarity:.3f}"),
        (tr("Needed"), f"{data.needed:.3f}"),
        (tr("Gate"), tr("shut: nothing is looked for") if data.shut else tr("open")),
    )
    return (Section(tr("The nearest document"), _pair_columns(), pairs),)


def _scope(data: ScopeCoverage, _: Labels) -> tuple[Section, ...]:
    columns = (
        Column(tr("Kept to"), lambda row: row.name),
        Column(tr("Kind"), lambda row: SCOPE_KINDS.get(row.part, row.part)),
        number_column(tr("Passages"), lambda row: row.passages, 0),
        rejected_column(),
    )
    taken = f"{data.taken:,}"
    note = trn("{taken} of {count} passage", "{taken} of {count} passages", data.count, taken=taken)
    return (Section(tr("What was looked in"), columns, data.parts, note),)


def _pair_columns() -> tuple[Column, ...]:
    return Column(tr("What"), lambda pair: pair[0], share=0.5), Column(tr("Value"), lambda pair: pair[1])


def _facts(data: NearFacts, _: Labels) -> tuple[Section, ...]:
    columns = (
        rank_column(
            tr("Chosen"), lambda row: row.rank, tr("Its rank among those from which the walk starts")
        ),
        number_column(tr("Cosine"), lambda row: row.cosine),
        Column(tr("Fact"), lambda row: row.words),
        Column(tr("Told by"), lambda row: row.clause, needs=520),
    )
    return (Section(tr("Nearest facts"), columns, data.facts),)


def _seeds(data: SeedCandidates, labels: Labels) -> tuple[Section, ...]:
    found = [Section(tr("Candidates for seeds"), seed_columns(rejected_column()), data.candidates)]
    if data.sentences:
        near = (
            number_column(tr("Cosine"), lambda row: row.cosine),
            Column(tr("Sentence"), lambda row: _sentence(row, labels), share=1.4),
            Column(tr("Names"), lambda row: tr(", ").join(row.names)),
            rejected_column(0.8),
        )
        found.append(Section(tr("Nearest sentences"), near, data.sentences))
    return tuple(found)


def _sentence(row: Any, labels: Labels) -> str:
    label = labels.get(row.passage_id)
    words = label.sentences.get(row.number, "") if label else ""
    return words or tr(
        "sentence {number} of {passage}", number=row.number + 1, passage=title_of(row.passage_id, labels)
    )


def _ranked(data: Ranked, labels: Labels) -> tuple[Section, ...]:
    note = tr("Searched for: {words}", words=tr(", ").join(data.words)) if data.words else ""
    title = tr("Ranked by {list}", list=list_name(data.name))
    return (Section(title, (*ranking_columns(labels), document_column(labels)), data.hits, note),)


def _joined(data: Joined, labels: Labels) -> tuple[Section, ...]:
    lists = tuple(data.weights)
    heaviest = max(lists, key=data.weights.__getitem__) if lists else ""
    columns = (
        rank_column(tr("Rank"), lambda row: row.rank),
        move_column(
            lambda row: row.ranks.get(heaviest),
            lambda row: row.rank,
            tr("From its rank by {list}, which counts most", list=list_name(heaviest)),
        ),
        *(_rank_by(name) for name in lists),
        number_column(tr("Score"), lambda row: row.score, 4),
        passage_column(labels, 1.4),
        rejected_column(0.7),
    )
    shares = (
        tr("{list} {share}", list=list_name(name), share=percent(share))
        for name, share in data.weights.items()
    )
    note = tr("What each list counts: {shares}", shares=listed(shares))
    return (Section(tr("Before and after joining"), columns, data.passages, note),)


def _rank_by(name: str) -> Column:
    called = list_name(name)
    tip = tr("Its rank by {list}", list=called)
    return rank_column(called[:1].upper() + called[1:], lambda row: row.ranks.get(name), tip, FIGURE)


def _reordered(data: SecondStageOrder, labels: Labels) -> tuple[Section, ...]:
    tip = tr("How likely it was the next evidence when it was chosen, 0 to 1")
    columns = (
        rank_column(tr("Rank"), lambda row: row.after),
        rank_column(tr("Was"), lambda row: row.before, tr("Its rank by the first stage")),
        move_column(lambda row: row.before, lambda row: row.after, tr("From the first stage to the second")),
        number_column(tr("Chance"), lambda row: row.score_after, tip=tip),
        passage_column(labels, 1.4),
        document_column(labels),
    )
    note = tr("The signals of the row with the keyboard stand below.") if data.signals else ""
    return (Section(tr("Before and after the second stage"), columns, data.passages, note),)


def signals_section(data: SecondStageOrder, chosen: Reordered, labels: Labels) -> Section:
    """Return the signals of one candidate beside those of the others."""
    others = [row.values for row in data.passages if len(row.values) == len(data.signals)]
    rows = tuple(
        (SIGNALS.get(name, name), value, median(values[at] for values in others), name)
        for at, (name, value) in enumerate(zip(data.signals, chosen.values, strict=False))
        if others
    )
    columns = (
        Column(tr("Signal"), lambda row: row[0], share=1.4),
        number_column(tr("Value"), lambda row: row[1]),
        number_column(tr("Median"), lambda row: row[2], tip=tr("Of all candidates, each when it was chosen")),
        Column(tr("Called"), lambda row: row[3], needs=520),
    )
    title = tr("Signals of {passage}", passage=title_of(chosen.passage_id, labels))
    return Section(title, columns, rows)


def _gathered(data: GatheredPassages, labels: Labels) -> tuple[Section, ...]:
    columns = (
        passage_column(labels),
        Column(tr("Facts that led to it"), lambda row: tr("; ").join(row.facts), share=1.2),
        Column(tr("Names"), lambda row: tr(", ").join(row.names), share=0.8),
    )
    return (Section(tr("Passages found here first"), columns, data.passages),)


def _packing(data: Packing, labels: Labels) -> tuple[Section, ...]:
    columns = (
        rank_column(tr("Rank"), lambda row: row.rank),
        number_column(tr("Size"), lambda row: row.size, 0, tr("Characters")),
        passage_column(labels, 1.4),
        rejected_column(0.8),
    )
    note = ""
    if data.tokens_in or data.tokens_out:
        note = tr(
            "{tokens_in} tokens in, {tokens_out} out",
            tokens_in=f"{data.tokens_in:,}",
            tokens_out=f"{data.tokens_out:,}",
        )
    title = (
        tr("What the reader is given") if data.to == "reader" else tr("What {model} is given", model=data.to)
    )
    found = [Section(title, columns, data.passages, note)]
    if data.left_out:
        parts = (
            Column(tr("Part"), lambda row: row.name),
            number_column(tr("Tokens"), lambda row: row.tokens, 0),
        )
        found.append(Section(tr("What did not fit into the window"), parts, data.left_out))
    return tuple(found)


def _reading(data: Reading, labels: Labels) -> tuple[Section, ...]:
    answers = (
        Column(tr("Answer"), lambda row: row.text),
        Column(tr("Kind"), lambda row: kind_name(row.answer_kind), width=90),
        _share_column(tr("Right"), lambda row: row.probability, tr("Probability that it is right"), RANK),
        Column(tr("Passage"), lambda row: title_of(next(iter(row.passage_ids), ""), labels), needs=420),
    )
    tip = tr("Logits by which its best words are likelier than that it does not tell")
    passages = (
        passage_column(labels),
        Column(tr("Best words"), lambda row: row.span),
        number_column(tr("Margin"), lambda row: row.margin, 1, tip),
        _share_column(
            tr("Relevant"),
            lambda row: row.relevance,
            tr("Probability that it is about what is asked"),
            FIGURE,
        ),
        Column(
            tr("Says"),
            _says,
            width=110,
            needs=700,
            tip=tr("The likeliest kind of answer, and how likely it is"),
        ),
        rejected_column(1.3),
    )
    return (
        Section(tr("What may be the answer"), answers, data.answers),
        Section(tr("What the reader saw"), passages, data.passages),
    )


def _share_column(title: str, of: Callable[[Any], float], tip: str, width: int) -> Column:
    return Column(title, lambda row: percent(of(row)), of, True, tip, width)


def kind_name(kind: str) -> str:
    return KINDS.get(kind, kind)


def _says(row: Any) -> str:
    return tr("{kind} {share}", kind=kind_name(row.answer_kind), share=percent(row.kind_probability))


def _statements(data: ChosenStatements, labels: Labels) -> tuple[Section, ...]:
    columns = (
        number_column(tr("Weight"), lambda row: row.weight, tip=tr("Its share of what is told, 0 to 1")),
        Column(tr("Sentence"), lambda row: row.words, share=1.6),
        passage_column(labels),
    )
    return (Section(tr("Sentences that were chosen"), columns, data.statements),)


def _explained(data: Explanations, labels: Labels) -> tuple[Section, ...]:
    columns = (
        passage_column(labels),
        Column(tr("Why it was found"), lambda row: row.words, share=1.6),
        number_column(tr("Strength"), lambda row: row.strength, tip=tr("Of its chain of facts, 0 to 1")),
    )
    return (Section(tr("Why each passage was found"), columns, data.passages),)


def _checks(data: Checked, _: Labels) -> tuple[Section, ...]:
    columns = (
        Column(tr("Check"), lambda row: check_name(row), width=110),
        Column(tr("Result"), lambda row: tr("holds") if row.passed else tr("fails"), width=76),
        number_column(tr("Score"), lambda row: row.score, 2),
        Column(tr("What was looked at"), lambda row: row.words),
    )
    note = tr("Answer: {answer}", answer=data.answer) if data.answer else tr("No answer was found.")
    found = [Section(tr("Checks"), columns, data.validations, note)]
    if data.claims:
        claims = (
            Column(tr("Claim"), lambda row: row.text),
            Column(tr("Verdict"), lambda row: LOOKS[row.verdict].word, width=110),
            Column(tr("Why"), lambda row: row.words),
        )
        found.append(Section(tr("Claims"), claims, data.claims))
    return tuple(found)


def _integration(data: Integration, labels: Labels) -> tuple[Section, ...]:
    """By number as they are read; a row leads to its sentence in the reader."""
    columns = (
        rank_column(tr("No."), lambda row: row.number, tr("By which the model cites it")),
        Column(tr("Sentence"), lambda row: row.words, share=1.6),
        Column(
            tr("Of"),
            lambda row: PLACES.get(row.section, row.section),
            width=96,
            tip=tr("A fact, or a sentence that sums up a community, tells of an entity, or was found"),
        ),
        number_column(tr("Tokens"), lambda row: row.tokens, 0, tr("As the encoder counts them")),
        passage_column(labels),
        rejected_column(0.7),
    )
    share = percent(data.after / data.before) if data.before else "\u2013"
    note = trn(
        "{after} of {count} token gathered is read ({share})",
        "{after} of {count} tokens gathered are read ({share})",
        data.before,
        after=f"{data.after:,}",
        share=share,
    )
    return (Section(tr("What the model reads"), columns, data.pieces, note),)


_SECTIONS: dict[type, Callable[[Any, Labels], tuple[Section, ...]]] = {
    QuestionRead: _question,
    Gated: _gate,
    ScopeCoverage: _scope,
    NearFacts: _facts,
    SeedCandidates: _seeds,
    Ranked: _ranked,
    Joined: _joined,
    SecondStageOrder: _reordered,
    GatheredPassages: _gathered,
    Packing: _packing,
    Reading: _reading,
    ChosenStatements: _statements,
    Explanations: _explained,
    Integration: _integration,
    Checked: _checks,
}
