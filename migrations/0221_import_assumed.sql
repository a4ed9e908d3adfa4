-- Columns that the checked file does not have, for which one value was given for all rows: they say nothing of customers that exist.
ALTER TABLE imports ADD COLUMN assumed text[] NOT NULL DEFAULT '{}';
