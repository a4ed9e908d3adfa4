-- Jobs take turns between organizations (docs/decisions/0267). A job goes behind as many others as its own organization has
-- waiting of its kind, so that the first of everybody goes before the second of anybody.

-- Whose job it is; null: the whole portal's.
CREATE FUNCTION job_owner(payload json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(payload ->> 'organisationId', payload #>> '{sender,organisationId}');

CREATE INDEX jobs_of_owner ON graphile_worker._private_jobs (task_id, job_owner(payload), run_at) WHERE is_available;

-- By a trigger, because the library's schedule enters jobs as well. Priority 0 comes in for what somebody waits for, 1 for
-- the rest (src/server/kernel/job-turns.rules.ts), which begins 20 places further back.
CREATE FUNCTION give_turn() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  owner text := job_owner(NEW.payload);
  own int := 0;
  background boolean := NEW.priority > 0;
BEGIN
  IF owner IS NOT NULL THEN
    SELECT count(*) INTO own FROM (
      SELECT FROM graphile_worker._private_jobs WHERE task_id = NEW.task_id AND job_owner(payload) = owner AND is_available
        AND run_at <= NEW.run_at AND run_at > NEW.run_at - interval '1 hour' LIMIT 1000) waiting;
  END IF;
  NEW.priority := own + CASE WHEN background THEN 20 ELSE 0 END;
  NEW.flags := coalesce(NEW.flags, '{}') || jsonb_build_object('of:' || coalesce(owner, 'task ' || NEW.task_id), true)
    || CASE WHEN background THEN '{"background": true}'::jsonb ELSE '{}' END;
  RETURN NEW;
END $$;
CREATE TRIGGER turn BEFORE INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION give_turn();

-- With one argument more. Processes of the release before call it with six.
DROP FUNCTION enqueue_job(text, json, text, timestamptz, int, text);
CREATE FUNCTION enqueue_job(task text, payload json, job_key text, run_at timestamptz, max_attempts int, queue text,
  background boolean DEFAULT false)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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
    job_key => job_key,
    priority => CASE WHEN background THEN 1 ELSE 0 END);
END $$;
REVOKE ALL ON FUNCTION enqueue_job FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enqueue_job TO nameward_app, nameward_system;
