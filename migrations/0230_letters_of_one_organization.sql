-- An erasure takes waiting letters of its own organization only: of the one whose transaction it is, as row-level security
-- knows it, not of one that the caller names. Same words may stand in the letters of others. What says no organization
-- (letters of versions before letters had a sender) is left to be sent; without an organization nothing is deleted.
-- With the same argument, so that processes of the release before are held to it as well.
CREATE OR REPLACE FUNCTION forget_letters(terms text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  DELETE FROM graphile_worker._private_jobs j
  USING graphile_worker._private_tasks t
  WHERE t.id = j.task_id AND t.identifier IN ('mail.send', 'billing.notify') AND j.locked_at IS NULL
    AND CASE t.identifier WHEN 'mail.send' THEN j.payload -> 'sender' ->> 'organisationId' ELSE j.payload ->> 'organisationId' END
      = current_organisation()::text
    AND EXISTS (SELECT 1 FROM unnest(terms) term WHERE strpos(lower(j.payload::text), lower(term)) > 0);
END $$;
