-- What the MSP can do about a refusal: the client's own words speak to the customer.
ALTER TABLE acme_access_log ADD COLUMN advice text NOT NULL DEFAULT '' CHECK (char_length(advice) <= 500);
-- An order's end, the mail about it and its entry are one transaction of its organisation.
GRANT INSERT, UPDATE ON acme_access_log TO nameward_app;
-- Renewals of certificates that the registrar refused: asked for when the next term is ordered.
CREATE INDEX order_items_refused_renewals ON order_items ((details #>> '{certificate,renewsOrderId}'))
  WHERE kind = 'certificate' AND state = 'declined';
