-- What consensus accepted although the rows contradict it, and further blocks that contain a transaction once more.

-- CreateTable
CREATE TABLE "primary_exceptions" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "tx_seq" BIGINT NOT NULL,
    "exception_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "utxo_id" BYTEA,
    "kind" TEXT NOT NULL,

    CONSTRAINT "primary_exceptions_pkey" PRIMARY KEY ("network_id","chain","tx_seq","exception_index")
) PARTITION BY LIST ("network_id");

-- CreateTable
CREATE TABLE "primary_repeated_transactions" (
    "network_id" BIGINT NOT NULL,
    "chain" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "tx_seq" BIGINT NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "block_timestamp" BIGINT NOT NULL,

    CONSTRAINT "primary_repeated_transactions_pkey" PRIMARY KEY ("network_id","chain","block_number","tx_seq")
) PARTITION BY LIST ("network_id");
