-- What the banks of end customers sent back of the refunds of a direct charge: told to the MSP once, and shown.
ALTER TABLE direct_charges ADD COLUMN returned_cents bigint NOT NULL DEFAULT 0 CHECK (returned_cents >= 0);
