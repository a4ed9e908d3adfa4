-- What each version changed, beside what the zone was afterwards: who changed a record last is asked for often, and
-- comparing whole zones for it is too slow. NULL: found as it is, or kept before this was.
ALTER TABLE zone_versions
  -- Every change, in the order of the records: [{action, record, old}].
  ADD COLUMN changes jsonb,
  -- How many of each kind, and the first of them, for lists.
  ADD COLUMN change_summary jsonb;
