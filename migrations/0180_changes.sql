-- A change of many domains: described once, looked at domain by domain, applied by jobs, undone as one.
CREATE TABLE changes (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- in whose name it runs, and by which API token they asked
  user_id uuid NOT NULL REFERENCES users (id),
  author text NOT NULL,
  token_id uuid,
  title text NOT NULL,
  -- the ticket
  reason text NOT NULL,
  -- what was asked: contracts/operations/changes.ts
  request jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ('draft', 'ready', 'running', 'paused', 'done', 'partly', 'cancelled', 'undone')),
  -- grows with each description and each look: what was found by an earlier one does not count
  round integer NOT NULL DEFAULT 1,
  -- why it waits
  note text NOT NULL DEFAULT '',
  undoes uuid REFERENCES changes (id) ON DELETE SET NULL,
  created_at timestamptz NOT NULL,
  looked_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz
);
CREATE INDEX changes_of_organisation ON changes (organisation_id, id);
CREATE INDEX changes_by_user ON changes (user_id);
CREATE INDEX changes_undone ON changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX changes_open ON changes (state, organisation_id) WHERE state IN ('draft', 'ready', 'running', 'paused', 'partly');
CREATE INDEX changes_ended ON changes (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE change_items (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  change_id uuid NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
  -- null: a name that is none of ours
  domain_id uuid REFERENCES domains (id),
  address text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'ready', 'left-out', 'same', 'barred', 'queued', 'applying', 'done', 'failed', 'moved', 'cancelled')),
  note text NOT NULL DEFAULT '',
  -- of what the change touches: as it was, and as it is to be
  before jsonb,
  after jsonb,
  -- of the zone that was looked at
  version text,
  -- records that stay as they are, and those that go
  others integer,
  removed integer,
  warnings jsonb NOT NULL DEFAULT '[]',
  -- it loses so much that a person has to say so
  needs_tick boolean NOT NULL DEFAULT false,
  ticked boolean NOT NULL DEFAULT false,
  attempts integer NOT NULL DEFAULT 0,
  -- not before; of one that is being applied: until then nobody else takes it
  next_at timestamptz,
  ended_at timestamptz
);
CREATE UNIQUE INDEX change_items_once ON change_items (change_id, address);
CREATE INDEX change_items_by_state ON change_items (change_id, state, address);
CREATE INDEX change_items_of_organisation ON change_items (organisation_id);
CREATE INDEX change_items_of_domain ON change_items (domain_id);

-- Which item of a change wrote a version: it is written once, whatever is lost in between.
ALTER TABLE zone_versions ADD COLUMN change_item_id uuid;
CREATE INDEX zone_versions_of_item ON zone_versions (change_item_id) WHERE change_item_id IS NOT NULL;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['changes', 'change_items']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;

CREATE TRIGGER attention_changed AFTER UPDATE ON changes FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.title IS DISTINCT FROM NEW.title
    OR OLD.note IS DISTINCT FROM NEW.note) EXECUTE FUNCTION mark_attention('change');
CREATE TRIGGER attention_came AFTER INSERT OR DELETE ON changes FOR EACH ROW EXECUTE FUNCTION mark_attention('change');
