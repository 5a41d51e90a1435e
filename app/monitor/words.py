"""What is told of questions over time, of links and of drift, in words and as tables."""

from __future__ import annotations

from datetime import date, datetime

from PySide6.QtCore import QObject

from app.answers.wording import duration, percent, route_name
from app.look.counting import calendar_day
from app.look.translation import tr, trn
from app.widgets.table import Column, RecordTable
from core.types import (
    AskedTogether,
    Drift,
    ExplanationSums,
    GraphUpdate,
    LinkedMention,
    LinkingSample,
    Monitoring,
    kind_words,
)

_SEPARATOR = "  \u00b7  "
_NON_ROUTE_NAMES = {"none": tr("Nothing about it"), "table": tr("From a table")}
VERDICTS = {"right": tr("\u2713 right"), "wrong": tr("\u2717 wrong"), "": tr("not judged")}


def way_name(route: str) -> str:
    """A route, and what took none, as people call it."""
    return _NON_ROUTE_NAMES.get(route) or route_name(route)


def day_words(begin: str) -> str:
    return calendar_day(date.fromisoformat(begin))


def buckets_table(parent: QObject | None = None) -> RecordTable:
    def of(number: float) -> str:
        return f"{number:.1f}"

    return RecordTable(
        (
            Column(tr("From"), lambda one: day_words(one.begin), lambda one: one.begin, width=148),
            Column(tr("Questions"), lambda one: f"{one.count:,}", lambda one: one.count, True, width=84),
            Column(tr("Routes"), routes_words, share=1.6),
            Column(
                tr("Median"), lambda one: duration(one.median), lambda one: one.median, True,
                tr("Half of the answers took no longer"), 76, needs=560,
            ),
            Column(
                tr("95 %"), lambda one: duration(one.slow), lambda one: one.slow, True,
                tr("19 of 20 answers took no longer"), 76, needs=560,
            ),
            Column(
                tr("Not told"), lambda one: percent(one.refused), lambda one: one.refused, True,
                tr("Share of questions that the documents do not tell"), 76, needs=660,
            ),
            Column(
                tr("Guesses"), lambda one: percent(one.guessed), lambda one: one.guessed, True,
                tr("Share of answers below the bar"), 76, needs=660,
            ),
            Column(
                tr("Documents"), lambda one: of(one.documents), lambda one: one.documents, True,
                tr("That the passages of an answer are from, on the mean"), 90, needs=860,
            ),
            Column(
                tr("Communities"), lambda one: of(one.communities), lambda one: one.communities, True,
                tr("That the passages of an answer are from, on the mean"), 100, needs=860,
            ),
            Column(
                tr("Tokens"), lambda one: f"{one.tokens:,.0f}", lambda one: one.tokens, True,
                tr("Of the passages shown, estimated, and read by a language model, on the mean"), 76, needs=980,
            ),
        ),
        parent,
    )  # fmt: skip


def updates_table(parent: QObject | None = None) -> RecordTable:
    return RecordTable(
        (
            Column(tr("When"), lambda one: _when(one.made), lambda one: one.made, width=200),
            Column(
                tr("Changed"), _update_share, lambda one: one.share, True,
                tr("Share of the facts, since communities and places were made anew"), 92,
            ),
            Column(tr("Facts"), lambda one: f"{one.facts:,}", lambda one: one.facts, True, width=84, needs=420),
            Column(tr("What was done"), _done),
        ),
        parent,
    )  # fmt: skip


def routes_words(one: AskedTogether) -> str:
    """`Graph 61 %, Fusion 30 %`, the most taken first."""
    return tr(", ").join(
        tr("{route} {share}", route=way_name(route), share=percent(one.share(route)))
        for route, _ in one.routes
    )


def sums_words(found: AskedTogether) -> str:
    parts = [
        trn("{count} question since {day}", "{count} questions since {day}", found.count,
            day=day_words(found.begin)),
        tr("median {time}", time=duration(found.median)),
        tr("95 % within {time}", time=duration(found.slow)),
        tr("{share} not told", share=percent(found.refused)),
        tr("{share} guesses", share=percent(found.guessed)),
        tr("documents behind an answer: {documents}, communities: {communities}",
           documents=f"{found.documents:.1f}", communities=f"{found.communities:.1f}"),
    ]  # fmt: skip
    if found.own:
        parts.append(tr("{share} by the adopted composition", share=percent(found.own)))
    return _SEPARATOR.join(parts)


