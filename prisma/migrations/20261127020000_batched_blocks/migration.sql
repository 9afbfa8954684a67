-- Blocks that were written in batches since the indexes of the chain were rebuilt. The indexer rebuilds them after a long catch-up.

-- AlterTable
ALTER TABLE "chain_heads" ADD COLUMN     "batched_blocks" BIGINT NOT NULL DEFAULT 0;
