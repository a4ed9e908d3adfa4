-- News about certificates are noted first and sent together: one letter for all that a batch of orders brings.
ALTER TABLE certificate_notices
  ALTER COLUMN sent_at DROP NOT NULL,
  ADD COLUMN noted_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX certificate_notices_unsent ON certificate_notices (organisation_id) WHERE sent_at IS NULL;
