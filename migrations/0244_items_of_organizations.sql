-- A search among an organization's orders, a customer's export and the look before an erasure read the ordered items of every organization.
-- By this, those of one organization are read, of a customer alone where one is named; names and orders are in it.
CREATE INDEX order_items_of_organisation ON order_items (organisation_id, customer_id) INCLUDE (address, order_id);
