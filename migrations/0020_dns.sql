-- Zones: every version of a domain's records with who wrote it and why, and the lease of the one who is writing.

CREATE TABLE zone_versions (
  id uuid PRIMARY KEY,
  -- The order in which they came, whatever the clocks say.
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- Of the domain's present life: the name may have been somebody else's before.
  domain_id uuid NOT NULL REFERENCES domains (id),
  -- Records by type, as the zone call answers.
  records jsonb NOT NULL,
  record_count integer NOT NULL,
  hash text NOT NULL,
  -- Stored before the registrar is asked; `found`: the registrar had them, changed elsewhere; `staged`: kept for the
  -- end of a transfer.
  state text NOT NULL CHECK (state IN ('writing', 'applied', 'refused', 'unknown', 'found', 'staged')),
  author_id uuid,
  author text NOT NULL,
  reason text NOT NULL DEFAULT '' CHECK (char_length(reason) <= 200),
  created_at timestamptz NOT NULL
);
CREATE INDEX zone_versions_by_domain ON zone_versions (organisation_id, domain_id, sequence DESC);
CREATE INDEX zone_versions_by_hash ON zone_versions (domain_id, hash);

-- The registrar replaces a zone as a whole: one writer at a time, for as long as he keeps saying that he is there.
CREATE TABLE zone_leases (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  address text NOT NULL,
  holder uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, address)
);

-- The organisation's own sets of records, beside those that come with the product.
CREATE TABLE dns_templates (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  records jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX dns_templates_by_name ON dns_templates (organisation_id, lower(name));

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['zone_versions', 'zone_leases', 'dns_templates']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;
