-- CreateTable
CREATE TABLE "chain_places" (
    "chain_id" BIGINT NOT NULL,
    "network" TEXT NOT NULL,
    "blockchain_id" BYTEA NOT NULL,
    "subnet_id" BYTEA NOT NULL,
    "vm_id" BYTEA NOT NULL,

    CONSTRAINT "chain_places_pkey" PRIMARY KEY ("chain_id")
);
