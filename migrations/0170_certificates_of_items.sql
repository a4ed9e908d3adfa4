-- Found by what was bought: by each ACME order that follows its purchase, and by what an access has spent in a month.
CREATE INDEX certificates_of_item ON certificates (order_item_id) WHERE order_item_id IS NOT NULL;
