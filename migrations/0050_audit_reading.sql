-- Reading the log by person and customer, and its heads as they were each hour: a log that was cut short is noticed.
CREATE INDEX audit_by_actor ON audit_log (organisation_id, actor_id, sequence DESC);
CREATE INDEX audit_by_customer ON audit_log (organisation_id, customer_id, sequence DESC);

CREATE TABLE audit_heads (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  rows bigint NOT NULL,
  -- number of rows and hash, sealed: who cannot seal cannot make one up
  head_sealed bytea NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, rows)
);
ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_heads FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_heads TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON audit_heads TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON audit_heads TO nameward_system;
GRANT SELECT ON audit_heads TO nameward_app;
