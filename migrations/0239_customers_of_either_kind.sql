-- An index of all customers of an organization serves as a way to each of them by its number, too, and looks quick where a plan is made for
-- an organization with few. Kept for one with many it reads all of them for each row of a list (decision 298). Of these two a statement that
-- does not say whether it wants deleted customers can use neither.
DROP INDEX customers_organization;
CREATE INDEX customers_organization ON customers (organisation_id, organization, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_deleted ON customers (organisation_id, organization, id) WHERE deleted_at IS NOT NULL;
