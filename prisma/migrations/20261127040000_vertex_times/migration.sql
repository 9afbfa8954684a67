-- AlterTable
ALTER TABLE "primary_journal" ADD COLUMN     "is_time_known" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "x_chain_vertices" ADD COLUMN     "earliest_timestamp" BIGINT;

-- CreateTable
CREATE TABLE "x_chain_vertex_times" (
    "network_id" BIGINT NOT NULL,
    "includes_c_chain" BOOLEAN NOT NULL,
    "estimated_count" BIGINT NOT NULL,
    "exact_from" BIGINT NOT NULL,
    "tx_count" BIGINT NOT NULL,

    CONSTRAINT "x_chain_vertex_times_pkey" PRIMARY KEY ("network_id")
);
