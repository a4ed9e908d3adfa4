-- The Idempotency-Key of every request that changes something, with the reply that a repeat gets. Purchases, top-ups and new
-- customers keep theirs in idempotency_keys, in the transaction of what they do.
CREATE TABLE request_keys (
  id uuid PRIMARY KEY,
  -- null: a caller of no organisation (the operator, somebody who has no profile yet)
  organisation_id uuid REFERENCES organisations (id),
  caller text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 8 AND 200),
  request_hash text NOT NULL,
  -- null while the request runs; sealed, because replies may hold what is told only once
  reply_sealed bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (caller, operation, key)
);
CREATE INDEX request_keys_created ON request_keys (created_at);
CREATE INDEX request_keys_organisation ON request_keys (organisation_id);

ALTER TABLE request_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE request_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON request_keys TO nameward_app
  USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON request_keys TO nameward_system USING (true) WITH CHECK (true);
-- Tenants' work reads them for a data export, and deletes them with the person they are about.
GRANT SELECT, DELETE ON request_keys TO nameward_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON request_keys TO nameward_system;

CREATE INDEX idempotency_keys_order ON idempotency_keys (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
