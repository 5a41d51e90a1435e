-- What a person decided of a document that its file does not say, or says wrong. Nothing here points at a document, so
-- that it outlives every indexing.
CREATE TABLE document_choices (
    path TEXT NOT NULL, -- of the document
    name TEXT NOT NULL, -- encoding, date
    value TEXT NOT NULL,
    PRIMARY KEY (path, name)
) STRICT, WITHOUT ROWID;
