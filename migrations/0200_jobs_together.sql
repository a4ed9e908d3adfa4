-- Many jobs of one kind, as the night's for every domain: one call of the library for all of them takes a fifth of the time of a call for
-- each. The order of the arrays is the order of the jobs.
CREATE FUNCTION enqueue_jobs(task text, payloads json[], job_keys text[], run_at timestamptz, max_attempts int, queue text,
  background boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF coalesce(cardinality(payloads), 0) = 0 THEN RETURN; END IF;
  UPDATE graphile_worker._private_jobs SET flags = coalesce(flags, '{}') || '{"superseded": true}'
  WHERE key = ANY (job_keys) AND locked_at IS NOT NULL;
  PERFORM graphile_worker.add_jobs(ARRAY(
    SELECT (task, payload, queue, run_at, max_attempts::smallint, job_key, CASE WHEN background THEN 1 ELSE 0 END::smallint,
      NULL::text[])::graphile_worker.job_spec
    FROM unnest(payloads, job_keys) WITH ORDINALITY AS given (payload, job_key, place) ORDER BY place));
END $$;
REVOKE ALL ON FUNCTION enqueue_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enqueue_jobs TO nameward_system;
