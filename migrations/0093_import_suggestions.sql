-- How many faulty rows of an import have a suggestion that can be applied.
ALTER TABLE imports ADD COLUMN suggested_rows integer NOT NULL DEFAULT 0;
