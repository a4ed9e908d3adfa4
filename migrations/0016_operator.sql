-- The operator's side: a price list in dated versions, and a daily comparison of what registrar, ledger and payment
-- provider each say. No tenant sees any of it.

-- One row a change of the list; its entries stand in price_entries under the same number.
CREATE TABLE price_versions (
  version integer PRIMARY KEY,
  valid_from timestamptz NOT NULL,
  note text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO price_versions (version, valid_from, note)
  SELECT version, min(valid_from), 'before versions had notes' FROM price_entries GROUP BY version;
-- null: from then on cost plus margin again (decisions no. 28).
ALTER TABLE price_entries ALTER COLUMN price_cents DROP NOT NULL;
-- What was once in force stays as it was.
REVOKE UPDATE, DELETE ON price_entries FROM nameward_system;

CREATE TABLE reconciliations (
  id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  since timestamptz NOT NULL,
  items bigint NOT NULL DEFAULT 0,
  registrar_orders bigint NOT NULL DEFAULT 0,
  payments bigint NOT NULL DEFAULT 0,
  differences bigint NOT NULL DEFAULT 0,
  -- what could not be asked, so that the run says nothing about it
  incomplete text
);
CREATE INDEX reconciliations_by_time ON reconciliations (started_at DESC);

CREATE TABLE reconciliation_differences (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  -- item, top-up, payment, registrar order or name that differs
  subject text NOT NULL,
  organisation_id uuid,
  text text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  settled_at timestamptz
);
CREATE UNIQUE INDEX reconciliation_differences_open ON reconciliation_differences (kind, subject)
  WHERE settled_at IS NULL;

GRANT SELECT, INSERT ON price_versions TO nameward_system;
GRANT SELECT, INSERT, UPDATE ON reconciliations, reconciliation_differences TO nameward_system;
CREATE INDEX order_items_review ON order_items (updated_at) WHERE state = 'review';
