-- A domain that the registry has deleted can be ordered back, as an item of its own kind.
ALTER TABLE order_items DROP CONSTRAINT order_items_kind_check;
ALTER TABLE order_items ADD CONSTRAINT order_items_kind_check
  CHECK (kind IN ('domain', 'renewal', 'transfer', 'certificate', 'redemption'));
