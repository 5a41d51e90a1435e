"""What was distilled for a language model, sentence by sentence, as a table."""

from __future__ import annotations

from app.answers.wording import percent
from app.look.translation import tr, trn
from app.trace.columns import Labels, number_column, passage_column, rank_column, rejected_column
from app.trace.section import Section
from app.widgets.table import Column
from core.types.stages import Integration

_SECTIONS = {"community": tr("community"), "entity": tr("entity"), "passage": tr("passage")}


def integration_sections(data: Integration, labels: Labels) -> tuple[Section, ...]:
    """By number as they are read; a row leads to its sentence in the reader."""
    columns = (
        rank_column(tr("No."), lambda row: row.number, tr("By which the model cites it")),
        Column(tr("Sentence"), lambda row: row.words, share=1.6),
        Column(
            tr("Of"),
            lambda row: _SECTIONS.get(row.section, row.section),
            width=96,
            tip=tr("Sums up a community, tells of an entity, or stands in a passage that was found"),
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
