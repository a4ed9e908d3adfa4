-- Lists look up the name of a customer, the owner of an entry and the certificate of a name for each of their rows. The wall around those
-- tables read the organization of the transaction again for each row, which was a tenth of a page of domains. As a query of its own it is
-- read once for each statement (decision 304). The wall is the same.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['customers', 'users', 'certificates'] LOOP
    EXECUTE format('ALTER POLICY tenant ON %I USING (organisation_id = (SELECT current_organisation()))', t);
  END LOOP;
END $$;
