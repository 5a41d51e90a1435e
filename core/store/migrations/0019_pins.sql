-- Questions that a person pinned, with what is expected of their answers. No row points at a document or passage, so
-- that they outlive every indexing.
CREATE TABLE pinned_questions (
    id TEXT PRIMARY KEY, -- of the question in lower case with single blanks
    question TEXT NOT NULL,
    route TEXT NOT NULL, -- 'auto', or the one that the person chose
    right_answer TEXT NOT NULL, -- empty: not known, or, without places, that the documents do not tell
    made TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;
CREATE TABLE pinned_places (
    pin_id TEXT NOT NULL REFERENCES pinned_questions (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path TEXT NOT NULL, -- empty: wherever the quote stands
    sha256 TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    quote TEXT NOT NULL,
    PRIMARY KEY (pin_id, number)
) STRICT, WITHOUT ROWID;
-- Ids of the passages that the last answer rests on.
CREATE TABLE pin_evidence (
    pin_id TEXT NOT NULL REFERENCES pinned_questions (id) ON DELETE CASCADE,
    passage_id TEXT NOT NULL,
    PRIMARY KEY (pin_id, passage_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE pin_runs (
    key INTEGER PRIMARY KEY,
    made TEXT NOT NULL, -- ISO 8601, UTC
    revision INTEGER NOT NULL, -- of the workspace
    settings TEXT NOT NULL -- NAME=VALUE, a line each
) STRICT;
-- As it was then, also of questions that are pinned no more.
CREATE TABLE pin_results (
    run_key INTEGER NOT NULL REFERENCES pin_runs (key) ON DELETE CASCADE,
    pin_id TEXT NOT NULL,
    question TEXT NOT NULL,
    route TEXT NOT NULL,
    score REAL NOT NULL,
    ranks TEXT NOT NULL, -- of each expected place, from 1 or null, as JSON
    answer TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('answer', 'guess', 'refusal')),
    confidence REAL NOT NULL,
    correct REAL, -- 1, .5 for a guess that is right, 0; null where the right answer is not known
    rests_on TEXT NOT NULL,
    PRIMARY KEY (run_key, pin_id)
) STRICT, WITHOUT ROWID;
