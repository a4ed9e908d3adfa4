-- When another code was entered for a line; NULL: it has that of its list. A code is kept for its own time, not for that of an older list.
ALTER TABLE move_lines ADD COLUMN code_at timestamptz;
-- A line whose records could not be read is ready once its nameservers are to stay: what is shown of its list follows at once.
CREATE TRIGGER attention_dns AFTER UPDATE OF dns ON move_lines FOR EACH ROW
WHEN (OLD.dns IS DISTINCT FROM NEW.dns) EXECUTE FUNCTION mark_attention('move');
