"""The signals of the second stage in words."""

from __future__ import annotations

from app.look.translation import tr

_WORDS = {
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


def signal_words(name: str) -> str:
    """A signal as people read it; an unknown one keeps its letters."""
    return _WORDS.get(name, name)
