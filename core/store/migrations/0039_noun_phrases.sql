-- Noun phrases of each passage, of which the terms are chosen that are entities. Filled when passages are extracted again.
CREATE TABLE noun_phrases (
    passage_key INTEGER PRIMARY KEY REFERENCES passages (key) ON DELETE CASCADE,
    phrases TEXT NOT NULL -- JSON: phrase in small letters and in the singular, start and end of each
) STRICT;
