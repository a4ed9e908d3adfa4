-- Direct billing (decisions no. 24): end customers' payment methods on the MSP's payment account, the links by which
-- they store one, and what they are charged. None of this is the prepaid balance's money: no ledger entry.

-- The method that is charged, and one whose consent the bank has withdrawn: it stays stored, and is not used again.
ALTER TABLE customers
  ADD COLUMN payment_method_id text,
  ADD COLUMN payment_method_revoked text;
CREATE UNIQUE INDEX customers_payment_customer ON customers (payment_customer_id) WHERE payment_customer_id IS NOT NULL;
CREATE INDEX customers_payment_method ON customers (payment_method_id) WHERE payment_method_id IS NOT NULL;

CREATE TABLE payment_setup_links (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  customer_id uuid NOT NULL REFERENCES customers (id),
  -- SHA-256 of the token in the address
  token_hash bytea NOT NULL UNIQUE,
  email text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payment_setup_links_customer ON payment_setup_links (organisation_id, customer_id, created_at);

-- One a purchase and customer; what is confirmed much later than the rest (a transfer) makes a further part.
CREATE TABLE direct_charges (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  customer_id uuid NOT NULL REFERENCES customers (id),
  order_id uuid NOT NULL REFERENCES orders (id),
  part integer NOT NULL CHECK (part >= 1),
  cents bigint NOT NULL CHECK (cents > 0),
  state text NOT NULL CHECK (state IN ('collecting', 'sending', 'processing', 'succeeded', 'failed', 'waived')),
  attempt integer NOT NULL DEFAULT 0,
  payment_intent text UNIQUE,
  refunded_cents bigint NOT NULL DEFAULT 0,
  failure text,
  next_try_at timestamptz,
  note text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  UNIQUE (order_id, customer_id, part)
);
CREATE INDEX direct_charges_by_time ON direct_charges (organisation_id, created_at DESC, id);
CREATE INDEX direct_charges_open ON direct_charges (updated_at)
  WHERE state IN ('collecting', 'sending', 'processing', 'failed');

CREATE TABLE direct_charge_items (
  item_id uuid PRIMARY KEY REFERENCES order_items (id),
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  charge_id uuid NOT NULL REFERENCES direct_charges (id),
  price_cents bigint NOT NULL CHECK (price_cents >= 0),
  markup_cents bigint NOT NULL CHECK (markup_cents >= 0)
);
CREATE INDEX direct_charge_items_charge ON direct_charge_items (charge_id);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['payment_setup_links', 'direct_charges', 'direct_charge_items']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;
