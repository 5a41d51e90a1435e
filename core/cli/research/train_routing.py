"""`clew research train weights|adapter|scope|selector|hybrid`: learn from question sets what routes and ranks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import click

from core.cli.options import PATH, json_option
from core.cli.output import print_json, say, shown_progress, terminal
from core.cli.research.training import (
    datasets_argument,
    learning,
    limit_option,
    out_option,
    print_trained,
)

Judged = Mapping[str, Mapping[str, float]]  # by corpus


@click.command("weights")
@datasets_argument
@out_option
@limit_option
@json_option
def train_weights(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Learn from DATASET folders what words, meaning and graph count for a question.

    Each holds questions.jsonl beside docs/ or corpus.jsonl. Folders whose names begin alike, up to a hyphen, are of
    one family: the report judges each family by weights that were learned without it.
    """
    from core.research.training.list_weights import fit, left_out
    from core.research.training.routing_examples import collect
    from core.retrieval.routing.weighing import checked_place, write

    place = checked_place(out)
    with learning(datasets, limit, as_json, collect) as (examples, context):
        model, judged = fit(examples, context), left_out(examples, context)
    report = {"measure": "recall@5 of gold documents", "limit": limit, "corpora": judged}
    return print_trained(place, write(place, model, report), report, as_json, lambda: print_scores(judged))


@click.command("adapter")
@datasets_argument
@out_option
@limit_option
@json_option
def train_adapter(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Learn from DATASET folders whether a question is one for the graph, by its own words alone.

    For the composition ea-graphrag-adapter, as EA-GraphRAG trains it: of questions that the reader answers from one
    of meaning and graph and not from the other, where there are a hundred of them, else of those found better by one.
    """
    from core.research.training.adapter import by_answers, fit, left_out
    from core.research.training.routing_examples import collect_routes
    from core.retrieval.routing.adapter import write
    from core.retrieval.routing.weighing import checked_place

    place = checked_place(out)
    with learning(datasets, limit, as_json, collect_routes) as (examples, context):
        adapter, judged = fit(examples, context), left_out(examples, context)
    labels = "answers" if by_answers(examples) else "recall@5 of gold documents"
    report = {"labels": labels, "thresholds": [adapter.low, adapter.high], "limit": limit, "corpora": judged}
    return print_trained(place, write(place, adapter, report), report, as_json, lambda: print_scores(judged))


@click.command("scope")
@out_option
@click.option("--questions", type=PATH, help="Labelled questions; those of Clew.")
@json_option
def train_scope(out: Path, questions: Path | None, as_json: bool) -> int:
    """Train the model that tells questions about all documents, on the dev half of labelled questions."""
    from core.answering.models import Models
    from core.research.training.corpuswide import labelled_questions, scope_trained, trained_on
    from core.retrieval.routing.corpuswide import write
    from core.retrieval.routing.weighing import checked_place

    place = checked_place(out)
    rows = trained_on(labelled_questions(questions) if questions is not None else labelled_questions())
    with shown_progress(as_json) as context:
        trained = scope_trained(rows, Models(), context)
    write(place, trained.model, trained.report)

    def show() -> None:
        for name, value in trained.report.items():
            say(f"{name:<10} {value:g}" if value >= 10 else f"{name:<10} {value:.3f}")

    return print_trained(place, None, trained.report, as_json, show)


@click.command("selector")
@datasets_argument
@out_option
@limit_option
@json_option
def train_selector(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Train which passage to take next on DATASET folders (corpus.jsonl, questions.jsonl).

    The report is written beside the model. To try it: --set retrieval.reranker=FILE.
    """
    from core.research.training.selector_examples import collect, train
    from core.retrieval.routing.weighing import checked_place
    from core.retrieval.selection.model import save_model

    place = checked_place(out)
    with learning(datasets, limit, as_json, collect) as (examples, context):
        model, report = train(examples, context)
    report = {"datasets": [folder.resolve().name for folder in datasets], "limit": limit, **report}
    place.parent.mkdir(parents=True, exist_ok=True)
    report_path = place.with_name(f"{place.stem}-report.json")
    save_model(model, place)
    report_path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return print_trained(place, report_path, report, as_json, lambda: print_recalls(report))


@click.command("hybrid")
@datasets_argument
@limit_option
@json_option
def train_hybrid(datasets: tuple[Path, ...], limit: int, as_json: bool) -> int:
    """Fit lab:hybrid's two weights, cosine and path, to DATASET folders."""
    from core.research.training.routing_examples import weighed_rows
    from core.retrieval.hybrid import fit_weights

    with learning(datasets, limit, as_json, weighed_rows) as (rows, _):
        dense, path = (round(weight, 3) for weight in fit_weights(rows))
    if as_json:
        print_json({"hybrid_dense": dense, "hybrid_path": path, "rows": len(rows)})
    else:
        say(f"dense {dense:.3f}, path {path:.3f}, fitted to {len(rows):,} passages of questions.")
        say(f"To try: --set retrieval.hybrid_dense={dense} --set retrieval.hybrid_path={path}")
    return 0


@click.command("units")
@click.argument("question")
@json_option
def count_units(question: str, as_json: bool) -> int:
    """Count the syntactic units of QUESTION by its dependencies, and by Stanza's trees where they are installed."""
    from core.answering.models import Models
    from core.retrieval.routing.features.constituency import constituency_parser
    from core.retrieval.routing.features.units import UNIT_NAMES, counts, units_of

    own = dict(zip(UNIT_NAMES, counts(units_of(Models().parse(question))), strict=True))
    by_trees = constituency_parser()
    trees = dict(zip(UNIT_NAMES, counts(by_trees(question)), strict=True)) if by_trees is not None else None
    if as_json:
        print_json({"dependencies": own, "trees": trees})
        return 0
    for name, count in own.items():
        say(f"{name:<3} {count:>3}" + ("" if trees is None else f" {trees[name]:>3}"))
    if trees is None:
        say("Stanza's English constituency model is not on this disk: nothing to compare with.")
    return 0


def print_scores(judged: Judged) -> None:
    """What each list finds, and what the weights do that were learned on other families."""
    from core.cli.research.evaluation_tables import plain_table
    from core.config import RoutingConfig

    if not judged:
        say("One family of corpora: there is none to judge by that was not learned from.")
        return
    low = f"{RoutingConfig().low:g}"
    # Of the thresholds that were tried only the one that holds; the report has all.
    columns = dict.fromkeys(name for row in judged.values() for name in row)
    names = [name for name in columns if name.rpartition(" ")[0] not in ("auto", "asked")]
    names += [name for name in (f"auto {low}", f"asked {low}") if name in columns]
    table = plain_table("recall@5; learned: on families of corpora not trained on", ("corpus", *names))
    for corpus, row in judged.items():
        shares = (f"{row[name]:.3f}" if name in row else "" for name in names[1:])
        table.add_row(corpus, f"{row[names[0]]:.0f}", *shares)
    terminal(width=max(100, terminal().width)).print(table)


def print_recalls(report: Mapping[str, object]) -> None:
    """Recall before and after, on questions that were not trained on."""
    from core.cli.research.evaluation_tables import plain_table

    before, after = report["first_stage"], report["cross_validated"]
    assert isinstance(before, dict) and isinstance(after, dict)
    columns = ("questions and first stage", "recall@2", "recall@5", "recall@10")
    table = plain_table("recall on questions not trained on", columns)
    for group, row in before.items():
        table.add_row(group, *(f"{value:.3f} to {after[group][name]:.3f}" for name, value in row.items()))
    terminal(width=max(100, terminal().width)).print(table)
