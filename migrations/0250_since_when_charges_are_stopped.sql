-- Which charges may have been disputed before 0249, whose disputes nobody has read: money has gone back of them (docs/decisions/0336). The index
-- comes first: while it is built, the table can be read. The columns take a moment.
CREATE INDEX direct_charges_gone_back ON direct_charges (customer_id) WHERE refunded_cents > 0;
-- Since when a dispute stops charges of the customer, and when the disputes of the payment were read last; null: not since 0249.
ALTER TABLE direct_charges ADD COLUMN disputed_at timestamptz, ADD COLUMN disputes_read_at timestamptz;
UPDATE direct_charges SET disputed_at = updated_at, disputes_read_at = updated_at WHERE disputed_cents > dispute_released_cents;
