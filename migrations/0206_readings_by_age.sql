-- Each domain has its own time for the next reading from the registrar, so that a large portal reads the oldest first, as many as the
-- registrar's limit leaves. Those that exist are due now; a new one was just read.
ALTER TABLE domains ADD COLUMN sync_due_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE domains ALTER COLUMN sync_due_at SET DEFAULT now() + interval '22 hours';
CREATE INDEX domains_sync_due ON domains (sync_due_at) WHERE status IN ('active', 'expired');

-- How many jobs of a kind could run now, counted up to a limit. The tables of the queue are nobody's but its own.
CREATE FUNCTION jobs_ready(task text, most int) RETURNS int LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public AS $$
  SELECT count(*)::int FROM (
    SELECT FROM graphile_worker._private_jobs
    WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = task)
      AND is_available AND run_at <= now()
    LIMIT most) AS ready
$$;
REVOKE ALL ON FUNCTION jobs_ready FROM PUBLIC;
GRANT EXECUTE ON FUNCTION jobs_ready TO nameward_system;
