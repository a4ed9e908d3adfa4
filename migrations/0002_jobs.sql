-- The one door to the job tables: the application's role may enqueue, nothing else. Runs as the owner of the job
-- tables (the migration runner installs them with the same role).
CREATE FUNCTION enqueue_job(task text, payload json, job_key text, run_at timestamptz, max_attempts int, queue text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  PERFORM graphile_worker.add_job(
    identifier => task,
    payload => payload,
    queue_name => queue,
    run_at => run_at,
    max_attempts => max_attempts,
    job_key => job_key);
END $$;
REVOKE ALL ON FUNCTION enqueue_job FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enqueue_job TO nameward_app, nameward_system;
