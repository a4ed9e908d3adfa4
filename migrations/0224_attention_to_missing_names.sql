-- A name that leaves the registrar's account is not renewed, looked at or asked about any more, and one that is found again is: what is
-- shown of it follows at once.
CREATE TRIGGER attention_missing AFTER UPDATE OF missing_since ON domains FOR EACH ROW
WHEN ((OLD.missing_since IS NULL) <> (NEW.missing_since IS NULL))
EXECUTE FUNCTION mark_attention('renewal', 'restore', 'registrant', 'health');
