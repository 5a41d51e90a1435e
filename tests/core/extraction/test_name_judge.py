"""The judge of names: what it measures, and what the shipped one says of names that it was not trained on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.extraction.name_judge import (
    KINDS,
    NONE,
    NameUse,
    agree,
    label_of,
    measure,
    pack_judge,
    read_judge,
    shipped_judge,
)
from core.progress import TaskContext


def use(name: str, label: str, **others: object) -> NameUse:
    plain: dict[str, object] = {
        "passages": 3, "lower": {}, "lower_name": 0, "headings": 0.0, "rows": 0.0, "is_speaker": False, "has_fact": True
    }  # fmt: skip
    return NameUse(name, {label: 3}, **{**plain, **others})  # type: ignore[arg-type]


THINGS = (
    use("Renata Holmqvist", "PERSON"),
    use("Lagerkvist Marine Ltd", "ORG"),
    use("Port of Esbjerg", "FAC"),
    use("Dr Ismail Okafor", "PERSON"),
)
OTHERS = (
    use("Withdrawn", "NOUN", rows=1.0, has_fact=False, lower={"withdrawn": 9}, lower_name=9),
    use("Any Other Business", "NOUN", headings=1.0, has_fact=False, lower={"other": 30, "business": 12}),
    use("Date Received", "NOUN", rows=1.0, has_fact=False, lower={"date": 20, "received": 14}),
    use("Yours sincerely", "OTHER", has_fact=False, lower={"yours": 3, "sincerely": 2}),
)


def test_words_of_forms_and_headings_are_no_things(models: Models) -> None:
    uses = [*THINGS, *OTHERS]
    vectors = models.encoder().embed([each.name for each in uses], TaskContext())
    shares = shipped_judge().probabilities(np.array([measure(each) for each in uses]), vectors)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(uses)))
    is_thing = 1 - shares[:, KINDS.index(NONE)]
    assert is_thing[: len(THINGS)].min() > 0.5 > is_thing[len(THINGS) :].max()
    assert [KINDS[row.argmax()] for row in shares[:2]] == ["person", "organisation"]


def test_it_measures_words_in_small_letters_and_places() -> None:
    plain, other = (
        measure(use("Status Report", "ORG")),
        measure(use("Status Report", "ORG", lower={"status": 9})),
    )
    assert plain.shape == (35,) and np.isfinite(plain).all()
    assert (plain != other).sum() == 1  # the mean over its words; "report" stands in none


def test_a_file_of_another_shape_is_no_judge(tmp_path: Path) -> None:
    judge = shipped_judge()
    for broken in (
        replace(judge, weights=judge.weights[:, :-1]),
        replace(judge, kind_weights=judge.kind_weights[:3]),
    ):
        place = tmp_path / "names.safetensors"
        place.write_bytes(pack_judge(broken, {}))
        with pytest.raises(ValueError, match="shape"):
            read_judge(place)
    place.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="cannot be read"):
        read_judge(place)


@pytest.mark.parametrize(
    ("name", "kind", "label"),
    [
        ("GNU General Public License", "product", "WORK_OF_ART"),
        ("Terms of Service", "organisation", "WORK_OF_ART"),
        ("Bill", "person", "PERSON"),
        ("Lisbon", "place", "GPE"),
        ("mhwood", "account", ""),
        ("purchase order", "term", ""),
    ],
)
def test_a_label_is_that_of_the_surest_kind_unless_the_words_say_more(
    name: str, kind: str, label: str
) -> None:
    shares = np.full(len(KINDS), 0.01)
    shares[KINDS.index(kind)] = 0.9
    assert label_of(name, shares) == label
    assert label_of("Lisbon", np.full(len(KINDS), 1 / len(KINDS))) == "", "sure of none"


def test_towns_and_buildings_are_places() -> None:
    assert agree("FAC", "GPE") and agree("LAW", "WORK_OF_ART")
    assert not agree("ORG", "GPE") and not agree("PRODUCT", "WORK_OF_ART")
