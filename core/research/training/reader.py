"""Training of the reader on a laptop's processor: repeatable by its seed, resumable after a stop. Slow to import."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from core.errors import BadInput
from core.models.reader_encoding import VERDICTS, Pair, PairEncoder, Text, paired
from core.models.reader_examples import KINDS, Example, Kind
from core.models.reader_network import (
    Outputs,
    Weights,
    forward,
    in_precision,
    initial,
    precision,
    trainable,
)
from core.models.spacy_model import importing
from core.progress import TaskContext
from core.research.training.reader_mix import Item, Mixture
from core.text.translation import tr

with importing:
    import torch
    import torch.nn.functional as F

_POOL = 1_000  # groups that are sorted by length into batches
_PARTS = 2  # of a batch, each learned from by a thread of its own; more would change what is learned
_SAVE_EVERY = 600  # seconds between two states on disk
_FAR = -1e4  # instead of minus infinity, which has no gradient

Tokens = tuple[Pair, list[tuple[int, int]]]  # with the first and last tokens of its answers
Part = tuple[Sequence[Item], Sequence[Tokens]]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to train. `base`: the transformer; `most`: examples of one source in an epoch; `longest`, `batch`: tokens."""

    base: str = "minilm"
    epochs: int = 1
    most: int = 9_000
    rate: float = 3e-4
    warm: float = 0.05  # share of the steps
    decay: float = 0.01
    longest: int = 288
    batch: int = 4_096
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Trained:
    """`steps` of the optimiser and the mean loss of the last hundred; `examples` of each source."""

    weights: Weights
    steps: int
    loss: float
    examples: dict[str, int]


def train(
    examples: Sequence[Example], plan: Plan, folder: Path, context: TaskContext, start: Weights | None = None
) -> Trained:
    """Train a reader; a state in `folder` of the same plan and examples is resumed.

    `start`: weights of an earlier training; None for those of the encoder. Raises BadInput without examples, or
    where the folder's state belongs to another training; Cancelled.
    """
    if not examples:
        raise BadInput(
            tr("There is nothing to learn from."),
            tr("Give reading sets: files with a question and its text a line."),
        )
    mixture = Mixture(examples, plan.most)
    encoder = PairEncoder()
    epochs = [mixture.epoch(plan.seed + number) for number in range(plan.epochs)]
    batches = [
        batch for number, items in enumerate(epochs) for batch in _batches(items, plan, plan.seed + number)
    ]
    torch.manual_seed(plan.seed)
    weights = dict(start) if start is not None else initial(plan.seed, plan.base)
    names = trainable(weights)
    for name in names:
        weights[name].requires_grad_()
    optimiser = _optimiser([weights[name] for name in names], plan.decay)
    stamp = json.dumps(asdict(plan) | {"examples": len(examples), "steps": len(batches)}, sort_keys=True)
    done, losses = _resumed(folder, stamp, weights, optimiser, names)
    wanted = precision()
    frozen = in_precision({name: tensor for name, tensor in weights.items() if name not in names}, wanted)
    saved = time.monotonic()

    def gradients_of(part: Part) -> tuple[float, tuple[torch.Tensor, ...]]:
        batch, pairs = part
        current = frozen | {name: weights[name].to(wanted) for name in names}
        loss = _loss(forward(current, [pair for pair, _ in pairs]), pairs, batch)
        own = [weights[name] for name in names]
        return float(loss.detach()), torch.autograd.grad(loss, own, materialize_grads=True)

    # Threads that share each operation wait for one another wherever another program runs.
    with ThreadPoolExecutor(_PARTS, initializer=torch.set_num_threads, initargs=(1,)) as threads:
        for step in range(done, len(batches)):
            message = f"loss {np.mean(losses[-100:]) if losses else 0:.3f}"
            context.report("training", step, len(batches), message)
            for group in optimiser.param_groups:
                group["lr"] = plan.rate * _share(step, len(batches), plan.warm)
            items = _pairs(batches[step], encoder, plan, step)
            found = list(threads.map(gradients_of, _split_batch(batches[step], items)))
            for at, name in enumerate(names):
                weights[name].grad = torch.stack([gradients[at] for _, gradients in found]).mean(0)
            torch.nn.utils.clip_grad_norm_([weights[name] for name in names], 1.0)
            optimiser.step()
            losses.append(float(np.mean([loss for loss, _ in found])))
            if time.monotonic() - saved > _SAVE_EVERY:
                saved = time.monotonic()
                _keep(folder, stamp, step + 1, losses, weights, optimiser, names)
    trained = {name: tensor.detach() for name, tensor in weights.items()}
    return Trained(trained, len(batches), float(np.mean(losses[-100:])), mixture.counts())


