-- Scripts without spaces are searched by pairs of signs: `searchable` is core.search_words.searchable, which every
-- connection of Clew knows. Vowels and tones that are written upon a letter belong to its word.
DROP TRIGGER passages_added;
DROP TRIGGER passages_removed;
DROP TABLE passages_text;
CREATE VIRTUAL TABLE passages_text USING fts5 (
    title, text, content = 'passages', content_rowid = 'key',
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
INSERT INTO passages_text (rowid, title, text)
SELECT key, searchable(title || char(10) || headings), searchable(text) FROM passages;
CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
    INSERT INTO passages_text (rowid, title, text)
    VALUES (new.key, searchable(new.title || char(10) || new.headings), searchable(new.text));
END;
CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_text (passages_text, rowid, title, text) VALUES (
        'delete', old.key, searchable(old.title || char(10) || old.headings), searchable(old.text)
    );
    DELETE FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key = old.key;
END;
