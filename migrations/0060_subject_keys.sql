-- The audit log cannot be rewritten, and a person can ask to be forgotten: what an entry says of a person is sealed with
-- that person's key, and goes with it (docs/decisions/0082).

CREATE TABLE subject_keys (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- the customer, user or invitation that the sealed values are about
  subject_id uuid NOT NULL,
  key bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation_id, subject_id)
);

ALTER TABLE subject_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE subject_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON subject_keys TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON subject_keys TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE ON subject_keys TO nameward_app, nameward_system;
