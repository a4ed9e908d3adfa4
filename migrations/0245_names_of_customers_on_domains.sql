-- A list of domains looked up the name of the customer for each of its rows, which was two fifths of the database's time for a page, and
-- read customer by customer where it is ordered by them. A living domain has the name of its customer in its own row, and an index has the
-- order (decision 312). Triggers write it, whatever moves a domain or renames a customer; nothing else does. An ended domain has none, so that
-- a former customer's name is nowhere but at the customer.
ALTER TABLE domains ADD COLUMN customer_organization text COLLATE "und-x-icu";
UPDATE domains d SET customer_organization = c.organization FROM customers c WHERE c.id = d.customer_id AND d.status <> 'ended';
CREATE INDEX domains_by_customer_name ON domains (organisation_id, customer_organization, address) WHERE status <> 'ended';

-- The customer's row is held until the domain is there: a change of the name waits for it, or this waits for the change.
CREATE FUNCTION name_customer_of_domain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  NEW.customer_organization := NULL;
  IF NEW.customer_id IS NOT NULL AND NEW.status <> 'ended' THEN
    SELECT organization INTO NEW.customer_organization FROM customers
    WHERE id = NEW.customer_id AND organisation_id = NEW.organisation_id FOR SHARE;
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION rename_customer_of_domains() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  UPDATE domains SET customer_organization = NEW.organization
  WHERE organisation_id = NEW.organisation_id AND customer_id = NEW.id AND status <> 'ended';
  RETURN NULL;
END $$;

-- Ordered by customers, too, so a search hands on their names.
DROP FUNCTION domains_found;
CREATE FUNCTION domains_found(organisation uuid, pattern text, further text[])
RETURNS TABLE (organisation_id uuid, customer_id uuid, address text, status text, expires_at timestamptz, auto_renew boolean,
  locked boolean, verification text, customer_organization text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 200 SET search_path = pg_catalog, public AS $$
  SELECT organisation_id, customer_id, address, status, expires_at, auto_renew, locked, verification, customer_organization FROM domains
  WHERE organisation_id = organisation AND organisation = current_organisation()
    AND status <> 'ended' AND address LIKE pattern AND address LIKE ALL (further)
$$;

REVOKE ALL ON FUNCTION name_customer_of_domain, rename_customer_of_domains, domains_found FROM PUBLIC;
GRANT EXECUTE ON FUNCTION domains_found TO nameward_app;
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION name_customer_of_domain OWNER TO nameward_system;
ALTER FUNCTION rename_customer_of_domains OWNER TO nameward_system;
ALTER FUNCTION domains_found OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;

CREATE TRIGGER customer_named BEFORE INSERT ON domains FOR EACH ROW EXECUTE FUNCTION name_customer_of_domain();
CREATE TRIGGER customer_renamed BEFORE UPDATE OF customer_id, organisation_id, status ON domains FOR EACH ROW
  WHEN (OLD.customer_id IS DISTINCT FROM NEW.customer_id OR OLD.organisation_id <> NEW.organisation_id
    OR (OLD.status = 'ended') <> (NEW.status = 'ended'))
  EXECUTE FUNCTION name_customer_of_domain();
CREATE TRIGGER domains_renamed AFTER UPDATE ON customers FOR EACH ROW
  WHEN (OLD.organization IS DISTINCT FROM NEW.organization) EXECUTE FUNCTION rename_customer_of_domains();
