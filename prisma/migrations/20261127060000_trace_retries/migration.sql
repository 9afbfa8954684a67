-- Blocks whose call trees are requested again in the background.
CREATE TABLE "trace_retries" (
    "chain_id" BIGINT NOT NULL,
    "block_number" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "due_at" BIGINT,

    CONSTRAINT "trace_retries_pkey" PRIMARY KEY ("chain_id","block_number")
);

CREATE INDEX "trace_retries_chain_id_due_at_idx" ON "trace_retries"("chain_id", "due_at");
