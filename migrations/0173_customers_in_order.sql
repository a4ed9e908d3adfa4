-- Domains in the order of their customers are read customer by customer. That needs all customers in their order, deleted ones too: whether
-- one is deleted stays in the index, for the list of customers.
DROP INDEX customers_organization;
CREATE INDEX customers_organization ON customers (organisation_id, organization, id) INCLUDE (deleted_at);
