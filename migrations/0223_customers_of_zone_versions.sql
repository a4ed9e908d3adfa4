-- Whose the domain was when a version was written. The history of a zone is theirs, also when the domain has become somebody else's.
-- NULL: the organization's own, or written before this was kept; customers' users do not read it (decision 288). No reference: a version
-- is kept as it was, and writing one is not to wait for a transaction that holds the customer's row.
ALTER TABLE zone_versions ADD COLUMN customer_id uuid;
CREATE INDEX zone_versions_of_customer ON zone_versions (customer_id) WHERE customer_id IS NOT NULL;
