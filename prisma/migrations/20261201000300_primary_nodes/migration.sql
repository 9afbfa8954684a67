-- The nodes of a chain of a primary network, as in `chain_progress`.
ALTER TABLE primary_progress ADD COLUMN nodes JSONB;
