-- Automatic renewal: what the portal means to renew, written before it orders, once for each year of each domain.
CREATE TABLE auto_renewals (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  address text NOT NULL,
  -- year of the expiry that is to be moved, as the registry's own guard against a second renewal has it
  expiry_year integer NOT NULL,
  expires_at timestamptz NOT NULL,
  -- intended: about to be ordered; ordered: the order engine has it; unable: tried again later; done; dropped: no
  -- longer wanted, or renewed by somebody else
  state text NOT NULL CHECK (state IN ('intended', 'ordered', 'unable', 'done', 'dropped')),
  attempt integer NOT NULL DEFAULT 1,
  price_cents bigint NOT NULL CHECK (price_cents >= 0),
  order_id uuid,
  -- funds, or refused by the registrar
  reason_kind text CHECK (reason_kind IN ('funds', 'refused')),
  reason text,
  next_try_at timestamptz,
  -- the MSP was told that it could not be renewed
  told_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation_id, address, expiry_year)
);
CREATE INDEX auto_renewals_untold ON auto_renewals (organisation_id) WHERE state = 'unable' AND told_at IS NULL;

-- Reminders before and after expiry: each once for each policy date.
CREATE TABLE renewal_reminders (
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  address text NOT NULL,
  expiry_year integer NOT NULL,
  -- days before expiry; negative: after
  days integer NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (organisation_id, address, expiry_year, days)
);

CREATE INDEX domains_auto_renew ON domains (expires_at) WHERE auto_renew AND status IN ('active', 'expired');

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['auto_renewals', 'renewal_reminders']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;
