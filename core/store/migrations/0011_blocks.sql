-- What the parts of a document are, and the headings under which each passage stands (joined by line breaks).
CREATE TABLE blocks (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    level INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    addressee TEXT NOT NULL,
    time TEXT NOT NULL,
    PRIMARY KEY (document_key, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocks_by_place ON blocks (document_key, start, "end");

ALTER TABLE passages ADD COLUMN headings TEXT NOT NULL DEFAULT '';

DROP TRIGGER passages_added;
CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO passages_text (rowid, title, text) VALUES (
        new.key,
        replace(replace(replace(new.title || char(10) || new.headings, char(173), ''), char(8203), ''), char(8288), ''),
        replace(replace(replace(new.text, char(173), ''), char(8203), ''), char(8288), '')
    );
END;
DROP TRIGGER passages_removed;
CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_text (passages_text, rowid, title, text) VALUES (
        'delete',
        old.key,
        replace(replace(replace(old.title || char(10) || old.headings, char(173), ''), char(8203), ''), char(8288), ''),
        replace(replace(replace(old.text, char(173), ''), char(8203), ''), char(8288), '')
    );
    DELETE FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key = old.key;
END;
