-- Certificates after their order: what the authority wants to see, every certificate that was issued, reissues inside
-- the term, and the letters that were sent about them.

ALTER TABLE certificates
  -- What the authority wants to see, as the registrar last said it: method, record or file.
  ADD COLUMN proof jsonb,
  -- set: the portal wrote the record; present: seen in DNS; missing: not seen; waiting: the domain is not there yet.
  ADD COLUMN proof_state text CHECK (proof_state IN ('set', 'present', 'missing', 'waiting')),
  ADD COLUMN proof_checked_at timestamptz,
  ADD COLUMN approver_email text,
  -- The registrar's or the authority's last remark, fit to show.
  ADD COLUMN remark text,
  ADD COLUMN host_names text[] NOT NULL DEFAULT '{}',
  -- As ordered; a reissue sends them again.
  ADD COLUMN contacts jsonb,
  ADD COLUMN auto_reissue boolean NOT NULL DEFAULT true,
  -- The order that the running certificate came from: the first one, or the last reissue.
  ADD COLUMN issued_order_id text,
  ADD COLUMN downloaded_at timestamptz,
  ADD COLUMN revoked_at timestamptz,
  ADD COLUMN next_sync_at timestamptz,
  ADD COLUMN sync_failures integer NOT NULL DEFAULT 0;
CREATE INDEX certificates_due ON certificates (next_sync_at) WHERE next_sync_at IS NOT NULL;
CREATE INDEX certificates_by_order ON certificates (organisation_id, registrar_order_id);
CREATE INDEX certificates_running ON certificates (valid_to) WHERE state = 'completed';

-- Rows of before: let the registrar say how they stand.
UPDATE certificates SET next_sync_at = now() WHERE state NOT IN ('declined', 'cancelled');

-- Stored before the registrar is asked; its id travels as the tag, so that a lost answer is found and never repeated.
CREATE TABLE certificate_reissues (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  certificate_id uuid NOT NULL REFERENCES certificates (id),
  csr text NOT NULL,
  state text NOT NULL CHECK (state IN ('sending', 'unknown', 'running', 'completed', 'declined')),
  registrar_order_id text,
  automatic boolean NOT NULL,
  remark text,
  created_at timestamptz NOT NULL,
  ended_at timestamptz
);
CREATE UNIQUE INDEX certificate_reissues_open ON certificate_reissues (certificate_id)
  WHERE state IN ('sending', 'unknown', 'running');

CREATE TABLE certificate_issues (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  certificate_id uuid NOT NULL REFERENCES certificates (id),
  serial text NOT NULL,
  valid_from timestamptz NOT NULL,
  valid_to timestamptz NOT NULL,
  certificate_pem text NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (certificate_id, serial)
);

-- One letter of a kind about one certificate, whatever runs twice.
CREATE TABLE certificate_notices (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  certificate_id uuid NOT NULL REFERENCES certificates (id),
  serial text NOT NULL,
  kind text NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (certificate_id, serial, kind)
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['certificate_reissues', 'certificate_issues', 'certificate_notices']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;
