-- A list with its filters, order and search, kept under a name: for the person who made it, or for all colleagues.
CREATE TABLE saved_views (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  user_id uuid NOT NULL REFERENCES users (id),
  screen text NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  query text NOT NULL CHECK (char_length(query) <= 500),
  shared boolean NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX saved_views_shared_by_name ON saved_views (organisation_id, screen, lower(name)) WHERE shared;
CREATE UNIQUE INDEX saved_views_own_by_name ON saved_views (user_id, screen, lower(name)) WHERE NOT shared;
CREATE INDEX saved_views_of_organisation ON saved_views (organisation_id);

ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON saved_views TO nameward_app
  USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON saved_views TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_views TO nameward_app, nameward_system;
