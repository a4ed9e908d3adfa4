-- What a search finds, once for the page and for the number in all: with what lists are ordered and narrowed by, so that the rows need not
-- be looked up again. As in 0053, the functions look into the trigram index for the organisation of the present transaction only.
CREATE FUNCTION customers_found(organisation uuid, pattern text, further text[])
RETURNS TABLE (id uuid, organization text, location text, contact_name text, created_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 200 SET search_path = pg_catalog, public AS $$
  SELECT id, organization, location, contact_name, created_at FROM customers
  WHERE organisation_id = organisation AND organisation = current_organisation()
    AND deleted_at IS NULL AND search_text LIKE pattern AND search_text LIKE ALL (further)
$$;

CREATE FUNCTION domains_found(organisation uuid, pattern text, further text[])
RETURNS TABLE (organisation_id uuid, customer_id uuid, address text, status text, expires_at timestamptz, auto_renew boolean,
  locked boolean, verification text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 200 SET search_path = pg_catalog, public AS $$
  SELECT organisation_id, customer_id, address, status, expires_at, auto_renew, locked, verification FROM domains
  WHERE organisation_id = organisation AND organisation = current_organisation()
    AND status <> 'ended' AND address LIKE pattern AND address LIKE ALL (further)
$$;

REVOKE ALL ON FUNCTION customers_found, domains_found FROM PUBLIC;
GRANT EXECUTE ON FUNCTION customers_found, domains_found TO nameward_app;
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION customers_found OWNER TO nameward_system;
ALTER FUNCTION domains_found OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;
