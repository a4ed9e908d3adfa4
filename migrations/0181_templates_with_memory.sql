-- A template knows its variables and its earlier versions, and the portal remembers where each was applied.
ALTER TABLE dns_templates ADD COLUMN variables jsonb NOT NULL DEFAULT '[]';
ALTER TABLE dns_templates ADD COLUMN version integer NOT NULL DEFAULT 1;

CREATE TABLE dns_template_versions (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  template_id uuid NOT NULL REFERENCES dns_templates (id) ON DELETE CASCADE,
  version integer NOT NULL,
  records jsonb NOT NULL,
  variables jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (template_id, version)
);
CREATE INDEX dns_template_versions_of_organisation ON dns_template_versions (organisation_id);
INSERT INTO dns_template_versions (organisation_id, template_id, version, records, variables, created_at)
  SELECT organisation_id, id, 1, records, '[]', created_at FROM dns_templates;

CREATE TABLE dns_template_uses (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  template_id uuid NOT NULL REFERENCES dns_templates (id) ON DELETE CASCADE,
  domain_id uuid NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  version integer NOT NULL,
  -- of its variables
  filled jsonb NOT NULL,
  -- the records that are the template's there
  owned jsonb NOT NULL,
  -- the change of many domains that applied it, and what this row was before: an undo brings it back
  change_id uuid,
  previous jsonb,
  state text NOT NULL CHECK (state IN ('unread', 'held', 'drifted', 'away')),
  drift jsonb NOT NULL DEFAULT '[]',
  applied_at timestamptz NOT NULL,
  checked_at timestamptz,
  -- not before; while it is looked at: until then nobody else does
  next_at timestamptz NOT NULL,
  PRIMARY KEY (template_id, domain_id)
);
CREATE INDEX dns_template_uses_of_organisation ON dns_template_uses (organisation_id, template_id);
CREATE INDEX dns_template_uses_of_domain ON dns_template_uses (domain_id);
CREATE INDEX dns_template_uses_due ON dns_template_uses (next_at);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['dns_template_versions', 'dns_template_uses']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;

-- A zone has become another: whether it still is as its templates want is looked at now.
CREATE FUNCTION watch_templates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dns_template_uses SET next_at = 'epoch' WHERE domain_id = NEW.domain_id;
  RETURN NULL;
END $$;
CREATE TRIGGER templates_watch_new AFTER INSERT ON zone_versions
  FOR EACH ROW WHEN (NEW.state IN ('applied', 'found')) EXECUTE FUNCTION watch_templates();
CREATE TRIGGER templates_watch AFTER UPDATE ON zone_versions
  FOR EACH ROW WHEN (NEW.state IN ('applied', 'found') AND OLD.state IS DISTINCT FROM NEW.state)
  EXECUTE FUNCTION watch_templates();
