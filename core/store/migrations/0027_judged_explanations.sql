-- What people said of explanations: whether the facts or the sentence by which a passage was found support the answer.
-- Beside judged_answers, and likewise without a row that points at a document, so that it outlives every indexing.
CREATE TABLE judged_explanations (
    question_key TEXT NOT NULL, -- as in judged_answers
    question TEXT NOT NULL,
    answer TEXT NOT NULL, -- empty: the documents do not tell
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    start INTEGER NOT NULL, -- of the marked sentence, or of the passage, in the document's text
    "end" INTEGER NOT NULL,
    quote TEXT NOT NULL,
    facts INTEGER NOT NULL, -- of the chain that was shown; 0: the sentence alone
    supports INTEGER NOT NULL CHECK (supports IN (0, 1)),
    why TEXT NOT NULL, -- a word of the person
    route TEXT NOT NULL,
    version TEXT NOT NULL, -- of Clew
    made TEXT NOT NULL, -- ISO 8601, UTC
    PRIMARY KEY (question_key, answer, path, start, "end")
) STRICT, WITHOUT ROWID;
