-- What people keep private, under the name of a mark: a document by its path, or a folder with all that lies in it; ''
-- is every document. Nothing here points at a document, so that it outlives every indexing.
CREATE TABLE private_marks (
    key INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (path, name)
) STRICT;
-- Where documents that a mark covers stood, and what they held then: who is moved, or written anew, stays private.
CREATE TABLE private_places (
    mark_key INTEGER NOT NULL REFERENCES private_marks (key) ON DELETE CASCADE,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL, -- of the file
    inside TEXT NOT NULL, -- the document's path in its file; '' for the whole of it
    PRIMARY KEY (mark_key, path, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX private_places_by_path ON private_places (path);
CREATE INDEX private_places_by_content ON private_places (sha256, inside);
-- Who may see what: the marks that a profile sees, as a JSON list. The owner, who sees all, has no row.
CREATE TABLE profiles (name TEXT PRIMARY KEY, sees TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE VIEW document_places (document_key, path, sha256, inside) AS
SELECT d.key, d.path, d.sha256, coalesce(substr(d.path, length(f.path) + 1), '')
FROM documents d LEFT JOIN files f ON f.key = d.file_key;
-- What is private, and by which mark. When in doubt it is: what comes to where a private document stood is, too.
CREATE VIEW private_documents (document_key, mark_key) AS
SELECT d.document_key, m.key FROM document_places d CROSS JOIN private_marks m
WHERE m.path = '' OR d.path = m.path OR substr(d.path, 1, length(m.path) + 1) = m.path || '/'
UNION SELECT d.document_key, p.mark_key FROM document_places d JOIN private_places p ON p.path = d.path
UNION SELECT d.document_key, p.mark_key FROM document_places d
JOIN private_places p ON p.sha256 = d.sha256 AND p.inside = d.inside WHERE d.sha256 <> '';

-- No OR IGNORE: the policy of the statement that fires a trigger would overrule it.
CREATE TRIGGER private_document_added AFTER INSERT ON documents WHEN EXISTS (SELECT 1 FROM private_marks) BEGIN
    INSERT INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside
    FROM private_documents v JOIN document_places d ON d.document_key = v.document_key
    WHERE v.document_key = new.key AND NOT EXISTS (SELECT 1 FROM private_places p
    WHERE p.mark_key = v.mark_key AND p.path = d.path AND p.sha256 = d.sha256);
END;
-- Files that move are called ~KEY in between.
CREATE TRIGGER private_document_changed AFTER UPDATE OF path, sha256 ON documents
WHEN EXISTS (SELECT 1 FROM private_marks)
AND substr(new.path, 1, length('~' || coalesce(new.file_key, ''))) <> '~' || coalesce(new.file_key, '') BEGIN
    INSERT INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside
    FROM private_documents v JOIN document_places d ON d.document_key = v.document_key
    WHERE v.document_key = new.key AND NOT EXISTS (SELECT 1 FROM private_places p
    WHERE p.mark_key = v.mark_key AND p.path = d.path AND p.sha256 = d.sha256);
END;
