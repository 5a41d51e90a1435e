-- Tables with their cells (int32: row, column, start, end in the document's text); columns as a JSON list of names.
CREATE TABLE tables (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    columns TEXT NOT NULL,
    cells BLOB NOT NULL,
    PRIMARY KEY (document_key, ordinal)
) STRICT, WITHOUT ROWID;
