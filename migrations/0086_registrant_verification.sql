-- What the registrar says about the registrant's confirmed email address, and what the MSP was told of it; and until when a
-- deleted domain can be restored.
ALTER TABLE domains
  -- null: the registrar has not said
  ADD COLUMN verification text CHECK (verification IN ('verified', 'waiting', 'reviewing', 'suspended')),
  -- until then the registrant has to confirm
  ADD COLUMN verification_deadline timestamptz,
  -- the registrar's letter came back
  ADD COLUMN verification_bounced boolean NOT NULL DEFAULT false,
  ADD COLUMN verification_read_at timestamptz,
  -- when the portal last had the letter sent again
  ADD COLUMN verification_sent_at timestamptz,
  -- the last letter to the MSP: begun, soon or suspended
  ADD COLUMN verification_told text,
  -- set while the registry has deleted the name and still gives it back
  ADD COLUMN restorable_until timestamptz;
CREATE INDEX domains_unverified ON domains (organisation_id, verification)
  WHERE status <> 'ended' AND verification IN ('waiting', 'reviewing', 'suspended');
