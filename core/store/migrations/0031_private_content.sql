-- What private documents say, so that copies of it are private too: of each text the prints of its pieces. Nothing here
-- points at a document, so that it outlives every indexing.
CREATE TABLE private_texts (
    key INTEGER PRIMARY KEY,
    mark_key INTEGER NOT NULL REFERENCES private_marks (key) ON DELETE CASCADE,
    path TEXT NOT NULL, -- of the document that held it
    digest TEXT NOT NULL,
    UNIQUE (mark_key, path, digest)
) STRICT;
CREATE TABLE private_prints (
    print INTEGER NOT NULL,
    text_key INTEGER NOT NULL REFERENCES private_texts (key) ON DELETE CASCADE,
    weight INTEGER NOT NULL, -- characters
    PRIMARY KEY (print, text_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX private_prints_by_text ON private_prints (text_key);
-- Paths where a document stands that says what a private one says, and where that one stood.
CREATE TABLE private_contents (
    path TEXT NOT NULL,
    mark_key INTEGER NOT NULL REFERENCES private_marks (key) ON DELETE CASCADE,
    source TEXT NOT NULL,
    PRIMARY KEY (path, mark_key)
) STRICT, WITHOUT ROWID;
-- Paths of which a person said that what they hold is not private, whatever it is a copy of.
CREATE TABLE private_releases (
    path TEXT NOT NULL,
    mark_key INTEGER NOT NULL REFERENCES private_marks (key) ON DELETE CASCADE,
    PRIMARY KEY (path, mark_key)
) STRICT, WITHOUT ROWID;
-- Documents that were not yet compared with what is private; nobody but the owner sees them till then.
CREATE TABLE private_unchecked (
    document_key INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE
) STRICT;
INSERT INTO private_unchecked SELECT key FROM documents WHERE EXISTS (SELECT 1 FROM private_marks);

DROP TRIGGER private_document_added;
DROP TRIGGER private_document_changed;
DROP VIEW private_documents;
-- By which mark, why (mark, folder, place, file), and after which path. What comes to where a private document stood is
-- private, too.
CREATE VIEW private_by_place (document_key, mark_key, reason, source) AS
SELECT d.document_key, m.key, iif(d.path = m.path, 'mark', 'folder'), m.path
FROM document_places d CROSS JOIN private_marks m
WHERE m.path = '' OR d.path = m.path OR substr(d.path, 1, length(m.path) + 1) = m.path || '/'
UNION SELECT d.document_key, p.mark_key, 'place', p.path
FROM document_places d JOIN private_places p ON p.path = d.path
WHERE NOT EXISTS (SELECT 1 FROM private_releases r WHERE r.path = d.path AND r.mark_key = p.mark_key)
UNION SELECT d.document_key, p.mark_key, 'content', p.path FROM document_places d
JOIN private_places p ON p.sha256 = d.sha256 AND p.inside = d.inside WHERE d.sha256 <> ''
AND NOT EXISTS (SELECT 1 FROM private_releases r WHERE r.path = d.path AND r.mark_key = p.mark_key);
CREATE VIEW private_documents (document_key, mark_key, reason, source) AS
SELECT * FROM private_by_place
UNION SELECT d.key, c.mark_key, 'content', c.source FROM documents d JOIN private_contents c ON c.path = d.path;

-- No OR IGNORE: the policy of the statement that fires a trigger would overrule it.
CREATE TRIGGER private_document_added AFTER INSERT ON documents WHEN EXISTS (SELECT 1 FROM private_marks) BEGIN
    INSERT INTO private_places SELECT DISTINCT v.mark_key, d.path, d.sha256, d.inside
    FROM private_by_place v JOIN document_places d ON d.document_key = v.document_key
    WHERE v.document_key = new.key AND NOT EXISTS (SELECT 1 FROM private_places p
    WHERE p.mark_key = v.mark_key AND p.path = d.path AND p.sha256 = d.sha256);
    INSERT INTO private_unchecked VALUES (new.key);
END;
-- Files that move are called ~KEY in between.
CREATE TRIGGER private_document_changed AFTER UPDATE OF path, sha256 ON documents
WHEN EXISTS (SELECT 1 FROM private_marks)
AND substr(new.path, 1, length('~' || coalesce(new.file_key, ''))) <> '~' || coalesce(new.file_key, '') BEGIN
    INSERT INTO private_places SELECT DISTINCT v.mark_key, d.path, d.sha256, d.inside
    FROM private_by_place v JOIN document_places d ON d.document_key = v.document_key
    WHERE v.document_key = new.key AND NOT EXISTS (SELECT 1 FROM private_places p
    WHERE p.mark_key = v.mark_key AND p.path = d.path AND p.sha256 = d.sha256);
    INSERT INTO private_unchecked SELECT new.key
    WHERE NOT EXISTS (SELECT 1 FROM private_unchecked u WHERE u.document_key = new.key);
END;
