-- After a restore, or a failover that lost commits, registrar and payment provider know more than this database
-- (docs/decisions/0251). Which database this is, as its processes noted it; a copy of it differs in at least one part.
CREATE TABLE database_place (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  -- server, database and this table itself: a dump that is loaded gets another number for the table
  database text NOT NULL,
  -- of the write-ahead log: each promotion begins another
  timeline text NOT NULL,
  -- what was committed until then is certainly in here
  seen_at timestamptz NOT NULL
);

CREATE TABLE recoveries (
  id uuid PRIMARY KEY,
  reason text NOT NULL CHECK (reason IN ('elsewhere', 'promoted', 'asked')),
  -- from when on the others are asked
  since timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('running', 'waiting', 'ended')),
  step text NOT NULL DEFAULT 'payments',
  done integer NOT NULL DEFAULT 0,
  total integer,
  -- why it cannot go on at the moment
  hindrance text,
  -- which process compares
  holder uuid,
  held_until timestamptz,
  started_at timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE UNIQUE INDEX recoveries_open ON recoveries ((true)) WHERE state <> 'ended';

CREATE TABLE recovery_findings (
  id uuid PRIMARY KEY,
  recovery_id uuid NOT NULL,
  kind text NOT NULL,
  -- order, payment, name or zone that differed
  subject text NOT NULL,
  organisation_id uuid,
  text text NOT NULL,
  -- a person decides what becomes of it; until then nothing is sent
  needs_person boolean NOT NULL,
  found_at timestamptz NOT NULL,
  settled_at timestamptz,
  UNIQUE (recovery_id, kind, subject)
);

GRANT SELECT, INSERT, UPDATE ON database_place, recoveries, recovery_findings TO nameward_system;

ALTER TABLE orders DROP CONSTRAINT orders_source_check;
ALTER TABLE orders ADD CONSTRAINT orders_source_check
  CHECK (source IN ('cart', 'auto_renew', 'api', 'acme', 'recovery'));

-- A tenant's session has no grant on them; row-level security says the same a second time.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['database_place', 'recoveries', 'recovery_findings']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
  END LOOP;
END $$;
