-- The portal's own copy of a zone as the registrar last told it, ready to be sent: many look, few change.

CREATE TABLE zone_copies (
  domain_id uuid PRIMARY KEY REFERENCES domains (id),
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- The domain's delegation at that time; another one makes the copy void.
  nameservers text[] NOT NULL,
  -- The whole reply.
  body text NOT NULL,
  checked_at timestamptz NOT NULL
);

ALTER TABLE zone_copies ENABLE ROW LEVEL SECURITY;
ALTER TABLE zone_copies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON zone_copies TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON zone_copies TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON zone_copies TO nameward_app, nameward_system;
