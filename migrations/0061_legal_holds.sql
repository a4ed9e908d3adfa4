-- What must be kept of an erased customer: registrant data of registrations that ended, for transfer disputes, sealed, each
-- with the day on which it goes (docs/decisions/0083).

CREATE TABLE legal_holds (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  customer_id uuid NOT NULL REFERENCES customers (id),
  address text NOT NULL,
  -- contacts as last known and as ordered (AES-256-GCM, bound to organisation and row)
  data_sealed bytea NOT NULL,
  ended_at timestamptz NOT NULL,
  delete_after timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX legal_holds_due ON legal_holds (delete_after);
CREATE UNIQUE INDEX legal_holds_once ON legal_holds (organisation_id, customer_id, address, ended_at);

ALTER TABLE legal_holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE legal_holds FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON legal_holds TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON legal_holds TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON legal_holds TO nameward_app;
GRANT SELECT, INSERT, DELETE ON legal_holds TO nameward_system;

-- The one way by which the application's role may take anything out of the job tables: letters that wait for, or speak of,
-- an erased person. One that is being sent right now goes by itself.
CREATE FUNCTION forget_letters(terms text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  DELETE FROM graphile_worker._private_jobs j
  USING graphile_worker._private_tasks t
  WHERE t.id = j.task_id AND t.identifier IN ('mail.send', 'billing.notify') AND j.locked_at IS NULL
    AND EXISTS (SELECT 1 FROM unnest(terms) term WHERE strpos(lower(j.payload::text), lower(term)) > 0);
END $$;
REVOKE ALL ON FUNCTION forget_letters FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_letters TO nameward_app, nameward_system;
