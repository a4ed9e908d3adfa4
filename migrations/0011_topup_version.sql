-- Raised by each change of a top-up: a payment that was read before such a change is read again instead of applied, so
-- that a slow reader never writes older news over newer ones.
ALTER TABLE topups ADD COLUMN version integer NOT NULL DEFAULT 0;
