-- What people said of answers. No row points at a document, so that it outlives every indexing.
CREATE TABLE judged_answers (
    id TEXT PRIMARY KEY, -- of question_key and answer
    question_key TEXT NOT NULL, -- the question in lower case with single blanks
    question TEXT NOT NULL,
    answer TEXT NOT NULL, -- empty: the documents do not tell
    verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong')),
    right_answer TEXT NOT NULL, -- in place of a wrong one; empty: not told
    probability REAL NOT NULL,
    route TEXT NOT NULL,
    forced INTEGER NOT NULL,
    version TEXT NOT NULL,
    made TEXT NOT NULL -- ISO 8601
) STRICT, WITHOUT ROWID;
CREATE INDEX judged_answers_by_question ON judged_answers (question_key);
CREATE TABLE judged_places (
    answer_id TEXT NOT NULL REFERENCES judged_answers (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    quote TEXT NOT NULL,
    PRIMARY KEY (answer_id, number)
) STRICT, WITHOUT ROWID;
