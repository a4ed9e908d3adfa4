-- A new sealing key takes over what older ones sealed (docs/decisions/0102): two columns that nobody could change so far.
-- What they hold is bound to its row and opens under the portal's keys alone, so this lets nobody make up a head or a hold.
GRANT UPDATE (head_sealed) ON audit_heads TO nameward_system;
GRANT UPDATE (data_sealed) ON legal_holds TO nameward_system;

-- Letters with a sealed text that wait to be sent, by the number of the key: nothing of them is told.
CREATE FUNCTION sealed_letters() RETURNS TABLE (key int, letters bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT get_byte(decode(j.payload ->> 'sealedText', 'base64'), 1), count(*)
  FROM graphile_worker._private_jobs j
  JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE t.identifier = 'mail.send' AND length(j.payload ->> 'sealedText') > 40
  GROUP BY 1
$$;
REVOKE ALL ON FUNCTION sealed_letters FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sealed_letters TO nameward_system;