def explanations_words(found: ExplanationSums) -> str:
    """`75 % of 12 judged explanations support the answer`; "" where none was judged."""
    if not found.count:
        return ""
    summary = trn(
        "{share} of {count} judged explanation supports its answer, between {low} and {high} with 95 % confidence",
        "{share} of {count} judged explanations support their answers, between {low} and {high} with 95 % confidence",
        found.count, share=percent(found.supporting / found.count), low=percent(found.low), high=percent(found.high),
    )  # fmt: skip
    if not found.chains:
        return summary
    chains = trn(
        "of these {supporting} of {count} by a chain of facts",
        "of these {supporting} of {count} by chains of facts",
        found.chains,
        supporting=found.chains_supporting,
    )
    return tr("{told}; {chains}", told=summary, chains=chains)


def one_sided_words(found: Monitoring) -> str:
    """What to do where one route takes nearly all; "" where none does."""
    if not found.one_sided:
        return ""
    return tr(
        "\u26a0 {share} of the questions whose route nobody chose went one way: {route}. If others would do as well, "
        "compare the ways in the lab, or move the thresholds in the dials.",
        share=percent(found.one_sided_share),
        route=way_name(found.one_sided),
    )


def bucket_words(one: AskedTogether) -> str:
    """One bar, for a tooltip and for who hears it."""
    count = trn("{count} question", "{count} questions", one.count)
    return tr("{day}: {count}, {routes}", day=day_words(one.begin), count=count, routes=routes_words(one))


# ------------------------------------------------------------ links


def accuracy_words(found: LinkingSample) -> str:
    if not found.judged:
        return tr("None is judged yet: is the marked name the entity that it is linked to?")
    share = percent(found.right / found.judged)
    return trn(
        "{share} right of {count} judged link, between {low} and {high} with 95 % confidence",
        "{share} right of {count} judged links, between {low} and {high} with 95 % confidence",
        found.judged,
        share=share,
        low=percent(found.low),
        high=percent(found.high),
    )


def link_words(mention: LinkedMention) -> str:
    """`Calder Reach Trading Ltd, organisation; also Calder Reach`."""
    words = tr("{name}, {kind}", name=mention.entity, kind=kind_words(mention.label))
    if not mention.others:
        return words
    return tr("{link}; also {others}", link=words, others=tr(", ").join(mention.others))


def mention_words(mention: LinkedMention) -> str:
    start, end = mention.mark
    return mention.sentence[start:end]


# ------------------------------------------------------------ drift


def drift_words(found: Drift) -> str:
    """How far all moved since the communities were made anew, and what that means."""
    limit = percent(found.limit)
    facts = tr(
        "{share} of the facts changed since communities and map were made anew ({changed} of {facts}). "
        "An update that brings this above {limit} makes them anew; below that only what changed moves.",
        share=percent(found.facts_share), changed=found.facts_changed, facts=found.facts, limit=limit,
    )  # fmt: skip
    if not found.known:
        return "\n".join((facts, tr("Of which documents they were made was not kept then.")))
    moved = tr(
        "{share} of the documents are not as they were then: {added} came, {changed} changed, {removed} went.",
        share=percent(found.share), added=found.added, changed=found.changed, removed=found.removed,
    )  # fmt: skip
    return "\n".join((moved, facts))


def drift_advice(found: Drift) -> str:
    """What to do; "" for nothing."""
    if found.known and found.share > found.limit:
        return tr(
            "\u26a0 More than {limit} of the documents changed, and communities only followed. "
            "Run the pinned questions to see whether answers did, too.",
            limit=percent(found.limit),
        )
    return ""


def _update_share(update: GraphUpdate) -> str:
    return tr("{share} %", share=f"{update.share * 100:.1f}")


def _done(update: GraphUpdate) -> str:
    if update.anew:
        return tr("\u25c6 communities and map made anew")
    return tr("only what changed moved")


def _when(made: str) -> str:
    moment = datetime.fromisoformat(made).astimezone()
    return tr("{day}, {time}", day=calendar_day(moment.date()), time=f"{moment:%H:%M}")
