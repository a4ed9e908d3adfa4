-- The foundation: tenants, people, customers, domains, orders, the ledger, top-ups, prices.
-- Roles nameward_app (tenant work, row-level security) and nameward_system (jobs across tenants) are made by the
-- migration runner before this file runs. Neither owns a table.

-- The tenant of the present transaction; unset means no rows.
CREATE FUNCTION current_organisation() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT nullif(current_setting('app.organisation', true), '')::uuid $$;

-- ---------------------------------------------------------------- tenants and people

CREATE TABLE organisations (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 64),
  logo_key text,
  -- Registrations of this organisation start with auto renew on or off (specification's default: off).
  default_auto_renew boolean NOT NULL DEFAULT false,
  closed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
  id uuid PRIMARY KEY,
  -- null until an invited person has accepted: an empty profile belongs to nobody yet
  organisation_id uuid REFERENCES organisations (id),
  identity_issuer text NOT NULL,
  identity_subject text NOT NULL,
  email text NOT NULL,
  email_verified boolean NOT NULL DEFAULT false,
  username text NOT NULL DEFAULT '',
  role text NOT NULL CHECK (role IN ('MSP_OWNER', 'MSP_ADMIN', 'MSP_EMPLOYEE', 'MSP_CUSTOMER')),
  customer_id uuid,
  first_name text NOT NULL DEFAULT '',
  last_name text NOT NULL DEFAULT '',
  daily_limit_cents bigint,
  disabled_at timestamptz,
  removed_at timestamptz,
  last_seen_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (role <> 'MSP_CUSTOMER' OR customer_id IS NOT NULL OR organisation_id IS NULL)
);
-- One living profile per sign-in; a removed user may be invited again.
CREATE UNIQUE INDEX users_identity ON users (identity_issuer, identity_subject) WHERE removed_at IS NULL;
CREATE INDEX users_organisation ON users (organisation_id) WHERE removed_at IS NULL;

CREATE TABLE invites (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('MSP_OWNER', 'MSP_ADMIN', 'MSP_EMPLOYEE', 'MSP_CUSTOMER')),
  customer_id uuid,
  -- SHA-256 of the token; the token itself is sealed so that managers can copy the link again
  token_hash bytea NOT NULL UNIQUE,
  token_sealed bytea NOT NULL,
  invited_by uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX invites_open ON invites (organisation_id, lower(email)) WHERE accepted_at IS NULL AND cancelled_at IS NULL;

-- ---------------------------------------------------------------- customers

