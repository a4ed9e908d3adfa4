-- A job that runs while another of its key is asked for gives its key to that one and is not tried again. Should it fail, or
-- its process die, it would stand among the failed ones for ever, although the other one does its work: it is marked, and
-- taken away when nobody works on it any more.
CREATE OR REPLACE FUNCTION enqueue_job(task text, payload json, job_key text, run_at timestamptz, max_attempts int, queue text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF job_key IS NOT NULL THEN
    UPDATE graphile_worker._private_jobs SET flags = coalesce(flags, '{}') || '{"superseded": true}'
    WHERE key = job_key AND locked_at IS NOT NULL;
  END IF;
  PERFORM graphile_worker.add_job(
    identifier => task,
    payload => payload,
    queue_name => queue,
    run_at => run_at,
    max_attempts => max_attempts,
    job_key => job_key);
END $$;

-- Those of before: they had a key and lost it (a revision counts its changes), were never seen to fail for good by
-- themselves, and nobody works on them.
DELETE FROM graphile_worker._private_jobs
WHERE locked_at IS NULL AND key IS NULL AND attempts >= max_attempts AND last_error IS NULL;
