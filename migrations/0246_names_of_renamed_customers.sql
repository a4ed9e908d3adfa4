-- Migration 0245 copied the names of customers to their domains, and only then made the trigger that follows a renaming. A customer who was
-- renamed in between, as may be where other processes serve meanwhile, kept the old name on their domains for good. Nobody renames one now
-- until all names are compared: the lock waits for renamings that are under way.
LOCK TABLE customers IN SHARE ROW EXCLUSIVE MODE;
UPDATE domains d SET customer_organization = c.organization FROM customers c
WHERE c.id = d.customer_id AND c.organisation_id = d.organisation_id AND d.status <> 'ended'
  AND d.customer_organization IS DISTINCT FROM c.organization;
