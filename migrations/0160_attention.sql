-- What waits for a person, each thing once: opened and closed by what its feature states, taken over and put off by people.
CREATE TABLE attention_items (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- one of contracts/values/attention.ts
  cause text NOT NULL,
  -- what it is about, as the feature names it
  object text NOT NULL,
  -- 0: now, 1: soon
  rank smallint NOT NULL CHECK (rank BETWEEN 0 AND 1),
  customer_id uuid,
  -- the name that the words begin with
  address text,
  deadline timestamptz,
  -- what its words are made of
  facts jsonb NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  owner_id uuid REFERENCES users (id),
  snoozed_until timestamptz,
  sort_at timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(deadline, opened_at)) STORED
);
CREATE UNIQUE INDEX attention_items_once ON attention_items (organisation_id, cause, object);
CREATE INDEX attention_items_in_order ON attention_items (organisation_id, rank, sort_at, id) WHERE closed_at IS NULL;
CREATE INDEX attention_items_of_customer ON attention_items (customer_id, rank, sort_at, id) WHERE closed_at IS NULL;
CREATE INDEX attention_items_by_cause ON attention_items (cause, organisation_id) WHERE closed_at IS NULL;
CREATE INDEX attention_items_closed ON attention_items (closed_at) WHERE closed_at IS NOT NULL;

-- What the sweep looks through each minute is small, and found at once.
CREATE INDEX zone_versions_unknown ON zone_versions (domain_id) WHERE state = 'unknown';
CREATE INDEX topups_troubled ON topups (updated_at) WHERE state IN ('failed', 'requires_action');
CREATE INDEX imports_ready ON imports (created_at) WHERE state = 'ready';
CREATE INDEX direct_refunds_failed ON direct_refunds (updated_at) WHERE state = 'failed';
CREATE INDEX direct_charges_failed ON direct_charges (updated_at) WHERE state = 'failed';

-- Something changed on which a cause depends: written by triggers, in the transaction of the change.
CREATE TABLE attention_marks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id uuid NOT NULL,
  cause text NOT NULL
);
CREATE INDEX attention_marks_of_organisation ON attention_marks (organisation_id);

-- Who wants the list by mail each day, and when they had it last.
CREATE TABLE attention_digests (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  sent_on date
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['attention_items', 'attention_marks', 'attention_digests']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;
-- A migration that changes rows marks them too.
CREATE POLICY migrations ON attention_marks FOR INSERT TO CURRENT_USER WITH CHECK (true);

CREATE FUNCTION mark_attention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attention_marks (organisation_id, cause)
  SELECT CASE WHEN TG_OP = 'DELETE' THEN OLD.organisation_id ELSE NEW.organisation_id END, cause
  FROM unnest(TG_ARGV) AS cause;
  RETURN NULL;
END $$;

-- One row for each table: what of it a cause depends on, the causes, and whether a row that comes or goes marks as well.
DO $$
DECLARE
  watched record;
  changed text;
BEGIN
  FOR watched IN SELECT * FROM (VALUES
    ('domains', ARRAY['status', 'expires_at', 'auto_renew', 'customer_id', 'verification', 'verification_deadline', 'verification_bounced', 'restorable_until'], ARRAY['renewal', 'registrant', 'restore'], true),
    ('auto_renewals', ARRAY['state', 'reason'], ARRAY['renewal'], true),
    ('wallets', ARRAY['posted_cents', 'held_cents', 'pending_cents'], ARRAY['renewal'], false),
    ('certificates', ARRAY['state', 'valid_from', 'valid_to', 'term_ends_at', 'validation_method', 'proof_state', 'auto_reissue', 'customer_id', 'registrar_order_id'], ARRAY['certificate'], true),
    ('certificate_reissues', ARRAY['state'], ARRAY['certificate'], true),
    ('acme_access_log', ARRAY['outcome', 'detail', 'last_at'], ARRAY['acme'], true),
    ('acme_accesses', ARRAY['name', 'revoked_at', 'expires_at'], ARRAY['acme'], true),
    ('customers', ARRAY['deleted_at'], ARRAY['acme'], false),
    ('direct_charges', ARRAY['state', 'failure', 'next_try_at', 'attempt'], ARRAY['charge'], true),
    ('direct_refunds', ARRAY['state', 'failure'], ARRAY['refund'], true),
    ('transfers', ARRAY['registrar_status', 'completed_at', 'failed_at'], ARRAY['transfer'], true),
    ('imports', ARRAY['state', 'new_rows', 'changed_rows', 'faulty_rows'], ARRAY['import'], true),
    ('zone_versions', ARRAY['state'], ARRAY['zone-write'], false),
    ('topups', ARRAY['state', 'failure'], ARRAY['payment'], false),
    ('billing_profiles', ARRAY['auto_topup', 'auto_topup_paused_until'], ARRAY['payment'], false),
    ('order_items', ARRAY['state'], ARRAY['order'], false)
  ) AS w (name, columns, causes, comes)
  LOOP
    SELECT string_agg(format('OLD.%1$I IS DISTINCT FROM NEW.%1$I', c), ' OR ') INTO changed FROM unnest(watched.columns) c;
    EXECUTE format('CREATE TRIGGER attention_changed AFTER UPDATE ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION mark_attention(%s)',
      watched.name, changed, (SELECT string_agg(quote_literal(c), ', ') FROM unnest(watched.causes) c));
    IF watched.comes THEN
      EXECUTE format('CREATE TRIGGER attention_came AFTER INSERT OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION mark_attention(%s)',
        watched.name, (SELECT string_agg(quote_literal(c), ', ') FROM unnest(watched.causes) c));
    END IF;
  END LOOP;
END $$;
