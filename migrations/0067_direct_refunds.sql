-- What goes back to an end customer who was charged directly for an item that came to nothing: one a item, written
-- before the provider is asked. An item that stands here is not charged any more.
CREATE TABLE direct_refunds (
  item_id uuid PRIMARY KEY REFERENCES order_items (id),
  organisation_id uuid NOT NULL REFERENCES organisations (id),
  charge_id uuid REFERENCES direct_charges (id),
  cents bigint NOT NULL DEFAULT 0 CHECK (cents >= 0),
  -- wanted: until the charge has its end; sending: the provider is or was asked; none: nothing was ever taken
  state text NOT NULL CHECK (state IN ('wanted', 'sending', 'done', 'failed', 'none')),
  refund_id text,
  failure text,
  reason text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX direct_refunds_open ON direct_refunds (updated_at) WHERE state IN ('wanted', 'sending');
CREATE INDEX direct_refunds_charge ON direct_refunds (charge_id);

ALTER TABLE direct_refunds ENABLE ROW LEVEL SECURITY;
ALTER TABLE direct_refunds FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON direct_refunds TO nameward_app
  USING (organisation_id = current_organisation()) WITH CHECK (organisation_id = current_organisation());
CREATE POLICY system ON direct_refunds TO nameward_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON direct_refunds TO nameward_app, nameward_system;
