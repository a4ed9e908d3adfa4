-- What the registrar tells of its own accord. An event is acknowledged at the registrar only after it is in here with its
-- effect; one that is delivered again finds its row. No tenant sees any of it.
CREATE TABLE registrar_events (
  id text PRIMARY KEY,
  object text NOT NULL,
  event text NOT NULL,
  at timestamptz,
  address text,
  data jsonb NOT NULL,
  -- what the portal did about it: sync, deleted, transfer, order, nothing, unknown
  effect text NOT NULL,
  received_at timestamptz NOT NULL
);
CREATE INDEX registrar_events_by_time ON registrar_events (received_at);

-- Our account at the registrar, as last read. One row.
CREATE TABLE registrar_account (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  balance_cents bigint NOT NULL,
  held_cents bigint NOT NULL,
  read_at timestamptz NOT NULL,
  -- when the operator was last told that it runs low; null while it is enough
  alarmed_at timestamptz,
  alarmed_level text CHECK (alarmed_level IN ('low', 'short'))
);

ALTER TABLE registrar_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE registrar_events FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON registrar_events TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE ON registrar_events TO nameward_system;

ALTER TABLE registrar_account ENABLE ROW LEVEL SECURITY;
ALTER TABLE registrar_account FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON registrar_account TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON registrar_account TO nameward_system;
