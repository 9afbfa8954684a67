-- The hash of a log's transaction is in the transaction's row, which has the same block and index. Rows that exist keep the bytes until
-- their table is rewritten, for example by VACUUM FULL.

-- AlterTable
ALTER TABLE "evm_logs" DROP COLUMN "tx_hash";
