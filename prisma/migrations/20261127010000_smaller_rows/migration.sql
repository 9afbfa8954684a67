-- Block numbers of the six largest tables have 4 bytes, and so have those in their indexes. Columns of a fixed width are the first ones of a
-- row, so that no bytes between columns are lost. Topics that a log does not have are empty byte strings, and a topic of zeros has one byte,
-- as core/stored-logs.ts describes: a row without NULL is 8 bytes smaller. The rows of these tables are written again.

-- An indexer of an earlier version would write rows in the earlier form.
DO $$
DECLARE
    chain TEXT;
BEGIN
    FOR chain IN
        SELECT substring(relname FROM '[0-9]+$') FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'evm_transactions'::regclass
    LOOP
        IF NOT pg_try_advisory_xact_lock(hashtextextended('moraine writer ' || chain, 0)) THEN
            RAISE EXCEPTION 'an indexer of an earlier version writes chain %: stop all processes of that version before you start this one', chain;
        END IF;
    END LOOP;
    -- A transaction that is older than this migration would find no rows in the tables that it writes again.
    IF EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'moraine export%' AND backend_xmin IS NOT NULL) THEN
        RAISE EXCEPTION 'an export of an earlier version runs: stop all processes of that version before you start this one';
    END IF;
END $$;

-- The rows keep their order.
SET LOCAL synchronize_seqscans = off;

LOCK TABLE "evm_transactions", "evm_logs", "erc20_transfers", "evm_internal_transactions", "erc721_transfers", "erc1155_transfers" IN ACCESS EXCLUSIVE MODE;

-- DropIndex
DROP INDEX "evm_transactions_tx_hash_idx";

-- DropIndex
DROP INDEX "evm_transactions_from_address_block_number_block_index_idx";

-- DropIndex
DROP INDEX "evm_transactions_to_address_block_number_block_index_idx";

-- DropIndex
DROP INDEX "evm_transactions_contract_address_idx";

-- DropIndex
DROP INDEX "erc20_transfers_from_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "erc20_transfers_to_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "erc20_transfers_token_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "evm_internal_transactions_sender_idx";

-- DropIndex
DROP INDEX "evm_internal_transactions_recipient_idx";

-- DropIndex
DROP INDEX "erc721_transfers_from_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "erc721_transfers_to_address_block_number_log_index_idx";

-- DropIndex
DROP INDEX "erc721_transfers_token_address_token_id_block_number_log_in_idx";

-- DropIndex
DROP INDEX "erc1155_transfers_from_address_block_number_log_index_batch_idx";

-- DropIndex
DROP INDEX "erc1155_transfers_to_address_block_number_log_index_batch_i_idx";

-- DropIndex
DROP INDEX "erc1155_transfers_token_address_token_id_block_number_log_i_idx";

-- AlterTable
ALTER TABLE "evm_transactions" DROP CONSTRAINT "evm_transactions_pkey";

-- AlterTable
ALTER TABLE "evm_logs" DROP CONSTRAINT "evm_logs_pkey";

-- AlterTable
ALTER TABLE "erc20_transfers" DROP CONSTRAINT "erc20_transfers_pkey";

-- AlterTable
ALTER TABLE "evm_internal_transactions" DROP CONSTRAINT "evm_internal_transactions_pkey";

-- AlterTable
ALTER TABLE "erc721_transfers" DROP CONSTRAINT "erc721_transfers_pkey";

-- AlterTable
ALTER TABLE "erc1155_transfers" DROP CONSTRAINT "erc1155_transfers_pkey";

-- AlterTable
ALTER TABLE "evm_transactions" RENAME TO "evm_transactions_earlier";

-- AlterTable
ALTER TABLE "evm_logs" RENAME TO "evm_logs_earlier";

-- AlterTable
ALTER TABLE "erc20_transfers" RENAME TO "erc20_transfers_earlier";

-- AlterTable
ALTER TABLE "evm_internal_transactions" RENAME TO "evm_internal_transactions_earlier";

-- AlterTable
ALTER TABLE "erc721_transfers" RENAME TO "erc721_transfers_earlier";

-- AlterTable
ALTER TABLE "erc1155_transfers" RENAME TO "erc1155_transfers_earlier";

