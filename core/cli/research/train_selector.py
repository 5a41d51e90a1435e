"""`clew research train selector|hybrid`: learn from question sets which passage to take next."""

from __future__ import annotations

import json
from pathlib import Path

import click

from core.cli.output import print_json, say, shown_progress, terminal


@click.command("selector")
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DATASET...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the model goes.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def train_selector(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Train on DATASET folders (corpus.jsonl, questions.jsonl); the report is written beside FILE."""
    from core.answering.models import Models
    from core.errors import BadInput
    from core.research.datasets import read_dataset
    from core.research.training.selector_examples import collect
    from core.research.training.selector_examples import train as learn
    from core.retrieval.selection.model import SUFFIX, save_model

    # Found out before minutes of training.
    if out.suffix != SUFFIX or out.is_dir():
        raise BadInput(f"{out} is no name for a model.", "Let --out end in .safetensors.")
    if not out.parent.is_dir():
        raise BadInput(f"There is no folder {out.parent}.", "Make it first, or choose another place.")
    read = [read_dataset(folder, limit) for folder in datasets]
    models = Models()
    with shown_progress(as_json) as context:
        examples = [example for dataset in read for example in collect(dataset, models, context)]
        try:
            model, report = learn(examples, context)
        except ValueError as error:
            raise BadInput(str(error), "Train on questions whose passages can be found.") from error
    report = {"datasets": [dataset.name for dataset in read], "limit": limit, **report}
    report_path = out.with_name(f"{out.stem}-report.json")
    save_model(model, out)
    report_path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if as_json:
        print_json({"model": str(out), "report": str(report_path), **report})
    else:
        print_report(report)
        say(f"Written: {out} and {report_path}. To try: --set retrieval.reranker={out}")
    return 0


@click.command("hybrid")
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DATASET...")
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def train_hybrid(datasets: tuple[Path, ...], limit: int, as_json: bool) -> int:
    """Fit the hybrid route's two weights, cosine and path, to DATASET folders."""
    from core.answering.models import Models
    from core.research.datasets import read_dataset
    from core.research.training.routing_examples import weighed_rows
    from core.retrieval.hybrid import fit_weights

    read = [read_dataset(folder, limit) for folder in datasets]
    models = Models()
    with shown_progress(as_json) as context:
        rows = [row for dataset in read for row in weighed_rows(dataset, models, context)]
    dense, path = (round(weight, 3) for weight in fit_weights(rows))
    if as_json:
        print_json({"hybrid_dense": dense, "hybrid_path": path, "rows": len(rows)})
    else:
        say(f"dense {dense:.3f}, path {path:.3f}, fitted to {len(rows):,} passages of questions.")
        say(f"To try: --set retrieval.hybrid_dense={dense} --set retrieval.hybrid_path={path}")
    return 0


def print_report(report: dict[str, object]) -> None:
    """Recall before and after, on questions that were not trained on."""
    from rich.table import Table

    table = Table(title="recall on questions not trained on", title_justify="left")
    before, after = report["first_stage"], report["cross_validated"]
    assert isinstance(before, dict) and isinstance(after, dict)
    for name in ("questions and first stage", "recall@2", "recall@5", "recall@10"):
        table.add_column(name, no_wrap=True)
    for group, row in before.items():
        cells = [f"{value:.3f} to {after[group][name]:.3f}" for name, value in row.items()]
        table.add_row(group, *cells)
    terminal(width=max(100, terminal().width)).print(table)
