-- How questions went, verdicts on links of names and what each update of the graph changed are not recorded any more.
DROP TABLE asked_questions;
DROP TABLE judged_links;
DROP TABLE grouped_documents;
DROP TABLE graph_updates;
