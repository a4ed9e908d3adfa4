-- An index keeps an entry of each row that has been folded until it is cleaned, and each number read them all: 3,000 after 3,000 new customers. A
-- plain look through an index marks such entries, and later looks pass over them; a bitmap of the index does not (decision 358).
ALTER FUNCTION fold_counts SET enable_bitmapscan = off;
ALTER FUNCTION fold_counts SET enable_seqscan = off;
