-- What language models said of a passage, so that nothing is asked twice; it goes with its passage.
CREATE TABLE replies (
    passage_key INTEGER NOT NULL REFERENCES passages (key) ON DELETE CASCADE,
    step TEXT NOT NULL,      -- 'entities', 'triples'
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,    -- version of the prompt
    reply TEXT NOT NULL,     -- valid JSON
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    seconds REAL NOT NULL,
    rejected INTEGER NOT NULL, -- names or triples that the passage does not hold
    PRIMARY KEY (passage_key, step, model, prompt)
) STRICT, WITHOUT ROWID;
