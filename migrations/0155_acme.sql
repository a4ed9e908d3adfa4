-- The ACME server (RFC 8555): which nonces were used, the accounts of clients, and what they ordered (docs/decisions/0209
-- to 0211). Authorizations and challenges follow from the order and have no table.

-- A nonce is sealed with the time at which it was made. Here is what was used, until it would be too old anyway.
CREATE TABLE acme_nonces (
  digest bytea PRIMARY KEY,
  used_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX acme_nonces_by_age ON acme_nonces (used_at);
GRANT SELECT, INSERT, DELETE ON acme_nonces TO nameward_app, nameward_system;

CREATE TABLE acme_accounts (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  access_id uuid NOT NULL REFERENCES acme_accesses (id),
  -- RFC 7638: one account per key, across organisations.
  thumbprint text NOT NULL UNIQUE,
  jwk jsonb NOT NULL,
  contacts text[] NOT NULL DEFAULT '{}',
  status text NOT NULL CHECK (status IN ('valid', 'deactivated')),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX acme_accounts_of_access ON acme_accounts (access_id);

CREATE TABLE acme_orders (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  account_id uuid NOT NULL REFERENCES acme_accounts (id),
  access_id uuid NOT NULL REFERENCES acme_accesses (id),
  customer_id uuid NOT NULL REFERENCES customers (id),
  -- Lower case, sorted, each once.
  names text[] NOT NULL CHECK (cardinality(names) > 0),
  state text NOT NULL CHECK (state IN ('ready', 'processing', 'valid', 'invalid')),
  -- By their place among the names: authorizations that the client has given up.
  given_up integer[] NOT NULL DEFAULT '{}',
  -- The certificate that it replaces (RFC 9773), as the client named it.
  replaces text,
  csr text,
  -- SHA-256 of the request, and of the public key in it.
  csr_digest bytea,
  key_digest bytea,
  -- What it has become: at most one of the two, and the certificate in the end.
  reissue_id uuid,
  order_item_id uuid,
  certificate_id uuid REFERENCES certificates (id),
  -- Authority key and serial, as in RFC 9773, of what was issued.
  issued_id text,
  serial text,
  valid_from timestamptz,
  valid_to timestamptz,
  chain text,
  revoked_at timestamptz,
  bought_cents bigint CHECK (bought_cents >= 0),
  bought_at timestamptz,
  -- The problem document of an order that came to nothing.
  problem jsonb,
  -- When a mail was sent because of it.
  told_at timestamptz,
  -- When the portal looks at it again by itself.
  next_look_at timestamptz,
  looks integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK (reissue_id IS NULL OR order_item_id IS NULL),
  CHECK ((bought_cents IS NULL) = (bought_at IS NULL)),
  CHECK (state <> 'valid' OR chain IS NOT NULL)
);
CREATE INDEX acme_orders_of_account ON acme_orders (account_id, id DESC);
CREATE INDEX acme_orders_due ON acme_orders (next_look_at) WHERE next_look_at IS NOT NULL;
CREATE INDEX acme_orders_bought ON acme_orders (access_id, bought_at) WHERE bought_at IS NOT NULL;
CREATE INDEX acme_orders_by_issue ON acme_orders (issued_id) WHERE issued_id IS NOT NULL;
CREATE INDEX acme_orders_by_key ON acme_orders (key_digest) WHERE key_digest IS NOT NULL;
-- One living order takes the place of a certificate.
CREATE UNIQUE INDEX acme_orders_replacing ON acme_orders (access_id, replaces) WHERE state IN ('processing', 'valid');

-- Keys that their holders have called compromised: no certificate is made for them again, for anybody.
CREATE TABLE acme_compromised_keys (
  digest bytea PRIMARY KEY,
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT ON acme_compromised_keys TO nameward_app, nameward_system;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['acme_accounts', 'acme_orders'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;

ALTER TABLE orders DROP CONSTRAINT orders_source_check;
ALTER TABLE orders ADD CONSTRAINT orders_source_check CHECK (source IN ('cart', 'auto_renew', 'api', 'acme'));

-- The access whose machine installs the certificate; NULL: a person does.
ALTER TABLE certificates ADD COLUMN acme_access_id uuid REFERENCES acme_accesses (id);

-- The order that each certificate came from, so that a reissue's is found, and a replaced one can be revoked by itself.
ALTER TABLE certificate_issues ADD COLUMN registrar_order_id text;
