-- A search reads the names of one organization only, however many others there are: the index begins with whose they are.
CREATE EXTENSION IF NOT EXISTS btree_gin;

DROP INDEX customers_search;
CREATE INDEX customers_search ON customers USING gin (organisation_id, search_text gin_trgm_ops) WHERE deleted_at IS NULL;

DROP INDEX domains_search;
CREATE INDEX domains_search ON domains USING gin (organisation_id, address gin_trgm_ops) WHERE status <> 'ended';
