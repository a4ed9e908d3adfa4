-- How long a lease lasts, in milliseconds. Without it the question fails, with everything that travels with it to the database: that is
-- done under the lease or not at all.
CREATE FUNCTION require_lease(organisation uuid, thing text, by uuid) RETURNS double precision
LANGUAGE plpgsql SET search_path = pg_catalog, public AS $$
DECLARE
  left_ms double precision;
BEGIN
  SELECT extract(epoch FROM expires_at - clock_timestamp()) * 1000 INTO left_ms FROM zone_leases
  WHERE organisation_id = organisation AND address = thing AND holder = by;
  IF left_ms IS NULL OR left_ms <= 0 THEN
    RAISE EXCEPTION 'the lease of % was lost', thing USING ERRCODE = 'NW002';
  END IF;
  RETURN left_ms;
END $$;
