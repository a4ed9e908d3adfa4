-- Whether a name was renewed is asked before each renewal, by the name: it read the items of all orders.
CREATE INDEX order_items_of_name ON order_items (address, kind);
-- What can still be had back is asked every minute, and is a few names.
CREATE INDEX domains_restorable ON domains (restorable_until) WHERE status = 'expired' AND restorable_until IS NOT NULL;
