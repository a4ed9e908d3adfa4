-- Searching by a part of a text is what the trigram indexes are for. Under row-level security PostgreSQL may not use
-- them: LIKE is not marked leakproof, so every row of the tenant is compared instead (20 ms for 10,000 customers, 1 ms
-- with the index). These functions look into the index for the organisation of the present transaction and for no
-- other, which is what the policies say too.
CREATE FUNCTION customers_like(organisation uuid, pattern text) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 200 SET search_path = pg_catalog, public AS $$
  SELECT id FROM customers
  WHERE organisation_id = organisation AND organisation = current_organisation()
    AND deleted_at IS NULL AND search_text LIKE pattern
$$;

CREATE FUNCTION domains_like(organisation uuid, pattern text) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER ROWS 200 SET search_path = pg_catalog, public AS $$
  SELECT id FROM domains
  WHERE organisation_id = organisation AND organisation = current_organisation()
    AND status <> 'ended' AND address LIKE pattern
$$;

REVOKE ALL ON FUNCTION customers_like, domains_like FROM PUBLIC;
GRANT EXECUTE ON FUNCTION customers_like, domains_like TO nameward_app;
-- The policies let this role see what the index is asked for; it owns nothing else and may make nothing.
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION customers_like OWNER TO nameward_system;
ALTER FUNCTION domains_like OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;
