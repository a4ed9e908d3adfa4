-- When a domain was last renewed through the portal, and when it came from another registrar: for its timeline.
ALTER TABLE domains
  ADD COLUMN renewed_at timestamptz,
  ADD COLUMN transferred_at timestamptz;
