-- Who is at the provider for a charge, a refund or an automatic top-up: each try takes a claim of its own, so that a
-- process that was paused finds that another has taken over, and sends nothing (docs/decisions/0110).
ALTER TABLE direct_charges ADD COLUMN claim uuid, ADD COLUMN claimed_at timestamptz;
ALTER TABLE direct_refunds ADD COLUMN claim uuid, ADD COLUMN claimed_at timestamptz;
ALTER TABLE topups ADD COLUMN claim uuid, ADD COLUMN claimed_at timestamptz;
