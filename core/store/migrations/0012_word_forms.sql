-- Derived: the words that a passage writes in lower case, as a JSON list, and in how many passages each stands so.
-- What the documents mostly write in lower case is a word and no name, however it begins a sentence.
CREATE TABLE lower_words (
    passage_key INTEGER PRIMARY KEY REFERENCES passages (key) ON DELETE CASCADE,
    words TEXT NOT NULL
) STRICT;
CREATE TABLE lower_counts (
    word TEXT PRIMARY KEY,
    passages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- Words whose count changed since names were last labelled.
CREATE TABLE touched_words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TRIGGER lower_words_added AFTER INSERT ON lower_words BEGIN
    INSERT INTO touched_words SELECT value FROM json_each(new.words)
    WHERE NOT EXISTS (SELECT 1 FROM touched_words t WHERE t.word = value);
    INSERT INTO lower_counts SELECT value, 0 FROM json_each(new.words)
    WHERE NOT EXISTS (SELECT 1 FROM lower_counts c WHERE c.word = value);
    UPDATE lower_counts SET passages = passages + 1 WHERE word IN (SELECT value FROM json_each(new.words));
END;
CREATE TRIGGER lower_words_removed AFTER DELETE ON lower_words BEGIN
    INSERT INTO touched_words SELECT value FROM json_each(old.words)
    WHERE NOT EXISTS (SELECT 1 FROM touched_words t WHERE t.word = value);
    UPDATE lower_counts SET passages = passages - 1 WHERE word IN (SELECT value FROM json_each(old.words));
    DELETE FROM lower_counts WHERE passages = 0 AND word IN (SELECT value FROM json_each(old.words));
END;

-- The words of what was read before are not known yet.
UPDATE stages SET state = 'pending' WHERE stage = 'extract' AND state = 'done';
INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1');
