-- Lists show how many rows they have in all, and counting them is most of what a page costs. Here each change of these numbers is a row,
-- which triggers write in the transaction of the change. A number is the sum over an organization's rows. Rows are only added, so writers
-- never wait for each other, and what is rolled back was never counted.
CREATE TABLE kept_counts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organisation_id uuid NOT NULL,
  -- customers that are not deleted
  customers integer NOT NULL DEFAULT 0,
  -- domains that have not ended; and of those that the registrar holds, by whether they renew themselves and whether they are locked
  domains integer NOT NULL DEFAULT 0,
  renewing integer NOT NULL DEFAULT 0,
  not_renewing integer NOT NULL DEFAULT 0,
  locked integer NOT NULL DEFAULT 0,
  not_locked integer NOT NULL DEFAULT 0
);
CREATE INDEX kept_counts_of_organisation ON kept_counts (organisation_id);

-- One domain, as it is counted.
CREATE FUNCTION counts_of_domain(status text, auto_renew boolean, is_locked boolean, times integer,
  OUT domains integer, OUT renewing integer, OUT not_renewing integer, OUT locked integer, OUT not_locked integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT times * (status <> 'ended')::int,
    times * (status IN ('active', 'expired') AND auto_renew)::int,
    times * (status IN ('active', 'expired') AND NOT auto_renew)::int,
    times * (status IN ('active', 'expired') AND is_locked IS TRUE)::int,
    times * (status IN ('active', 'expired') AND is_locked IS FALSE)::int
$$;

INSERT INTO kept_counts (organisation_id, customers)
  SELECT organisation_id, count(*) FROM customers WHERE deleted_at IS NULL GROUP BY 1;
INSERT INTO kept_counts (organisation_id, domains, renewing, not_renewing, locked, not_locked)
  SELECT organisation_id, sum(n.domains), sum(n.renewing), sum(n.not_renewing), sum(n.locked), sum(n.not_locked)
  FROM domains d, counts_of_domain(d.status, d.auto_renew, d.locked, 1) n GROUP BY 1;

ALTER TABLE kept_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE kept_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON kept_counts TO nameward_app
  USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON kept_counts TO nameward_system USING (true) WITH CHECK (true);
-- Tenants read. The triggers write, as the system's login.
GRANT SELECT ON kept_counts TO nameward_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON kept_counts TO nameward_system;

CREATE FUNCTION count_customers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO kept_counts (organisation_id, customers)
    SELECT organisation_id, count(*) FROM came WHERE deleted_at IS NULL GROUP BY 1;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO kept_counts (organisation_id, customers)
    SELECT organisation_id, -count(*) FROM gone WHERE deleted_at IS NULL GROUP BY 1;
  ELSE
    INSERT INTO kept_counts (organisation_id, customers)
    SELECT of, sum(n) FROM (VALUES
      (OLD.organisation_id, -(OLD.deleted_at IS NULL)::int), (NEW.organisation_id, (NEW.deleted_at IS NULL)::int)) AS v (of, n)
    GROUP BY 1 HAVING sum(n) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION count_domains() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO kept_counts (organisation_id, domains, renewing, not_renewing, locked, not_locked)
    SELECT organisation_id, sum(n.domains), sum(n.renewing), sum(n.not_renewing), sum(n.locked), sum(n.not_locked)
    FROM came d, counts_of_domain(d.status, d.auto_renew, d.locked, 1) n GROUP BY 1;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO kept_counts (organisation_id, domains, renewing, not_renewing, locked, not_locked)
    SELECT organisation_id, sum(n.domains), sum(n.renewing), sum(n.not_renewing), sum(n.locked), sum(n.not_locked)
    FROM gone d, counts_of_domain(d.status, d.auto_renew, d.locked, -1) n GROUP BY 1;
  ELSE
    INSERT INTO kept_counts (organisation_id, domains, renewing, not_renewing, locked, not_locked)
    SELECT of, sum(domains), sum(renewing), sum(not_renewing), sum(locked), sum(not_locked)
    FROM (SELECT OLD.organisation_id AS of, o.* FROM counts_of_domain(OLD.status, OLD.auto_renew, OLD.locked, -1) o
      UNION ALL SELECT NEW.organisation_id, n.* FROM counts_of_domain(NEW.status, NEW.auto_renew, NEW.locked, 1) n) v
    GROUP BY 1
    HAVING (sum(domains), sum(renewing), sum(not_renewing), sum(locked), sum(not_locked)) <> (0, 0, 0, 0, 0);
  END IF;
  RETURN NULL;
END $$;

-- Now and then a writer makes one row of an organization's rows. It takes those that nobody else takes at the moment and waits for no one.
CREATE FUNCTION fold_counts() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  WITH taken AS (SELECT id FROM kept_counts WHERE organisation_id = NEW.organisation_id FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM kept_counts k USING taken WHERE k.id = taken.id RETURNING k.*)
  INSERT INTO kept_counts (organisation_id, customers, domains, renewing, not_renewing, locked, not_locked)
  SELECT organisation_id, sum(customers), sum(domains), sum(renewing), sum(not_renewing), sum(locked), sum(not_locked)
  FROM gone GROUP BY 1;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION count_customers, count_domains, fold_counts FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO nameward_system;
ALTER FUNCTION count_customers OWNER TO nameward_system;
ALTER FUNCTION count_domains OWNER TO nameward_system;
ALTER FUNCTION fold_counts OWNER TO nameward_system;
REVOKE CREATE ON SCHEMA public FROM nameward_system;

CREATE TRIGGER counted_came AFTER INSERT ON customers REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION count_customers();
CREATE TRIGGER counted_gone AFTER DELETE ON customers REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_customers();
CREATE TRIGGER counted_changed AFTER UPDATE ON customers FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at OR OLD.organisation_id <> NEW.organisation_id)
  EXECUTE FUNCTION count_customers();
CREATE TRIGGER counted_came AFTER INSERT ON domains REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION count_domains();
CREATE TRIGGER counted_gone AFTER DELETE ON domains REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_domains();
CREATE TRIGGER counted_changed AFTER UPDATE ON domains FOR EACH ROW
  WHEN (OLD.status <> NEW.status OR OLD.auto_renew <> NEW.auto_renew OR OLD.locked IS DISTINCT FROM NEW.locked
    OR OLD.organisation_id <> NEW.organisation_id)
  EXECUTE FUNCTION count_domains();
CREATE TRIGGER folded AFTER INSERT ON kept_counts FOR EACH ROW WHEN (NEW.id % 64 = 0) EXECUTE FUNCTION fold_counts();
