-- Since when the registrar says that a listed domain is not in the account any more, although nobody expected that: it was transferred away, or
-- deleted and not restored in time. A reading that finds it ends this, or a person strikes the domain out (decision 275).
ALTER TABLE domains ADD COLUMN missing_since timestamptz;
CREATE INDEX domains_missing ON domains (missing_since) WHERE missing_since IS NOT NULL AND status <> 'ended';

-- Whether another organization lists a name. It is asked with the claim of an order, before anything is sent (decision 276), and says nothing else.
CREATE FUNCTION listed_elsewhere(name text, organisation uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
  SELECT EXISTS (SELECT FROM domains WHERE address = name AND status <> 'ended' AND organisation_id <> organisation)
$$;
REVOKE ALL ON FUNCTION listed_elsewhere FROM PUBLIC;
GRANT EXECUTE ON FUNCTION listed_elsewhere TO nameward_app, nameward_system;
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION listed_elsewhere OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;
