-- A tenant's session has no grant on the operator's tables; row-level security says the same a second time.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['price_versions', 'reconciliations', 'reconciliation_differences']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
  END LOOP;
END $$;
