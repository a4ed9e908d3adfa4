-- When an order got its signing request: it waits for others of its name from then on. NULL: it has none, or got it before this was kept.
ALTER TABLE acme_orders ADD COLUMN finalized_at timestamptz;
