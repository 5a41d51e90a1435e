-- Lists of references: where a document's text names the works that it cites. What stands there is found as all else is,
-- but ties nothing together in communities, and is told of in no report.
CREATE TABLE reference_lists (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    PRIMARY KEY (document_key, start)
) STRICT, WITHOUT ROWID;
-- By which rules a text was looked through, and whether it tells in sentences or is a list of rows and points; gone
-- with the text.
CREATE TABLE text_forms (
    document_key INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE,
    rules TEXT NOT NULL,
    sentences INTEGER NOT NULL
) STRICT;
CREATE TRIGGER text_gone AFTER DELETE ON document_texts BEGIN
    DELETE FROM text_forms WHERE document_key = old.document_key;
END;