-- CreateTable
CREATE TABLE "evm_transactions" (
    "chain_id" BIGINT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "gas_used" BIGINT NOT NULL,
    "cumulative_gas_used" BIGINT NOT NULL,
    "block_number" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "log_count" INTEGER NOT NULL,
    "tx_type" SMALLINT NOT NULL,
    "tx_status" SMALLINT NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA,
    "nonce" DECIMAL(20,0) NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,
    "gas_limit" DECIMAL(20,0) NOT NULL,
    "gas_price" DECIMAL(78,0) NOT NULL,
    "max_fee_per_gas" DECIMAL(78,0),
    "max_priority_fee_per_gas" DECIMAL(78,0),
    "input" BYTEA NOT NULL,
    "contract_address" BYTEA
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_logs" (
    "chain_id" BIGINT NOT NULL,
    "block_number" INTEGER NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "address" BYTEA NOT NULL,
    "topic0" BYTEA NOT NULL,
    "topic1" BYTEA NOT NULL,
    "topic2" BYTEA NOT NULL,
    "topic3" BYTEA NOT NULL,
    "data" BYTEA NOT NULL
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc20_transfers" (
    "chain_id" BIGINT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_number" INTEGER NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA NOT NULL,
    "token_address" BYTEA NOT NULL,
    "value" DECIMAL(78,0) NOT NULL
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "evm_internal_transactions" (
    "chain_id" BIGINT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_number" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "trace_index" INTEGER NOT NULL,
    "is_reverted" BOOLEAN NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA,
    "internal_tx_type" TEXT NOT NULL,
    "opcode" TEXT NOT NULL,
    "value" DECIMAL(78,0) NOT NULL,
    "gas_used" DECIMAL(20,0) NOT NULL,
    "gas_limit" DECIMAL(20,0) NOT NULL
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc721_transfers" (
    "chain_id" BIGINT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_number" INTEGER NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA NOT NULL,
    "token_address" BYTEA NOT NULL,
    "token_id" DECIMAL(78,0) NOT NULL
) PARTITION BY LIST ("chain_id");

-- CreateTable
CREATE TABLE "erc1155_transfers" (
    "chain_id" BIGINT NOT NULL,
    "block_timestamp" BIGINT NOT NULL,
    "block_number" INTEGER NOT NULL,
    "log_index" INTEGER NOT NULL,
    "batch_index" INTEGER NOT NULL,
    "block_index" INTEGER NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "operator_address" BYTEA NOT NULL,
    "from_address" BYTEA NOT NULL,
    "to_address" BYTEA NOT NULL,
    "token_address" BYTEA NOT NULL,
    "token_id" DECIMAL(78,0) NOT NULL,
    "value" DECIMAL(78,0) NOT NULL
) PARTITION BY LIST ("chain_id");

-- Write the rows of one table after another.
DO $$
DECLARE
    name TEXT;
    chain TEXT;
    columns TEXT;
    expressions TEXT;
    written BIGINT;
BEGIN
    FOREACH name IN ARRAY ARRAY['evm_transactions', 'evm_logs', 'erc20_transfers', 'evm_internal_transactions', 'erc721_transfers', 'erc1155_transfers']
    LOOP
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum),
            string_agg(CASE
                WHEN attname = 'topic0' THEN 'coalesce(topic0, ''\x'')'
                WHEN attname LIKE 'topic_' THEN format('CASE WHEN %1$I IS NULL THEN ''\x'' WHEN %1$I = ''\x'' THEN ''\x00'' ELSE %1$I END', attname)
                ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
        INTO columns, expressions FROM pg_attribute WHERE attrelid = name::regclass AND attnum > 0;
        FOR chain IN
            SELECT substring(relname FROM '[0-9]+$') FROM pg_inherits JOIN pg_class ON oid = inhrelid
            WHERE inhparent = (name || '_earlier')::regclass ORDER BY length(relname), relname
        LOOP
            RAISE INFO 'upgrading the database: the rows of % of chain % are written again, which takes some seconds for a million rows', name, chain;
            EXECUTE format('ALTER TABLE %1$s_%2$s RENAME TO %1$s_earlier_%2$s', name, chain);
            EXECUTE format('CREATE TABLE %1$s_%2$s PARTITION OF %1$s FOR VALUES IN (%2$s)', name, chain);
            EXECUTE format('INSERT INTO %1$s_%2$s (%3$s) SELECT %4$s FROM %1$s_earlier_%2$s', name, chain, columns, expressions);
            GET DIAGNOSTICS written = ROW_COUNT;
            RAISE INFO 'chain %: wrote % rows of %', chain, written, name;
            EXECUTE format('DROP TABLE %s_earlier_%s', name, chain);
            EXECUTE format('ANALYZE %s_%s', name, chain);
        END LOOP;
        EXECUTE format('DROP TABLE %s_earlier', name);
    END LOOP;
END $$;

-- AlterTable
ALTER TABLE "evm_transactions" ADD CONSTRAINT "evm_transactions_pkey" PRIMARY KEY ("chain_id","block_number","block_index");

-- AlterTable
ALTER TABLE "evm_logs" ADD CONSTRAINT "evm_logs_pkey" PRIMARY KEY ("chain_id","block_number","log_index");

-- AlterTable
ALTER TABLE "erc20_transfers" ADD CONSTRAINT "erc20_transfers_pkey" PRIMARY KEY ("chain_id","block_number","log_index");

-- AlterTable
ALTER TABLE "evm_internal_transactions" ADD CONSTRAINT "evm_internal_transactions_pkey" PRIMARY KEY ("chain_id","block_number","block_index","trace_index");

-- AlterTable
ALTER TABLE "erc721_transfers" ADD CONSTRAINT "erc721_transfers_pkey" PRIMARY KEY ("chain_id","block_number","log_index");

-- AlterTable
ALTER TABLE "erc1155_transfers" ADD CONSTRAINT "erc1155_transfers_pkey" PRIMARY KEY ("chain_id","block_number","log_index","batch_index");

-- CreateIndex
CREATE INDEX "evm_transactions_tx_hash_idx" ON "evm_transactions" USING HASH ("tx_hash");

-- CreateIndex
CREATE INDEX "evm_transactions_from_address_block_number_block_index_idx" ON "evm_transactions"("from_address", "block_number", "block_index");

-- CreateIndex
CREATE INDEX "evm_transactions_to_address_block_number_block_index_idx" ON "evm_transactions"("to_address", "block_number", "block_index");

-- CreateIndex
CREATE INDEX "evm_transactions_contract_address_idx" ON "evm_transactions"("chain_id", "contract_address", "block_number") WHERE (contract_address IS NOT NULL AND tx_status = 1);

-- CreateIndex
CREATE INDEX "erc20_transfers_from_address_block_number_log_index_idx" ON "erc20_transfers"("from_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_to_address_block_number_log_index_idx" ON "erc20_transfers"("to_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc20_transfers_token_address_block_number_log_index_idx" ON "erc20_transfers"("token_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "evm_internal_transactions_sender_idx" ON "evm_internal_transactions"("from_address", "block_number", "block_index", "trace_index") WHERE (internal_tx_type <> 'UNKNOWN');

-- CreateIndex
CREATE INDEX "evm_internal_transactions_recipient_idx" ON "evm_internal_transactions"("to_address", "block_number", "block_index", "trace_index") WHERE (internal_tx_type <> 'UNKNOWN');

-- CreateIndex
CREATE INDEX "erc721_transfers_from_address_block_number_log_index_idx" ON "erc721_transfers"("from_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc721_transfers_to_address_block_number_log_index_idx" ON "erc721_transfers"("to_address", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc721_transfers_token_address_token_id_block_number_log_in_idx" ON "erc721_transfers"("token_address", "token_id", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_from_address_block_number_log_index_batch_idx" ON "erc1155_transfers"("from_address", "block_number", "log_index", "batch_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_to_address_block_number_log_index_batch_i_idx" ON "erc1155_transfers"("to_address", "block_number", "log_index", "batch_index");

-- CreateIndex
CREATE INDEX "erc1155_transfers_token_address_token_id_block_number_log_i_idx" ON "erc1155_transfers"("token_address", "token_id", "block_number", "log_index", "batch_index");
