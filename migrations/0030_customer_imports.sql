-- Customer lists from a file: what was found in it, before anything of it is written, and how far the writing is.

CREATE TABLE imports (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- The upload it was made from: finishing the same upload again is the same import.
  upload_key text NOT NULL,
  file_name text NOT NULL CHECK (char_length(file_name) <= 255),
  -- The file's own columns, in its order.
  columns text[] NOT NULL,
  state text NOT NULL CHECK (state IN ('ready', 'importing', 'done', 'discarded')),
  -- `all`: every row or none; `good`: without the faulty ones.
  mode text CHECK (mode IN ('all', 'good')),
  -- Why a started import is to be looked at again.
  notice text NOT NULL DEFAULT '',
  new_rows integer NOT NULL,
  changed_rows integer NOT NULL,
  same_rows integer NOT NULL,
  faulty_rows integer NOT NULL,
  rows_done integer NOT NULL DEFAULT 0,
  -- Who started it: for the log.
  actor_id uuid NOT NULL,
  actor text NOT NULL,
  actor_ip text,
  actor_role text NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz
);
CREATE UNIQUE INDEX imports_by_upload ON imports (organisation_id, upload_key);
CREATE INDEX imports_by_time ON imports (organisation_id, created_at DESC, id);
CREATE INDEX imports_running ON imports (started_at) WHERE state = 'importing';

CREATE TABLE import_rows (
  import_id uuid NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- As a spreadsheet counts: the header is row 1.
  number integer NOT NULL,
  cells text[] NOT NULL,
  kind text NOT NULL CHECK (kind IN ('new', 'changed', 'same', 'faulty')),
  organization text NOT NULL,
  -- The customer that the row makes or changes, and the version that was compared.
  customer_id uuid,
  version integer,
  match_key text NOT NULL,
  -- What the customer will be; null for faulty rows.
  state jsonb,
  -- What is wrong, or what would change: one entry a column.
  notes jsonb NOT NULL,
  PRIMARY KEY (import_id, number)
);
CREATE INDEX import_rows_by_kind ON import_rows (import_id, kind, number);

-- By what a row without an id is known again: organization and e-mail address, whatever their case.
CREATE FUNCTION customer_match_key(owner jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT lower(normalize((owner ->> 'organization') || E'\n' || (owner ->> 'email'), NFC) COLLATE "und-x-icu") $$;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['imports', 'import_rows']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;