def _split_batch(batch: Sequence[Item], pairs: Sequence[Tokens]) -> Iterator[Part]:
    """Split a batch into parts of about as many tokens, one for each thread; texts of one question stay together."""
    total = sum(len(pair.ids) for pair, _ in pairs)
    first, tokens, parts = 0, 0, 1
    for at, (pair, _) in enumerate(pairs):
        same = at and batch[at].group >= 0 and batch[at].group == batch[at - 1].group
        if not same and tokens * _PARTS >= total * parts:
            yield batch[first:at], pairs[first:at]
            first, parts = at, parts + 1
        tokens += len(pair.ids)
    yield batch[first:], pairs[first:]


def _optimiser(tensors: Sequence[torch.Tensor], decay: float) -> torch.optim.AdamW:
    """Return the optimiser; biases and norms are not decayed. Loshchilov and Hutter 2019."""
    matrices = {"params": [tensor for tensor in tensors if tensor.dim() > 1], "weight_decay": decay}
    others = {"params": [tensor for tensor in tensors if tensor.dim() <= 1], "weight_decay": 0.0}
    return torch.optim.AdamW([matrices, others], lr=0)


def _pairs(
    batch: Sequence[Item], encoder: PairEncoder, plan: Plan, step: int
) -> list[tuple[Pair, list[tuple[int, int]]]]:
    """Return each item's tokens with its answers; windows have their own random state, so that a resumed training
    repeats.
    """
    chances = (random.Random(f"{plan.seed} {step} {number}") for number in range(len(batch)))
    return [_pair(item, encoder, plan.longest, chance) for item, chance in zip(batch, chances, strict=True)]


def _share(step: int, steps: int, warm: float) -> float:
    """Return the share of the full rate: linear warm-up, linear decay."""
    first = max(1, round(steps * warm))
    return (step + 1) / first if step < first else (steps - step) / max(1, steps - first)


def _batches(groups: Sequence[Sequence[Item]], plan: Plan, seed: int) -> list[list[Item]]:
    """Batch groups of similar length, up to `plan.batch` tokens, in random order."""
    found: list[list[Item]] = []
    for begin in range(0, len(groups), _POOL):
        pool = groups[begin : begin + _POOL]
        lengths = [sum(_length(item, plan) for item in group) for group in pool]
        batch: list[Item] = []
        tokens = 0
        for at in sorted(range(len(pool)), key=lambda at: lengths[at] / len(pool[at])):
            if batch and tokens + lengths[at] > plan.batch:
                found.append(batch)
                batch, tokens = [], 0
            batch.extend(pool[at])
            tokens += lengths[at]
        if batch:
            found.append(batch)
    random.Random(seed).shuffle(found)
    return found


