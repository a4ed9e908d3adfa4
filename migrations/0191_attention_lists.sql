-- Each list of what needs attention is read from its index, in its order: of one cause, of one person, and what is put off.
CREATE INDEX attention_items_of_cause ON attention_items (cause, organisation_id, rank, sort_at, id)
  WHERE closed_at IS NULL;
DROP INDEX attention_items_by_cause;
CREATE INDEX attention_items_of_owner ON attention_items (owner_id, rank, sort_at, id)
  WHERE closed_at IS NULL AND owner_id IS NOT NULL;
CREATE INDEX attention_items_put_off ON attention_items (organisation_id, rank, sort_at, id)
  WHERE closed_at IS NULL AND snoozed_until IS NOT NULL;

-- Lines of moves are taken an organization at a time.
CREATE INDEX move_lines_in_turn ON move_lines (organisation_id, next_at) WHERE next_at IS NOT NULL;
