-- The organization comes first, as in every statement: an index of customers or people alone was joined with one of all that the organization
-- has, wherever PostgreSQL believed that to be little (decision 298).
DROP INDEX attention_items_of_customer;
CREATE INDEX attention_items_of_customer ON attention_items (organisation_id, customer_id, rank, sort_at, id)
  WHERE closed_at IS NULL;
DROP INDEX attention_items_of_owner;
CREATE INDEX attention_items_of_owner ON attention_items (organisation_id, owner_id, rank, sort_at, id)
  WHERE closed_at IS NULL AND owner_id IS NOT NULL;
