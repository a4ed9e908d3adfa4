-- An organization is closed when nothing depends on it (docs/decisions/0289). Who adds something that would, says so here first, in
-- the transaction that adds it. Those who add share a lock and never wait for each other. Who closes has it alone: what was begun
-- before is waited for and then counted, and what is begun after is refused.
CREATE FUNCTION require_open_organisation(organisation uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('closing ' || organisation::text, 0));
  -- A statement of its own: it sees what the one who had the lock has committed.
  IF EXISTS (SELECT FROM organisations WHERE id = organisation AND closed_at IS NOT NULL) THEN
    RAISE EXCEPTION 'organization % is closed', organisation USING ERRCODE = 'NW001';
  END IF;
END $$;

-- For the organization of the transaction, as row-level security knows it, nothing is looked at or bought any more. These jobs are
-- named one by one, so that no other is lost: money that goes back, orders, letters, and what calls the operator are done all the same.
CREATE FUNCTION forget_jobs_of_organisation() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  DELETE FROM graphile_worker._private_jobs j
  USING graphile_worker._private_tasks t
  WHERE t.id = j.task_id AND j.locked_at IS NULL
    AND t.identifier IN ('acme.advance', 'billing.consider-auto-topup', 'changes.look', 'changes.run', 'domains.sync', 'renewals.renew')
    AND j.payload ->> 'organisationId' = current_organisation()::text;
END $$;
REVOKE ALL ON FUNCTION forget_jobs_of_organisation FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_jobs_of_organisation TO nameward_app, nameward_system;
