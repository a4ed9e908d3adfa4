-- Domains that come here together: a pasted list of names and auth codes, checked, ordered and followed line by line.
CREATE TABLE moves (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  customer_id uuid NOT NULL REFERENCES customers (id),
  -- in whose name its DNS is put in order
  author_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL
);
CREATE INDEX moves_by_time ON moves (organisation_id, created_at DESC, id);
CREATE INDEX moves_of_customer ON moves (customer_id);

CREATE TABLE move_lines (
  id uuid PRIMARY KEY,
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  move_id uuid NOT NULL REFERENCES moves (id) ON DELETE CASCADE,
  -- as the pasted text counts
  number integer NOT NULL,
  -- the name, or what was pasted in its place
  address text NOT NULL CHECK (char_length(address) <= 300),
  -- why there is nothing to move in it
  problem text,
  -- sealed; gone with the order, which has its own
  code_sealed bytea,
  -- of the form of the code
  code_problem text,
  -- `checked`: what will happen is known; `settled`: nothing is left to do
  state text NOT NULL CHECK (state IN ('unchecked', 'checked', 'ordered', 'settled')),
  left_out boolean NOT NULL DEFAULT false,
  dns text NOT NULL DEFAULT 'keep' CHECK (dns IN ('keep', 'bring')),
  -- a person chose it
  dns_chosen boolean NOT NULL DEFAULT false,
  -- of the last check: hindrance, price, nameservers, DNSSEC
  facts jsonb,
  -- the zone as it was read: {how, records, leftOut}
  zone jsonb,
  item_id uuid,
  -- its records have been given to the zone editor
  staged_at timestamptz,
  -- its nameservers are ours
  switched_at timestamptz,
  -- what keeps its DNS from being put in order
  held text,
  compared_at timestamptz,
  -- answers that are not what they were
  differences jsonb,
  -- when a job looks at it next; a job that was lost is made up for
  next_at timestamptz,
  UNIQUE (move_id, number)
);
CREATE INDEX move_lines_due ON move_lines (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX move_lines_of_item ON move_lines (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX move_lines_of_organisation ON move_lines (organisation_id, state);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['moves', 'move_lines']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I TO nameward_app USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation())', t);
    EXECUTE format('CREATE POLICY system ON %I TO nameward_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nameward_app, nameward_system', t);
  END LOOP;
END $$;

CREATE TRIGGER attention_changed AFTER UPDATE ON move_lines FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.left_out IS DISTINCT FROM NEW.left_out
    OR OLD.held IS DISTINCT FROM NEW.held OR OLD.differences IS DISTINCT FROM NEW.differences)
  EXECUTE FUNCTION mark_attention('move', 'move-dns');
CREATE TRIGGER attention_came AFTER INSERT OR DELETE ON move_lines FOR EACH ROW
  EXECUTE FUNCTION mark_attention('move', 'move-dns');

-- The engine has decided about a line's item: it is looked at now.
CREATE FUNCTION follow_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE move_lines SET next_at = least(next_at, now()) WHERE item_id = NEW.id AND next_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER move_follows AFTER UPDATE ON order_items
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.kind = 'transfer') EXECUTE FUNCTION follow_move();
