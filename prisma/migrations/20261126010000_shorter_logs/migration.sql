-- Topics and data of logs that are one word are stored without the zeros at its start, as core/stored-logs.ts describes. The rows of evm_logs
-- are written again, which also frees the space of the column that the migration before the last one dropped.

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'evm_logs'::regclass) THEN
        RAISE INFO 'upgrading the database: the logs of all EVM chains are written again, which takes minutes for millions of logs';
    END IF;
END $$;

-- AlterTable
ALTER TABLE "evm_logs" ALTER COLUMN "topic0" TYPE BYTEA USING ltrim("topic0", '\x00'),
    ALTER COLUMN "topic1" TYPE BYTEA USING ltrim("topic1", '\x00'),
    ALTER COLUMN "topic2" TYPE BYTEA USING ltrim("topic2", '\x00'),
    ALTER COLUMN "topic3" TYPE BYTEA USING ltrim("topic3", '\x00'),
    ALTER COLUMN "data" TYPE BYTEA USING CASE
        WHEN octet_length("data") = 32 AND ltrim("data", '\x00') = '\x' THEN '\x00'
        WHEN octet_length("data") = 32 THEN ltrim("data", '\x00')
        WHEN octet_length("data") % 32 = 0 THEN "data"
        ELSE decode(repeat('00', 32), 'hex') || "data" END;
