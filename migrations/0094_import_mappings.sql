-- Which column of another program's customer list is which of ours: kept under a name, for the next file.
CREATE TABLE import_mappings (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 80),
  mapping jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX import_mappings_by_name ON import_mappings (organisation_id, lower(name));

ALTER TABLE import_mappings ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_mappings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON import_mappings TO nameward_app
  USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON import_mappings TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON import_mappings TO nameward_app, nameward_system;
