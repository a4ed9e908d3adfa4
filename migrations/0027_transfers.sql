-- Transfers from another registrar: what is asked and seen while they run, and what is compared when they are through.
CREATE TABLE transfers (
  -- the order's item
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  address text NOT NULL,
  customer_id uuid,
  requested_at timestamptz NOT NULL,
  -- the registrar's word: pending_owner, pending_admin, pending_registry, completed, cancelled, undefined
  registrar_status text,
  -- when that word was first heard, and last
  status_since timestamptz,
  asked_at timestamptz,
  -- the delegation as the world saw it before; null until it was read
  nameservers_before text[],
  nameservers_after text[],
  -- the delegation was compared after completion
  compared_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  reason text
);
CREATE INDEX transfers_by_address ON transfers (organisation_id, address, requested_at DESC);
CREATE INDEX transfers_open ON transfers (asked_at) WHERE completed_at IS NULL AND failed_at IS NULL;

ALTER TABLE transfers ENABLE ROW LEVEL SECURITY;
ALTER TABLE transfers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON transfers TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON transfers TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON transfers TO nameward_app, nameward_system;
