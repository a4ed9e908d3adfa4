-- Which timeline the processes have noted, as the data has it: by this a tenant's reading sees on a replica whether that follows the
-- present primary (docs/decisions/0270). It says nothing of any tenant.
GRANT SELECT ON database_place TO nameward_app;
CREATE POLICY readers ON database_place FOR SELECT TO nameward_app USING (true);
