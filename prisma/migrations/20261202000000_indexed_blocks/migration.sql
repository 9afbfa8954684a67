-- The number of indexed blocks of all chains. A function, so that the extension Citus can read it in a statement about tables that are not
-- distributed.
CREATE FUNCTION indexed_blocks() RETURNS numeric LANGUAGE plpgsql STABLE PARALLEL SAFE
  AS 'BEGIN RETURN (SELECT coalesce(sum(block_number), 0) FROM chain_heads); END';
