"""What people said of names is as the log has it: which are one, what they are called and are, whom mentions mean."""

from __future__ import annotations

from collections.abc import Sequence

from core.store.checks.again import touch_entities, unsettle
from core.store.checks.review import outcomes
from core.store.checks.rule import AGAIN, Found, Ground, Rule, finding
from core.store.name_changes import OF_NAME, text_hash
from core.store.name_subjects import mention_of, override_of
from core.store.review_log import LEAVE, names_of
from core.text.translation import markn, tr, trn

Pair = tuple[str, str]


def _name_verdicts(ground: Ground) -> dict[tuple[str, str], str]:
    """ "same" or "different" by pair of names."""
    found = {names_of(subject): outcome for subject, outcome in outcomes(ground, "names")}
    return {
        pair: verdict for pair, verdict in found.items() if pair is not None and verdict and verdict != LEAVE
    }


def _decisions(ground: Ground) -> Found:
    stored = {
        (one, other): verdict
        for one, other, verdict in ground.rows("SELECT one, other, verdict FROM decisions")
    }
    logged = _name_verdicts(ground)
    bad = [pair for pair in {**stored, **logged} if stored.get(pair) != logged.get(pair)]
    return finding(
        sorted(bad),
        trn("{count} decision", "{count} decisions", len(stored)),
        markn(
            "{count} decision on two names is not as the log has it",
            "{count} decisions on two names are not as the log has them",
        ),
    )


def _decide_again(ground: Ground, pairs: Sequence[tuple[str, str]]) -> None:
    logged = _name_verdicts(ground)
    for pair in pairs:
        ground.connection.execute("DELETE FROM decisions WHERE one = ? AND other = ?", pair)
        if pair in logged:
            now = "strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now')"
            ground.connection.execute(f"INSERT INTO decisions VALUES (?, ?, ?, {now})", (*pair, logged[pair]))
        touch_entities(ground, ground.keys("SELECT key FROM entities WHERE normal IN (?, ?)", *pair))
    unsettle(ground)


def _read_decided(ground: Ground) -> dict[Pair, str]:
    """Value by name and field."""
    found = {
        override_of(subject): outcome
        for prefix in ("entity-name", "entity-type")
        for subject, outcome in outcomes(ground, prefix)
    }
    return {key: value for key, value in found.items() if key is not None and value}


def _check_overrides(ground: Ground) -> Found:
    stored = {
        (normal, field): value for normal, field, value in ground.rows("SELECT * FROM entity_overrides")
    }
    logged = _read_decided(ground)
    bad = {key for key in stored.keys() | logged.keys() if stored.get(key) != logged.get(key)}
    if ground.settled:
        bad |= set(
            ground.rows(
                "SELECT o.normal, o.field FROM entity_overrides o JOIN entities e ON e.normal = o.normal"
                " WHERE o.value <> CASE o.field WHEN 'name' THEN e.name ELSE e.label END"
            )
        )
    return finding(
        sorted(bad),
        trn("{count} name or kind given", "{count} names and kinds given", len(stored)),
        markn(
            "{count} name or kind that somebody gave is not as the log has it",
            "{count} names and kinds that people gave are not as the log has them",
        ),
    )


def _give_again(ground: Ground, keys: Sequence[Pair]) -> None:
    logged = _read_decided(ground)
    for key in keys:
        ground.connection.execute("DELETE FROM entity_overrides WHERE normal = ? AND field = ?", key)
        if key in logged:
            ground.connection.execute("INSERT INTO entity_overrides VALUES (?, ?, ?)", (*key, logged[key]))
        touch_entities(ground, ground.keys("SELECT key FROM entities WHERE normal = ?", key[0]))
    unsettle(ground)


def _split_off(ground: Ground) -> dict[Pair, str]:
    """Sense by name and passage."""
    found = {mention_of(subject): outcome for subject, outcome in outcomes(ground, "mention")}
    return {key: sense for key, sense in found.items() if key is not None and sense}


def _splits(ground: Ground) -> Found:
    """What was split off is kept, and the passages that are meant by it are those that hold the name."""
    stored = {
        (normal, passage): sense for normal, passage, sense in ground.rows("SELECT * FROM split_mentions")
    }
    logged = _split_off(ground)
    bad = {key for key in stored.keys() | logged.keys() if stored.get(key) != logged.get(key)}
    if ground.settled:
        bad |= _misplaced(ground, stored)
    return finding(
        sorted(bad),
        trn("{count} mention split off", "{count} mentions split off", len(stored)),
        markn(
            "{count} mention that somebody split off is not as the log has it",
            "{count} mentions that people split off are not as the log has them",
        ),
    )


def _misplaced(ground: Ground, kept: dict[Pair, str]) -> set[Pair]:
    """Names and passages, told by their texts, where somebody is meant and not kept so, or the other way round."""
    wanted = {
        (passage, *key, kept[key])
        for split in {normal for normal, _ in kept}
        for passage, text in ground.rows(
            f"SELECT DISTINCT p.key, p.text FROM ({OF_NAME}) h JOIN passages p ON p.key = h.passage_key",
            split,
        )
        if (key := (split, text_hash(text))) in kept
    }
    placed = {
        (passage, normal, text_hash(text), sense)
        for passage, normal, text, sense in ground.rows(
            "SELECT p.key, x.normal, p.text, x.sense FROM passage_senses x JOIN passages p ON p.key = x.passage_key"
        )
    }
    return {(normal, passage) for _, normal, passage, _ in placed ^ wanted}


def _split_again(ground: Ground, keys: Sequence[Pair]) -> None:
    logged = _split_off(ground)
    for key in keys:
        ground.connection.execute("DELETE FROM split_mentions WHERE normal = ? AND passage = ?", key)
        if key in logged:
            ground.connection.execute("INSERT INTO split_mentions VALUES (?, ?, ?)", (*key, logged[key]))
    for normal in {normal for normal, _ in keys}:
        ground.connection.execute(
            "INSERT OR IGNORE INTO touched_documents SELECT p.document_key FROM passages p WHERE p.key IN"
            " (SELECT passage_key FROM passage_senses WHERE normal = ?1 UNION SELECT passage_key FROM"
            f" ({OF_NAME}))",
            (normal,),
        )
    unsettle(ground)


RULES = (
    Rule(tr("decisions of people"), _decisions, AGAIN, _decide_again),
    Rule(tr("names and kinds that people gave"), _check_overrides, AGAIN, _give_again),
    Rule(tr("mentions that people split off"), _splits, AGAIN, _split_again),
)
