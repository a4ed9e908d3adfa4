-- What a machine of a customer may do by ACME: an access with a key of its own, and what was done with it (docs/decisions/0212).
CREATE TABLE acme_accesses (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  customer_id uuid NOT NULL REFERENCES customers (id),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  -- What the client calls the access by (RFC 8555 7.3.4), across organisations.
  key_id text NOT NULL UNIQUE,
  hmac_sealed bytea NOT NULL,
  -- NULL: every name of the customer. Never empty: absence does not mean everything by accident.
  hosts text[] CHECK (cardinality(hosts) > 0),
  -- What is ordered when no certificate of the wanted names has a running term.
  product_type text NOT NULL,
  -- Both or neither; NULL: it never buys.
  orders_per_month integer CHECK (orders_per_month > 0),
  cents_per_month bigint CHECK (cents_per_month > 0),
  made_by uuid NOT NULL REFERENCES users (id),
  -- Made by a customer's own user: it buys no more than the customer's allowance says at that moment.
  by_customer boolean NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((orders_per_month IS NULL) = (cents_per_month IS NULL))
);
CREATE INDEX acme_accesses_of_organisation ON acme_accesses (organisation_id, created_at DESC);
CREATE INDEX acme_accesses_of_customer ON acme_accesses (customer_id);

-- What was done with an access, newest last. The oldest are dropped (access-log.repo.ts).
CREATE TABLE acme_access_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  access_id uuid NOT NULL REFERENCES acme_accesses (id),
  at timestamptz NOT NULL,
  -- A client that tries the same thing every minute is one entry.
  last_at timestamptz NOT NULL,
  times integer NOT NULL DEFAULT 1,
  event text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('done', 'waiting', 'refused', 'failed')),
  identifiers text[] NOT NULL DEFAULT '{}',
  detail text NOT NULL DEFAULT '' CHECK (char_length(detail) <= 500)
);
CREATE INDEX acme_access_log_of_access ON acme_access_log (access_id, id DESC);

-- A customer whose own users may make accesses, and what each of those may have at most. No row: they may not.
CREATE TABLE acme_allowances (
  customer_id uuid PRIMARY KEY REFERENCES customers (id),
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  most_accesses integer NOT NULL CHECK (most_accesses > 0),
  product_type text NOT NULL,
  orders_per_month integer CHECK (orders_per_month > 0),
  cents_per_month bigint CHECK (cents_per_month > 0),
  CHECK ((orders_per_month IS NULL) = (cents_per_month IS NULL))
);
CREATE INDEX acme_allowances_of_organisation ON acme_allowances (organisation_id);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['acme_accesses', 'acme_access_log', 'acme_allowances'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE ON acme_accesses TO nameward_app, nameward_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON acme_access_log TO nameward_system;
GRANT SELECT, DELETE ON acme_access_log TO nameward_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON acme_allowances TO nameward_app;
GRANT SELECT ON acme_allowances TO nameward_system;
