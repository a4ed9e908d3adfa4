-- A job could be taken by a process between the mark and the library's call. Unmarked, it gave its key away all the same, and was left
-- among the failed ones if that process died. Its row is now locked first: a process that looks for jobs skips locked rows.
CREATE OR REPLACE FUNCTION enqueue_job(task text, payload json, job_key text, run_at timestamptz, max_attempts int, queue text,
  background boolean DEFAULT false)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF job_key IS NOT NULL THEN
    PERFORM FROM graphile_worker._private_jobs WHERE key = job_key FOR UPDATE;
    UPDATE graphile_worker._private_jobs SET flags = coalesce(flags, '{}') || '{"superseded": true}'
    WHERE key = job_key AND locked_at IS NOT NULL;
  END IF;
  PERFORM graphile_worker.add_job(
    identifier => task,
    payload => payload,
    queue_name => queue,
    run_at => run_at,
    max_attempts => max_attempts,
    job_key => job_key,
    priority => CASE WHEN background THEN 1 ELSE 0 END);
END $$;

CREATE OR REPLACE FUNCTION enqueue_jobs(task text, payloads json[], job_keys text[], run_at timestamptz, max_attempts int, queue text,
  background boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF coalesce(cardinality(payloads), 0) = 0 THEN RETURN; END IF;
  PERFORM FROM graphile_worker._private_jobs WHERE key = ANY (job_keys) ORDER BY key FOR UPDATE;
  UPDATE graphile_worker._private_jobs SET flags = coalesce(flags, '{}') || '{"superseded": true}'
  WHERE key = ANY (job_keys) AND locked_at IS NOT NULL;
  PERFORM graphile_worker.add_jobs(ARRAY(
    SELECT (task, payload, queue, run_at, max_attempts::smallint, job_key, CASE WHEN background THEN 1 ELSE 0 END::smallint,
      NULL::text[])::graphile_worker.job_spec
    FROM unnest(payloads, job_keys) WITH ORDINALITY AS given (payload, job_key, place) ORDER BY place));
END $$;
