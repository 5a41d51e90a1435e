-- How the documents put a fact: '' as so, else denied, doubted, possible, planned, conditional or reported, and who says so.
-- What is not put as so is a fact of its own and counts nowhere.
ALTER TABLE candidate_facts ADD COLUMN assertion TEXT NOT NULL DEFAULT '';
ALTER TABLE candidate_facts ADD COLUMN source TEXT NOT NULL DEFAULT '';
