-- Names that a search finds, and nothing else of them: most searches are not narrowed further and are ordered by name. Handing on all that
-- `domains_found` says of each took a quarter of such a search. It looks into the index for the organization of the present transaction only.
CREATE FUNCTION domain_names_found(organisation uuid, pattern text, further text[]) RETURNS TABLE (address text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 200 SET search_path = pg_catalog, public AS $$
  SELECT address FROM domains
  WHERE organisation_id = organisation AND organisation = current_organisation()
    AND status <> 'ended' AND address LIKE pattern AND address LIKE ALL (further)
$$;

REVOKE ALL ON FUNCTION domain_names_found FROM PUBLIC;
GRANT EXECUTE ON FUNCTION domain_names_found TO nameward_app;
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION domain_names_found OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;
