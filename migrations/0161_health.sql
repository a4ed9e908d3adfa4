-- What is wrong with a domain as the world sees it: looked at each day, and soon after a change of its zone.
CREATE TABLE health_checks (
  domain_id uuid PRIMARY KEY REFERENCES domains (id),
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  next_at timestamptz NOT NULL,
  checked_at timestamptz
);
CREATE INDEX health_checks_due ON health_checks (next_at);

CREATE TABLE health_findings (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  domain_id uuid NOT NULL REFERENCES domains (id),
  -- one of contracts/values/health.ts
  kind text NOT NULL,
  -- the evidence
  detail text NOT NULL,
  first_seen timestamptz NOT NULL,
  last_seen timestamptz NOT NULL,
  cleared_at timestamptz,
  muted_until timestamptz,
  muted_reason text,
  muted_by uuid REFERENCES users (id)
);
CREATE UNIQUE INDEX health_findings_once ON health_findings (domain_id, kind);
CREATE INDEX health_findings_open ON health_findings (organisation_id, kind) WHERE cleared_at IS NULL;
CREATE INDEX health_findings_cleared ON health_findings (cleared_at) WHERE cleared_at IS NOT NULL;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['health_checks', 'health_findings']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;

-- A zone that was changed is looked at again once the world has heard of it.
CREATE FUNCTION look_at_health() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE health_checks SET next_at = least(next_at, now() + interval '1 minute') WHERE domain_id = NEW.domain_id;
  RETURN NULL;
END $$;
CREATE TRIGGER health_follows AFTER UPDATE ON zone_versions
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.state = 'applied') EXECUTE FUNCTION look_at_health();

CREATE TRIGGER attention_changed AFTER UPDATE ON health_findings FOR EACH ROW
  WHEN (OLD.detail IS DISTINCT FROM NEW.detail OR OLD.cleared_at IS DISTINCT FROM NEW.cleared_at
    OR OLD.muted_until IS DISTINCT FROM NEW.muted_until) EXECUTE FUNCTION mark_attention('health');
CREATE TRIGGER attention_came AFTER INSERT OR DELETE ON health_findings FOR EACH ROW EXECUTE FUNCTION mark_attention('health');
