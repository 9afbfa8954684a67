-- The nodes of an EVM chain: a list of objects with `name`, `state`, `head` and `reason`.
ALTER TABLE chain_progress ADD COLUMN nodes JSONB;
