-- Whose domain it was when it was looked at: what is kept of it is theirs, also when the domain has become somebody else's.
ALTER TABLE change_items ADD COLUMN customer_id uuid;
UPDATE change_items i SET customer_id = d.customer_id FROM domains d WHERE d.id = i.domain_id;
CREATE INDEX change_items_of_customer ON change_items (customer_id) WHERE customer_id IS NOT NULL;
