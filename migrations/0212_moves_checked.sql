-- A zone that was read may change before it is served here (decision 277).
-- When a line was checked, or its zone was last seen to be as it is here; NULL: nobody knows any more.
ALTER TABLE move_lines ADD COLUMN checked_at timestamptz;
-- What its old servers say otherwise than its zone, where a person has its records served here all the same.
ALTER TABLE move_lines ADD COLUMN accepted jsonb;
