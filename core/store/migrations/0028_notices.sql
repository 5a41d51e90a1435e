-- What was not read of a document, or read by a guess.
CREATE TABLE notices (
    document_key INTEGER NOT NULL REFERENCES documents (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL, -- see NoticeKind
    count INTEGER NOT NULL,
    detail TEXT NOT NULL, -- a name, a place or a value as the file has it
    PRIMARY KEY (document_key, ordinal)
) STRICT, WITHOUT ROWID;