CREATE TABLE customers (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  owner jsonb NOT NULL,
  admin jsonb NOT NULL,
  billing_contact jsonb NOT NULL,
  bill_directly boolean NOT NULL DEFAULT false,
  billing_email text NOT NULL DEFAULT '',
  allow_change_billing boolean NOT NULL DEFAULT false,
  markups jsonb NOT NULL,
  payment_customer_id text,
  payment_method_set boolean NOT NULL DEFAULT false,
  allow_domain_settings boolean NOT NULL DEFAULT false,
  external_id text,
  version integer NOT NULL DEFAULT 1,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Columns for sorting and search on the server, kept by the database itself.
  organization text GENERATED ALWAYS AS (owner ->> 'organization') STORED,
  contact_name text GENERATED ALWAYS AS ((owner ->> 'firstName') || ' ' || (owner ->> 'lastName')) STORED,
  location text GENERATED ALWAYS AS ((owner ->> 'country') || ' ' || (owner ->> 'state')) STORED,
  search_text text GENERATED ALWAYS AS (lower(
    (owner ->> 'organization') || ' ' || (owner ->> 'firstName') || ' ' || (owner ->> 'lastName') || ' ' ||
    (owner ->> 'email') || ' ' || (owner ->> 'city') || ' ' || (owner ->> 'state') || ' ' || (owner ->> 'country')
  )) STORED
);
CREATE INDEX customers_organization ON customers (organisation_id, organization, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_contact ON customers (organisation_id, contact_name, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_location ON customers (organisation_id, location, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_created ON customers (organisation_id, created_at, id) WHERE deleted_at IS NULL;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX customers_search ON customers USING gin (search_text gin_trgm_ops) WHERE deleted_at IS NULL;

-- ---------------------------------------------------------------- domains

CREATE TABLE domains (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  customer_id uuid REFERENCES customers (id),
  address text NOT NULL CHECK (address = lower(address) AND char_length(address) <= 253),
  status text NOT NULL CHECK (status IN ('active', 'transferring', 'expired', 'ended')),
  registered_at timestamptz,
  expires_at timestamptz,
  auto_renew boolean NOT NULL DEFAULT false,
  locked boolean,
  privacy boolean,
  nameservers text[] NOT NULL DEFAULT '{}',
  -- Registrant profile at the registrar (AES-256-GCM, bound to organisation and row).
  credentials_sealed bytea,
  synced_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- The registrar holds a name once, whoever of its resellers' customers has it.
CREATE UNIQUE INDEX domains_living ON domains (address) WHERE status <> 'ended';
CREATE INDEX domains_by_address ON domains (organisation_id, address) WHERE status <> 'ended';
CREATE INDEX domains_by_expiry ON domains (organisation_id, expires_at, address) WHERE status <> 'ended';
CREATE INDEX domains_by_customer ON domains (organisation_id, customer_id, address) WHERE status <> 'ended';
CREATE INDEX domains_search ON domains USING gin (address gin_trgm_ops) WHERE status <> 'ended';

CREATE TABLE certificates (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  customer_id uuid REFERENCES customers (id),
  address text NOT NULL,
  provider text NOT NULL,
  product_type text NOT NULL,
  state text NOT NULL,
  registrar_order_id text,
  registrar_product_id text,
  csr text NOT NULL,
  validation_method text NOT NULL DEFAULT 'Email',
  ordered_at timestamptz NOT NULL DEFAULT now(),
  term_ends_at timestamptz,
  valid_from timestamptz,
  valid_to timestamptz,
  serial text,
  certificate_pem text,
  chain_pem text,
  order_item_id uuid,
  synced_at timestamptz
);
CREATE INDEX certificates_by_address ON certificates (organisation_id, address, ordered_at DESC);
CREATE INDEX certificates_by_customer ON certificates (organisation_id, customer_id);

-- ---------------------------------------------------------------- prices (the operator's, not a tenant's)

CREATE TABLE price_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  version integer NOT NULL,
  -- domain or certificate
  product text NOT NULL,
  -- the suffix, or the product type
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('new', 'renewal', 'transfer')),
  -- price of one year in cents
  price_cents bigint NOT NULL CHECK (price_cents >= 0),
  valid_from timestamptz NOT NULL DEFAULT now(),
  UNIQUE (version, product, name, kind)
);

CREATE TABLE certificate_products (
  product_type text PRIMARY KEY,
  provider text NOT NULL,
  name text NOT NULL,
  cost_cents bigint NOT NULL CHECK (cost_cents >= 0),
  business_validated boolean NOT NULL,
  wildcard boolean NOT NULL,
  sort integer NOT NULL DEFAULT 0,
  active boolean NOT NULL DEFAULT true
);

-- What the registrar last said a name costs us; a quote is good for a while, so that a purchase need not ask again.
CREATE TABLE cost_quotes (
  address text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('new', 'renewal', 'transfer')),
  years integer NOT NULL,
  cost_cents bigint NOT NULL CHECK (cost_cents >= 0),
  premium boolean NOT NULL,
  quoted_at timestamptz NOT NULL,
  PRIMARY KEY (address, kind, years)
);

-- ---------------------------------------------------------------- ledger

CREATE TABLE wallets (
  organisation_id uuid PRIMARY KEY REFERENCES organisations (id),
  posted_cents bigint NOT NULL DEFAULT 0,
  held_cents bigint NOT NULL DEFAULT 0 CHECK (held_cents >= 0),
  pending_cents bigint NOT NULL DEFAULT 0 CHECK (pending_cents >= 0)
);

CREATE TABLE journal (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  kind text NOT NULL,
  -- what this entry is for, once: `item:<id>:capture`, `topup:<id>:succeeded`
  ref text NOT NULL UNIQUE,
  actor text NOT NULL,
  text text NOT NULL DEFAULT '',
  order_item_id uuid,
  topup_id uuid,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX journal_by_time ON journal (organisation_id, at, id);

CREATE TABLE postings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  journal_id uuid NOT NULL REFERENCES journal (id),
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  account text NOT NULL CHECK (account IN ('wallet', 'pending_topups', 'receivable', 'payments_clearing',
    'payment_fees', 'registrar_cost', 'revenue', 'disputes', 'adjustments')),
  cents bigint NOT NULL CHECK (cents <> 0)
);
CREATE INDEX postings_journal ON postings (journal_id);
CREATE INDEX postings_account ON postings (organisation_id, account);

CREATE FUNCTION journal_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT coalesce(sum(cents), 0) FROM postings WHERE journal_id = NEW.journal_id) <> 0 THEN
    RAISE EXCEPTION 'postings of journal entry % do not sum to zero', NEW.journal_id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER postings_sum_to_zero AFTER INSERT ON postings
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION journal_balances();

