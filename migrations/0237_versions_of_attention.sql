-- Who puts an entry off says which one they saw. It is raised by what ends a postponement: an entry that presses more, or says something
-- else (docs/decisions/0230). Entries of before are at 1.
ALTER TABLE attention_items ADD COLUMN version integer NOT NULL DEFAULT 1;
