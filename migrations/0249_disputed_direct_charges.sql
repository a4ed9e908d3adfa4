-- What the customer's bank has taken back of a direct charge by a dispute, and of how much of that the MSP's staff said that it stops no
-- further charges. Until they do, nothing more is charged to the customer (docs/decisions/0330).
ALTER TABLE direct_charges
  ADD COLUMN disputed_cents bigint NOT NULL DEFAULT 0 CHECK (disputed_cents >= 0),
  ADD COLUMN dispute_released_cents bigint NOT NULL DEFAULT 0 CHECK (dispute_released_cents >= 0);
CREATE INDEX direct_charges_disputed ON direct_charges (customer_id) WHERE disputed_cents > dispute_released_cents;

DROP TRIGGER attention_changed ON direct_charges;
CREATE TRIGGER attention_changed AFTER UPDATE ON direct_charges FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.failure IS DISTINCT FROM NEW.failure
    OR OLD.next_try_at IS DISTINCT FROM NEW.next_try_at OR OLD.attempt IS DISTINCT FROM NEW.attempt
    OR OLD.disputed_cents IS DISTINCT FROM NEW.disputed_cents
    OR OLD.dispute_released_cents IS DISTINCT FROM NEW.dispute_released_cents)
  EXECUTE FUNCTION mark_attention('charge');