CREATE TABLE holds (
  item_id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  cents bigint NOT NULL CHECK (cents >= 0),
  state text NOT NULL CHECK (state IN ('open', 'captured', 'released')),
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX holds_open ON holds (organisation_id) WHERE state = 'open';

-- ---------------------------------------------------------------- orders

CREATE TABLE orders (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  user_id uuid,
  source text NOT NULL CHECK (source IN ('cart', 'auto_renew', 'api')),
  state text NOT NULL CHECK (state IN ('held', 'running', 'settled', 'partial', 'failed')),
  total_cents bigint NOT NULL CHECK (total_cents >= 0),
  -- open items of earlier orders that this one wanted too: bought once, shown in both
  attached uuid[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX orders_by_time ON orders (organisation_id, created_at DESC, id);

CREATE TABLE order_items (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  order_id uuid NOT NULL REFERENCES orders (id),
  position integer NOT NULL,
  kind text NOT NULL CHECK (kind IN ('domain', 'renewal', 'transfer', 'certificate')),
  address text NOT NULL,
  customer_id uuid REFERENCES customers (id),
  years integer NOT NULL CHECK (years BETWEEN 1 AND 10),
  price_cents bigint NOT NULL CHECK (price_cents >= 0),
  cost_cents bigint NOT NULL CHECK (cost_cents >= 0),
  -- privacy, auto renew, contacts as ordered, product, CSR; never a secret
  details jsonb NOT NULL,
  -- auth code and registrant profile, sealed
  secrets_sealed bytea,
  state text NOT NULL CHECK (state IN ('queued', 'sending', 'pending', 'unknown', 'review', 'succeeded', 'declined')),
  attempt integer NOT NULL DEFAULT 0,
  intent_hash text,
  sent_at timestamptz,
  -- first moment the outcome became unknown; releases wait from here
  unknown_since timestamptz,
  next_check_at timestamptz,
  checks integer NOT NULL DEFAULT 0,
  registrar_order_id text,
  -- expiry year at the registry when the price was quoted (renewals)
  expiry_year integer,
  public_error text,
  outcome_note text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
-- One open item per thing to be had: a second buyer attaches to the running one.
CREATE UNIQUE INDEX order_items_open ON order_items (organisation_id, kind, address)
  WHERE state IN ('queued', 'sending', 'pending', 'unknown', 'review');
CREATE INDEX order_items_order ON order_items (order_id, position);
CREATE INDEX order_items_due ON order_items (next_check_at) WHERE state IN ('queued', 'sending', 'pending', 'unknown');

CREATE TABLE idempotency_keys (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  user_id uuid NOT NULL,
  key text NOT NULL CHECK (char_length(key) BETWEEN 8 AND 200),
  operation text NOT NULL,
  request_hash text NOT NULL,
  -- null while the request runs
  status integer,
  reply jsonb,
  order_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation_id, user_id, operation, key)
);

-- ---------------------------------------------------------------- payments

CREATE TABLE billing_profiles (
  organisation_id uuid PRIMARY KEY REFERENCES organisations (id),
  payment_customer_id text UNIQUE,
  payment_method_id text,
  payment_account_id text UNIQUE,
  payment_account_ready boolean NOT NULL DEFAULT false,
  initial_fee_paid boolean NOT NULL DEFAULT false,
  auto_topup boolean NOT NULL DEFAULT false,
  auto_topup_cents bigint NOT NULL DEFAULT 10000,
  auto_topup_mark_cents bigint NOT NULL DEFAULT 5000,
  auto_topup_paused_until timestamptz,
  auto_topup_declines integer NOT NULL DEFAULT 0,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE topups (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  user_id uuid,
  kind text NOT NULL CHECK (kind IN ('manual', 'initial', 'auto')),
  cents bigint NOT NULL CHECK (cents > 0),
  payment_intent text UNIQUE,
  state text NOT NULL CHECK (state IN ('requested', 'requires_action', 'processing', 'failed', 'cancelled', 'succeeded', 'reversed')),
  rank integer NOT NULL DEFAULT 0,
  -- what is in pending_cents of the wallet for this top-up
  pending_cents bigint NOT NULL DEFAULT 0,
  reversed_cents bigint NOT NULL DEFAULT 0,
  fee_cents bigint NOT NULL DEFAULT 0,
  method text,
  failure text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX topups_by_time ON topups (organisation_id, created_at DESC);
CREATE INDEX topups_open ON topups (updated_at) WHERE state IN ('requested', 'requires_action', 'processing');
CREATE UNIQUE INDEX topups_one_auto ON topups (organisation_id)
  WHERE kind = 'auto' AND state IN ('requested', 'requires_action', 'processing');

CREATE TABLE webhook_events (
  id text PRIMARY KEY,
  type text NOT NULL,
  account text,
  object_id text,
  payload jsonb NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  applied_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  last_error text
);
CREATE INDEX webhook_events_open ON webhook_events (received_at) WHERE applied_at IS NULL;

-- ---------------------------------------------------------------- common

CREATE TABLE audit_log (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  sequence bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  actor_id uuid,
  actor text NOT NULL,
  ip text,
  action text NOT NULL,
  object_kind text NOT NULL,
  object text NOT NULL,
  customer_id uuid,
  before jsonb,
  after jsonb,
  previous_hash bytea NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (organisation_id, sequence)
);
CREATE INDEX audit_by_object ON audit_log (organisation_id, object, sequence DESC);

-- Windows of rate limits that all processes share. Losing it in a crash does no harm.
CREATE UNLOGGED TABLE rate_windows (
  key text PRIMARY KEY,
  window_start timestamptz NOT NULL,
  hits integer NOT NULL
);

-- ---------------------------------------------------------------- who may touch what

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['invites', 'customers', 'domains', 'certificates', 'wallets', 'journal',
    'postings', 'holds', 'orders', 'order_items', 'idempotency_keys', 'billing_profiles', 'topups', 'audit_log']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;

ALTER TABLE organisations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organisations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organisations TO nameward_app USING (id = current_organisation()) WITH CHECK (id = current_organisation());
CREATE POLICY system ON organisations TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON organisations TO nameward_app, nameward_system;

ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON users TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON users TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON users TO nameward_app, nameward_system;

-- Append-only: nobody but the owner could change what was written.
REVOKE UPDATE, DELETE ON journal, postings, audit_log FROM nameward_app, nameward_system;

GRANT SELECT ON price_entries, certificate_products TO nameward_app, nameward_system;
GRANT INSERT, UPDATE, DELETE ON price_entries, certificate_products TO nameward_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON cost_quotes, rate_windows TO nameward_app, nameward_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_events TO nameward_system;

-- ---------------------------------------------------------------- certificate products (families of P1 §3; costs are the operator's to set)

INSERT INTO certificate_products (product_type, provider, name, cost_cents, business_validated, wildcard, sort) VALUES
  ('rapidssl', 'RapidSSL', 'RapidSSL', 1495, false, false, 10),
  ('rapidssl_wildcard', 'RapidSSL', 'RapidSSL Wildcard', 9900, false, true, 11),
  ('positivessl', 'Sectigo', 'PositiveSSL', 995, false, false, 20),
  ('positivessl_wildcard', 'Sectigo', 'PositiveSSL Wildcard', 8500, false, true, 21),
  ('essentialssl', 'Sectigo', 'EssentialSSL', 1895, false, false, 22),
  ('essentialssl_wildcard', 'Sectigo', 'EssentialSSL Wildcard', 9900, false, true, 23),
  ('comodo_ssl', 'Sectigo', 'Sectigo SSL', 4500, false, false, 24),
  ('comodo_wildcard', 'Sectigo', 'Sectigo SSL Wildcard', 15000, false, true, 25),
  ('comodo_premiumssl', 'Sectigo', 'PremiumSSL', 7500, true, false, 26),
  ('comodo_ev', 'Sectigo', 'Sectigo EV', 12900, true, false, 27),
  ('ssl123', 'Thawte', 'SSL123', 3500, false, false, 30),
  ('sslwebserver', 'Thawte', 'SSL Web Server', 8900, true, false, 31),
  ('sslwebserver_ev', 'Thawte', 'SSL Web Server EV', 19900, true, false, 32),
  ('truebizid', 'GeoTrust', 'True BusinessID', 9900, true, false, 40),
  ('truebizid_ev', 'GeoTrust', 'True BusinessID EV', 16900, true, false, 41),
  ('truebizid_wildcard', 'GeoTrust', 'True BusinessID Wildcard', 34900, true, true, 42),
  ('securesite', 'DigiCert', 'Secure Site', 29900, true, false, 50),
  ('securesite_pro', 'DigiCert', 'Secure Site Pro', 69900, true, false, 51),
  ('securesite_ev', 'DigiCert', 'Secure Site EV', 69900, true, false, 52),
  ('trustwave_dv', 'Trustwave', 'Trustwave DV', 4900, false, false, 60),
  ('trustwave_ev', 'Trustwave', 'Trustwave EV', 24900, true, false, 61);
