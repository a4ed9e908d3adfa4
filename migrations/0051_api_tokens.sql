-- Tokens for scripts. The secret itself is nowhere: its SHA-256 finds the row.
CREATE TABLE api_tokens (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  -- whose rights it has; it ends with that person
  user_id uuid NOT NULL REFERENCES users (id),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  token_hash bytea NOT NULL UNIQUE,
  permissions text[] NOT NULL CHECK (cardinality(permissions) > 0),
  -- limited to one customer, or null
  customer_id uuid REFERENCES customers (id),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX api_tokens_living ON api_tokens (organisation_id, created_at DESC) WHERE revoked_at IS NULL;
ALTER TABLE api_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON api_tokens TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON api_tokens TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON api_tokens TO nameward_app, nameward_system;
