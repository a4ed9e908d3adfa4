-- Findings, open writes and DNS of a transfer are shown to the customer that a domain belongs to: to no other one for a moment.
CREATE TRIGGER attention_moved AFTER UPDATE ON domains FOR EACH ROW
  WHEN (OLD.customer_id IS DISTINCT FROM NEW.customer_id OR OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION mark_attention('health', 'zone-write', 'move-dns');
