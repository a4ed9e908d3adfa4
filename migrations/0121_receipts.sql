-- The number of an order's receipt: consecutive for each organization, without a gap, written by the transaction that
-- books the order's first charge.
CREATE TABLE receipts (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  order_id uuid PRIMARY KEY REFERENCES orders (id),
  number integer NOT NULL CHECK (number > 0),
  issued_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organisation_id, number)
);

-- Orders that were charged before there were numbers, in the order of their first charge.
ALTER TABLE journal NO FORCE ROW LEVEL SECURITY;
ALTER TABLE order_items NO FORCE ROW LEVEL SECURITY;
INSERT INTO receipts (organisation_id, order_id, number, issued_at)
SELECT organisation_id, order_id, row_number() OVER (PARTITION BY organisation_id ORDER BY at, order_id), at
FROM (
  SELECT i.organisation_id, i.order_id, min(j.at) AS at
  FROM journal j JOIN order_items i ON i.id = j.order_item_id
  WHERE j.kind = 'purchase' GROUP BY 1, 2
) charged;
ALTER TABLE journal FORCE ROW LEVEL SECURITY;
ALTER TABLE order_items FORCE ROW LEVEL SECURITY;

-- Who the papers of an organization are made out to, where that is more than its name.
CREATE TABLE billing_addresses (
  organisation_id uuid PRIMARY KEY REFERENCES organisations (id),
  name text NOT NULL,
  address text[] NOT NULL,
  tax_id text NOT NULL
);

-- What the organization's payment account has taken of its customers by direct charges, entry by entry: what came in, and
-- negative what went back. Written beside every change of a charge, whoever makes it; nothing is changed afterwards.
CREATE TABLE direct_takings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  charge_id uuid NOT NULL REFERENCES direct_charges (id),
  cents bigint NOT NULL CHECK (cents <> 0),
  at timestamptz NOT NULL
);
CREATE INDEX direct_takings_charge ON direct_takings (charge_id);
CREATE INDEX direct_takings_by_time ON direct_takings (organisation_id, at);

ALTER TABLE direct_charges NO FORCE ROW LEVEL SECURITY;
INSERT INTO direct_takings (organisation_id, charge_id, cents, at)
SELECT organisation_id, id, cents, coalesce(sent_at, updated_at) FROM direct_charges WHERE state = 'succeeded';
INSERT INTO direct_takings (organisation_id, charge_id, cents, at)
SELECT organisation_id, id, -refunded_cents, updated_at FROM direct_charges
WHERE state = 'succeeded' AND refunded_cents > 0;
ALTER TABLE direct_charges FORCE ROW LEVEL SECURITY;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['receipts', 'billing_addresses', 'direct_takings']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;
GRANT UPDATE ON billing_addresses TO nameward_app;

CREATE FUNCTION taken(c direct_charges) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN c.state = 'succeeded' THEN c.cents - c.refunded_cents ELSE 0 END
$$;
CREATE FUNCTION note_taking() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO direct_takings (organisation_id, charge_id, cents, at)
  VALUES (NEW.organisation_id, NEW.id, taken(NEW) - taken(OLD), NEW.updated_at);
  RETURN NULL;
END $$;
CREATE TRIGGER direct_charges_taken AFTER UPDATE ON direct_charges
  FOR EACH ROW WHEN (taken(NEW) <> taken(OLD)) EXECUTE FUNCTION note_taking();
