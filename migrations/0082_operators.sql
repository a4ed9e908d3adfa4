-- The people who run the portal, each with a key of their own, and what they did. No tenant's session reads any of it.
CREATE TABLE operators (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 2 AND 80),
  -- SHA-256 of the key; the key itself is shown once
  key_hash bytea NOT NULL UNIQUE,
  made_at timestamptz NOT NULL,
  last_used_at timestamptz,
  ended_at timestamptz
);
CREATE UNIQUE INDEX operators_living_name ON operators (lower(name)) WHERE ended_at IS NULL;

-- One row an act, written before it begins. `outcome`: null while it runs, or when the process died meanwhile.
CREATE TABLE operator_acts (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  -- null: the setting OPERATOR_TOKEN
  operator_id uuid REFERENCES operators (id),
  operator text NOT NULL,
  address text,
  operation text NOT NULL,
  input jsonb NOT NULL,
  outcome text,
  ended_at timestamptz
);
CREATE INDEX operator_acts_at ON operator_acts (at DESC, id);

-- Corrections of balances: entered at once, or when a second person has confirmed.
CREATE TABLE corrections (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  cents bigint NOT NULL CHECK (cents <> 0),
  reason text NOT NULL,
  reference text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'entered', 'declined')),
  -- null: entered before operators had names
  asked_by uuid REFERENCES operators (id),
  asked_at timestamptz NOT NULL,
  decided_by uuid REFERENCES operators (id),
  decided_at timestamptz,
  CHECK (state <> 'entered' OR decided_by IS DISTINCT FROM asked_by OR decided_by IS NULL)
);
-- A reference is an organisation's own: two of them may use the same.
CREATE UNIQUE INDEX corrections_reference ON corrections (organisation_id, reference) WHERE state <> 'declined';
CREATE INDEX corrections_asked ON corrections (asked_at DESC, id);

INSERT INTO corrections (id, organisation_id, cents, reason, reference, state, asked_at)
SELECT j.id, j.organisation_id, p.cents, j.text, substr(j.ref, 8), 'entered', j.at
FROM journal j JOIN postings p ON p.journal_id = j.id AND p.account = 'wallet'
WHERE j.kind = 'adjustment' AND j.ref LIKE 'adjust:%' AND p.cents <> 0;

GRANT SELECT, INSERT ON operators, operator_acts, corrections TO nameward_system;
GRANT UPDATE (last_used_at, ended_at) ON operators TO nameward_system;
GRANT UPDATE (outcome, ended_at) ON operator_acts TO nameward_system;
GRANT UPDATE (state, decided_by, decided_at) ON corrections TO nameward_system;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['operators', 'operator_acts', 'corrections']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
  END LOOP;
END $$;
