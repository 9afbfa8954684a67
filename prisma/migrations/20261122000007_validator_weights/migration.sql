-- CreateTable
CREATE TABLE "validator_weights" (
    "network_id" BIGINT NOT NULL,
    "subnet_id" BYTEA NOT NULL,
    "entry_id" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "until_block" BIGINT NOT NULL,
    "weight" DECIMAL(20,0) NOT NULL,
    "node_id" BYTEA,
    "bls_public_key" BYTEA,

    CONSTRAINT "validator_weights_pkey" PRIMARY KEY ("network_id","subnet_id","entry_id","block_number")
) PARTITION BY LIST ("network_id");

-- CreateIndex
CREATE INDEX "validator_weights_network_id_subnet_id_until_block_idx" ON "validator_weights"("network_id", "subnet_id", "until_block");
