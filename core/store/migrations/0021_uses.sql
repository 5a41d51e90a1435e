-- What the last answers rested on, so that facts that are used are decided on first. Holds no word of a question.
CREATE TABLE recent_evidence (
    answer INTEGER NOT NULL, -- counts up
    id TEXT NOT NULL, -- of a passage that was shown for it, or of an entity that the search began at
    PRIMARY KEY (answer, id)
) STRICT, WITHOUT ROWID;
