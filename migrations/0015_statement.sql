-- What was charged for an item is found by the item: order page, receipts, reconciliation.
CREATE INDEX journal_by_item ON journal (order_item_id) WHERE order_item_id IS NOT NULL;
