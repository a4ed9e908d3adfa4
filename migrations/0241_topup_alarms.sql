-- What the operator was last told of a payment whose amount is not that of its top-up: the same is told once.
ALTER TABLE topups ADD COLUMN alarmed_as text;
