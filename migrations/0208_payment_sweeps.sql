-- Until when the payment provider's payments and events are known to be read: by the last sweep that came to its end. A sweep looked back
-- three days, whenever the last one had been. What the provider had told while no sweep came to its end for longer was never read,
-- if its event was lost, too. No row: nothing is known to be read.
CREATE TABLE payment_sweeps (
  -- a connected account's id at the provider; empty: our own account
  account text PRIMARY KEY,
  reached_at timestamptz NOT NULL
);
ALTER TABLE payment_sweeps ENABLE ROW LEVEL SECURITY;
ALTER TABLE payment_sweeps FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON payment_sweeps TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON payment_sweeps TO nameward_system;
