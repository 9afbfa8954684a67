-- Each pair of token and address of a chain gets a number, in its row of erc20_holders. A row of erc20_balances has this number instead of
-- both addresses, and so has its index. Block numbers of this table have 4 bytes. The rows of both tables are written again.

-- An indexer of an earlier version would write rows in the earlier form, and would lock the tables in another order.
DO $$
DECLARE
    chain TEXT;
BEGIN
    FOR chain IN
        SELECT substring(relname FROM '[0-9]+$') FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'erc20_balances'::regclass
    LOOP
        IF NOT pg_try_advisory_xact_lock(hashtextextended('moraine writer ' || chain, 0)) THEN
            RAISE EXCEPTION 'an indexer of an earlier version writes chain %: stop all processes of that version before you start this one', chain;
        END IF;
    END LOOP;
END $$;

LOCK TABLE "evm_logs", "erc20_balances", "erc20_holders" IN ACCESS EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "erc20_holders" ADD COLUMN "holder_id" INTEGER;

-- DropIndex
DROP INDEX "erc20_holders_max_balance_idx";

-- DropIndex
DROP INDEX "erc20_holders_balance_idx";

-- DropIndex
DROP INDEX "erc20_holders_address_idx";

-- AlterTable
ALTER TABLE "erc20_holders" DROP CONSTRAINT "erc20_holders_pkey";

-- DropIndex
DROP INDEX "erc20_balances_chain_id_block_number_idx";

-- AlterTable
ALTER TABLE "erc20_balances" DROP CONSTRAINT "erc20_balances_pkey";

-- AlterTable
ALTER TABLE "erc20_balances" RENAME TO "erc20_balances_by_address";

-- CreateTable
CREATE TABLE "erc20_balances" (
    "chain_id" BIGINT NOT NULL,
    "holder_id" INTEGER NOT NULL,
    "block_number" INTEGER NOT NULL,
    "balance" DECIMAL(96,0) NOT NULL
) PARTITION BY LIST ("chain_id");

-- Write the rows of one chain after another. Holders are numbered in the order of the block that first changed their balance.
DO $$
DECLARE
    chain TEXT;
    holders BIGINT;
    balances BIGINT;
    expected BIGINT;
BEGIN
    FOR chain IN
        SELECT substring(relname FROM '[0-9]+$') FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'erc20_balances_by_address'::regclass ORDER BY length(relname), relname
    LOOP
        RAISE INFO 'upgrading the database: the balances of the ERC-20 tokens of chain % are written again, which takes about ten seconds for a million balances', chain;
        -- The table of holders is missing if an indexer was stopped while it created the tables of a new chain.
        EXECUTE format('CREATE TABLE IF NOT EXISTS erc20_holders_%1$s PARTITION OF erc20_holders FOR VALUES IN (%1$s)', chain);
        EXECUTE format('ALTER TABLE erc20_holders DETACH PARTITION erc20_holders_%s', chain);
        EXECUTE format('ALTER TABLE erc20_holders_%1$s RENAME TO erc20_holders_by_address_%1$s', chain);
        EXECUTE format('ALTER TABLE erc20_balances_%1$s RENAME TO erc20_balances_by_address_%1$s', chain);

        EXECUTE format('CREATE TABLE erc20_holders_%s (LIKE erc20_holders)', chain);
        EXECUTE format('
            INSERT INTO erc20_holders_%1$s (chain_id, token_address, address, balance, max_balance, max_block_number, first_block_number,
                last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance, holder_id)
            SELECT chain_id, token_address, address, balance, max_balance, max_block_number, first_block_number,
                last_block_number, past_block_numbers, past_balances, max_end_block_number, second_balance,
                row_number() OVER (ORDER BY first_block_number, token_address, address)
            FROM erc20_holders_by_address_%1$s', chain);
        GET DIAGNOSTICS holders = ROW_COUNT;
        EXECUTE format('DROP TABLE erc20_holders_by_address_%s', chain);
        EXECUTE format('ANALYZE erc20_holders_%s', chain);

        EXECUTE format('CREATE TABLE erc20_balances_%s (LIKE erc20_balances)', chain);
        EXECUTE format('
            INSERT INTO erc20_balances_%1$s (chain_id, holder_id, block_number, balance)
            SELECT b.chain_id, h.holder_id, b.block_number, b.balance
            FROM erc20_balances_by_address_%1$s b
                JOIN erc20_holders_%1$s h ON h.token_address = b.token_address AND h.address = b.address', chain);
        GET DIAGNOSTICS balances = ROW_COUNT;
        EXECUTE format('SELECT count(*) FROM erc20_balances_by_address_%s', chain) INTO expected;
        IF balances <> expected THEN
            RAISE EXCEPTION '% of the ERC-20 balances of chain % have no row in erc20_holders. Start the version of Moraine that was used before, repair the rows with npm run gaps -- --chain % --repair, and start this version again', expected - balances, chain, chain;
        END IF;
        EXECUTE format('DROP TABLE erc20_balances_by_address_%s', chain);
        EXECUTE format('ANALYZE erc20_balances_%s', chain);

        EXECUTE format('ALTER TABLE erc20_holders ATTACH PARTITION erc20_holders_%1$s FOR VALUES IN (%1$s)', chain);
        EXECUTE format('ALTER TABLE erc20_balances ATTACH PARTITION erc20_balances_%1$s FOR VALUES IN (%1$s)', chain);
        RAISE INFO 'chain %: wrote % holders and % balances', chain, holders, balances;
    END LOOP;
END $$;

-- DropTable
DROP TABLE "erc20_balances_by_address";

-- AlterTable
ALTER TABLE "erc20_holders" ALTER COLUMN "holder_id" SET NOT NULL,
    ADD CONSTRAINT "erc20_holders_pkey" PRIMARY KEY ("chain_id","token_address","address") INCLUDE ("balance","holder_id","first_block_number","last_block_number");

-- AlterTable
ALTER TABLE "erc20_balances" ADD CONSTRAINT "erc20_balances_pkey" PRIMARY KEY ("chain_id","holder_id","block_number") INCLUDE ("balance");

-- CreateIndex
CREATE INDEX "erc20_balances_chain_id_block_number_idx" ON "erc20_balances"("chain_id", "block_number");

-- CreateIndex
CREATE UNIQUE INDEX "erc20_holders_chain_id_holder_id_key" ON "erc20_holders"("chain_id", "holder_id");

-- CreateIndex
CREATE INDEX "erc20_holders_balance_idx" ON "erc20_holders"("chain_id", "token_address", "balance", "address") WHERE (balance > 0);

-- CreateIndex
CREATE INDEX "erc20_holders_max_balance_idx" ON "erc20_holders"("chain_id", "token_address", "max_balance", "address") INCLUDE ("balance", "holder_id", "max_block_number", "first_block_number", "last_block_number", "past_block_numbers", "past_balances", "max_end_block_number", "second_balance");

-- CreateIndex
CREATE INDEX "erc20_holders_address_idx" ON "erc20_holders"("chain_id", "address", "token_address") INCLUDE ("balance") WHERE (balance > 0);