def _length(item: Item, plan: Plan) -> int:
    """Estimate the length: a token has some four characters; exact counts would need a second pass over every text."""
    return min(plan.longest, 20 + (len(item.asked) + len(item.text)) // 4)


def _pair(
    item: Item, encoder: PairEncoder, longest: int, chance: random.Random
) -> tuple[Pair, list[tuple[int, int]]]:
    """Return the item's tokens, or a window of them around an answer, and the first and last tokens of the answers."""
    (text,) = encoder.texts([item.text], [item.headings])
    head = encoder.head(item.asked, item.title)
    room = longest - len(head[0]) - 1
    spans = list(_token_spans(text, item.spans))
    first = 0
    if len(text.ids) > room:
        low, high = 0, len(text.ids) - room
        if spans:
            start, end = chance.choice(spans)
            low, high = max(0, min(end + 1 - room, high)), min(start, high)
        first = chance.randint(min(low, high), high)
    pair = paired(head, text, first, first + room)
    inside = [(a - first, min(b - first, room - 1)) for a, b in spans if first <= a < first + room]
    return pair, [(pair.begin + a, pair.begin + b) for a, b in inside]


def _token_spans(text: Text, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in spans:
        inside = np.flatnonzero((text.ends > start) & (text.starts < end))
        if len(inside):
            yield int(inside[0]), int(inside[-1])


def _loss(
    out: Outputs, pairs: Sequence[tuple[Pair, list[tuple[int, int]]]], items: Sequence[Item]
) -> torch.Tensor:
    """Return the sum of the cross-entropies of all heads, each a mean over the pairs that it learns from."""
    spans: list[torch.Tensor] = []
    inside: list[torch.Tensor] = []
    for (pair, answers), item, first in zip(pairs, items, out.firsts, strict=True):
        if item.kind is None:
            continue
        places = range(first, first + len(pair.ids))
        own = slice(places.start, places.stop)
        if item.kind is Kind.NONE:
            spans.append(_of_places(out.start[own], pair, [0]) + _of_places(out.end[own], pair, [0]))
        elif answers:
            starts, ends = ([answer[side] for answer in answers] for side in (0, 1))
            spans.append(_of_places(out.start[own], pair, starts) + _of_places(out.end[own], pair, ends))
        if answers or item.kind is Kind.NONE:
            wanted = torch.zeros(len(pair.ids))
            for start, end in answers:
                wanted[start : end + 1] = 1.0
            inside.append(F.binary_cross_entropy_with_logits(out.inside[own], wanted))
    parts = [0.5 * _mean(spans), 0.5 * _mean(inside), 0.5 * _mean(list(_competing(out, pairs, items)))]
    kinds = [(row, KINDS.index(item.kind)) for row, item in enumerate(items) if item.kind is not None]
    parts.append(_classes(out.kind, kinds))
    relevant = [(row, float(item.relevance)) for row, item in enumerate(items) if item.relevance is not None]
    if relevant:
        rows, labels = zip(*relevant, strict=True)
        parts.append(F.binary_cross_entropy_with_logits(out.relevance[list(rows)], torch.tensor(labels)))
    claims = [
        (row, VERDICTS.index(item.support)) for row, item in enumerate(items) if item.support is not None
    ]
    parts.append(0.5 * _classes(out.support, claims))
    return torch.stack(parts).sum()


def _competing(
    out: Outputs, pairs: Sequence[tuple[Pair, list[tuple[int, int]]]], items: Sequence[Item]
) -> Iterator[torch.Tensor]:
    """Let the texts of each question compete: minus log of the probability of the right places among the places of
    all of them, each relative to its text's "not here" (Clark and Gardner 2018, 3.3).
    """
    groups: dict[int, list[int]] = {}
    for row, item in enumerate(items):
        if item.group >= 0:
            groups.setdefault(item.group, []).append(row)
    for rows in groups.values():
        if len(rows) == 1 or not any(pairs[row][1] for row in rows):
            continue
        for side, logits in enumerate((out.start, out.end)):
            every: list[torch.Tensor] = []
            right: list[torch.Tensor] = []
            for row in rows:
                pair, answers = pairs[row]
                first = out.firsts[row]
                every.append(logits[first + pair.begin : first + len(pair.ids) - 1] - logits[first])
                if answers:
                    right.append(logits[[first + answer[side] for answer in answers]] - logits[first])
            yield torch.cat(every).logsumexp(0) - torch.cat(right).logsumexp(0)


def _of_places(logits: torch.Tensor, pair: Pair, places: Sequence[int]) -> torch.Tensor:
    """Return minus log of the total probability of all right places (Clark and Gardner 2018, 3.2)."""
    allowed = torch.full_like(logits, _FAR)
    allowed[0] = 0.0
    allowed[pair.begin : -1] = 0.0
    scores = logits + allowed
    return scores.logsumexp(0) - scores[list(places)].logsumexp(0)


def _classes(logits: torch.Tensor, wanted: Sequence[tuple[int, int]]) -> torch.Tensor:
    if not wanted:
        return logits.sum() * 0.0
    rows, labels = zip(*wanted, strict=True)
    return F.cross_entropy(logits[list(rows)], torch.tensor(labels))


def _mean(losses: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.stack(list(losses)).mean() if losses else torch.zeros(())


def _keep(
    folder: Path,
    stamp: str,
    step: int,
    losses: list[float],
    weights: Weights,
    optimiser: torch.optim.Optimizer,
    names: Sequence[str],
) -> None:
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    state = {f"weight {name}": weights[name].detach() for name in names}
    for name in names:
        for part in ("exp_avg", "exp_avg_sq"):
            state[f"{part} {name}"] = optimiser.state[weights[name]][part]
    metadata = {"stamp": stamp, "step": str(step), "losses": json.dumps(losses[-100:])}
    save_file(state, str(folder / "state.new"), metadata)
    os.replace(folder / "state.new", folder / "state.safetensors")


def _resumed(
    folder: Path, stamp: str, weights: Weights, optimiser: torch.optim.Optimizer, names: Sequence[str]
) -> tuple[int, list[float]]:
    """Restore the saved state; return the steps that are done, and the last losses."""
    from safetensors import safe_open

    path = folder / "state.safetensors"
    if not path.is_file():
        return 0, []
    with safe_open(str(path), framework="pt") as state, torch.no_grad():
        metadata = state.metadata()
        if metadata.get("stamp") != stamp:
            raise BadInput(
                tr("{folder} holds another training.", folder=folder),
                tr("Take that folder away, or train into another file."),
            )
        for name in names:
            weights[name].copy_(state.get_tensor(f"weight {name}"))
            optimiser.state[weights[name]] = {
                "step": torch.tensor(float(metadata["step"])),
                **{part: state.get_tensor(f"{part} {name}") for part in ("exp_avg", "exp_avg_sq")},
            }
    return int(metadata["step"]), list(json.loads(metadata["losses"]))
