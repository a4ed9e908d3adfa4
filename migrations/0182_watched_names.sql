-- Names that are held elsewhere and looked at all the same. What is wrong with them stands where it does for domains held here.
CREATE TABLE watched_names (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- null: of no customer
  customer_id uuid REFERENCES customers (id),
  address text NOT NULL CHECK (address = lower(address) AND char_length(address) <= 253),
  -- as the registry said last
  registrar text,
  expires_at timestamptz,
  created_at timestamptz NOT NULL,
  created_by uuid REFERENCES users (id)
);
CREATE UNIQUE INDEX watched_names_once ON watched_names (organisation_id, address);
CREATE INDEX watched_names_of_customer ON watched_names (customer_id) WHERE customer_id IS NOT NULL;

ALTER TABLE watched_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE watched_names FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON watched_names TO nameward_app
  USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON watched_names TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON watched_names TO nameward_app, nameward_system;

-- A look and a finding are about a domain or a watched name. `subject_id`: either. The older keys stay for processes of the
-- version before.
ALTER TABLE health_checks DROP CONSTRAINT health_checks_pkey;
ALTER TABLE health_checks ALTER COLUMN domain_id DROP NOT NULL;
ALTER TABLE health_checks
  ADD COLUMN watched_id uuid REFERENCES watched_names (id) ON DELETE CASCADE,
  ADD COLUMN subject_id uuid GENERATED ALWAYS AS (coalesce(domain_id, watched_id)) STORED,
  ADD CONSTRAINT health_checks_of_one CHECK (num_nonnulls(domain_id, watched_id) = 1),
  ADD CONSTRAINT health_checks_of_domain UNIQUE (domain_id),
  ADD CONSTRAINT health_checks_of_watched UNIQUE (watched_id),
  ADD PRIMARY KEY (subject_id);

ALTER TABLE health_findings ALTER COLUMN domain_id DROP NOT NULL;
ALTER TABLE health_findings
  ADD COLUMN watched_id uuid REFERENCES watched_names (id) ON DELETE CASCADE,
  ADD COLUMN subject_id uuid GENERATED ALWAYS AS (coalesce(domain_id, watched_id)) STORED,
  ADD CONSTRAINT health_findings_of_one CHECK (num_nonnulls(domain_id, watched_id) = 1);
ALTER TABLE health_findings ALTER COLUMN subject_id SET NOT NULL;
CREATE UNIQUE INDEX health_findings_of_subject ON health_findings (subject_id, kind);
CREATE INDEX health_findings_of_watched ON health_findings (watched_id) WHERE watched_id IS NOT NULL;

-- A name that is held here from now on is looked at as a domain.
CREATE FUNCTION stop_watching() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM watched_names WHERE organisation_id = NEW.organisation_id AND address = NEW.address;
  RETURN NULL;
END $$;
CREATE TRIGGER watching_ends AFTER INSERT OR UPDATE OF status ON domains
  FOR EACH ROW WHEN (NEW.status IN ('active', 'expired')) EXECUTE FUNCTION stop_watching();

-- Names are watched for a customer as long as there is the customer.
CREATE FUNCTION stop_watching_for() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM watched_names WHERE customer_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER watching_ends AFTER UPDATE OF deleted_at ON customers
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION stop_watching_for();

-- Whose a name is, is said in what needs attention.
CREATE TRIGGER attention_changed AFTER UPDATE ON watched_names FOR EACH ROW
  WHEN (OLD.customer_id IS DISTINCT FROM NEW.customer_id) EXECUTE FUNCTION mark_attention('health');
