-- How many domains expire before a moment, of those that have not left the account. The row-level policy has each one that is counted pass
-- through a condition of its own; here the organization is compared once, and nothing is counted where it is another one (decision 322).
CREATE FUNCTION domains_expiring(organisation uuid, before timestamptz) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT CASE WHEN organisation = current_organisation() THEN
    (SELECT count(*) FROM domains d WHERE d.organisation_id = organisation AND d.status <> 'ended' AND d.expires_at < before)
    - (SELECT count(*) FROM domains d WHERE d.organisation_id = organisation AND d.status <> 'ended' AND d.expires_at < before
        AND d.missing_since IS NOT NULL)
  ELSE 0 END
$$;

REVOKE ALL ON FUNCTION domains_expiring FROM PUBLIC;
GRANT EXECUTE ON FUNCTION domains_expiring TO nameward_app;
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION domains_expiring OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;
