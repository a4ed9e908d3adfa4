-- The statements by which a job is entered were planned anew for each one, which took longer than they did: now once for each
-- connection. No plan may be made for a table that happens to be short just then.
ALTER FUNCTION enqueue_job SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION enqueue_job SET enable_seqscan = off;
