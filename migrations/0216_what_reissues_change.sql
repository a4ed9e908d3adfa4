-- The access whose machine asked for a reissue; NULL: a person or the portal did. The certificate gets it, with the new request, when
-- the reissue completes. It was written with the intent, so a person's certificate stayed the machine's when the registrar refused.
ALTER TABLE certificate_reissues ADD COLUMN acme_access_id uuid REFERENCES acme_accesses (id);
UPDATE certificate_reissues r SET acme_access_id = o.access_id FROM acme_orders o
WHERE o.reissue_id = r.id AND r.state IN ('sending', 'unknown', 'running');

-- Since when each certificate is revoked. A reissue that was open may take the place of a revoked one.
ALTER TABLE certificate_issues ADD COLUMN revoked_at timestamptz;
UPDATE certificate_issues i SET revoked_at = coalesce(c.revoked_at, now()) FROM certificates c
WHERE c.id = i.certificate_id AND c.serial = i.serial AND c.state = 'revoked';
