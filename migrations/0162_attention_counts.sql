-- The figures beside the navigation are counted from the index alone.
CREATE INDEX attention_items_counted ON attention_items (organisation_id, cause, rank, customer_id)
  INCLUDE (snoozed_until, owner_id) WHERE closed_at IS NULL;
