-- Counts how often the rows of a checked file were judged: a person starts the judgement that they were shown, no later one.
ALTER TABLE imports ADD COLUMN judged integer NOT NULL DEFAULT 1;
