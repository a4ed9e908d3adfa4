-- A search for names handed on all that it found, to be counted and to have a page taken from it: each name was written into two lists for that.
-- The page and the number of all are taken where the names are found. One of the two orders is sorted, which is known before.
-- Before it looks for any, it compares the organization with that of the transaction; as a condition of each domain that took a twentieth of
-- the whole. `domain_names_found` serves versions before this one.
CREATE FUNCTION domain_names_page(organisation uuid, pattern text, backwards boolean, skipped integer, taken integer)
RETURNS TABLE (address text, total bigint)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 50 SET search_path = pg_catalog, public AS $$
  WITH found AS MATERIALIZED (
    SELECT d.address FROM domains d
    WHERE d.organisation_id = organisation AND d.status <> 'ended' AND d.address LIKE pattern
  ), page AS (
    (SELECT f.address FROM found f WHERE NOT backwards ORDER BY f.address LIMIT taken OFFSET skipped)
    UNION ALL
    (SELECT f.address FROM found f WHERE backwards ORDER BY f.address DESC LIMIT taken OFFSET skipped)
  )
  SELECT p.address, (SELECT count(*) FROM found) FROM page p WHERE organisation = current_organisation()
$$;

-- Customers with the most domains first, of those with any. The row-level policy has each domain pass through a condition of its own, a fifth
-- of the whole. Here the organization is compared once, with what was found.
CREATE FUNCTION customers_of_most_domains(organisation uuid, taken integer)
RETURNS TABLE (id uuid, domains integer)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 50 SET search_path = pg_catalog, public AS $$
  SELECT most.customer_id, most.domains FROM (
    SELECT d.customer_id, count(*)::integer AS domains FROM domains d
    WHERE d.organisation_id = organisation AND d.status <> 'ended' AND d.customer_id IS NOT NULL
    GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT taken
  ) AS most
  WHERE organisation = current_organisation()
$$;

REVOKE ALL ON FUNCTION domain_names_page, customers_of_most_domains FROM PUBLIC;
GRANT EXECUTE ON FUNCTION domain_names_page, customers_of_most_domains TO nameward_app;
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION domain_names_page OWNER TO nameward_system;
ALTER FUNCTION customers_of_most_domains OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;
