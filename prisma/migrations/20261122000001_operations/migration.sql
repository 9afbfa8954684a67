-- CreateTable
CREATE TABLE "operations" (
    "operation_id" UUID NOT NULL,
    "owner" TEXT NOT NULL,
    "operation_type" TEXT NOT NULL,
    "operation_status" TEXT NOT NULL,
    "is_cancelled" BOOLEAN NOT NULL DEFAULT false,
    "message" TEXT,
    "code" TEXT,
    "next_date" TEXT,
    "request" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "idempotency_key" TEXT,
    "created_at" BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,
    "started_at" BIGINT,
    "ended_at" BIGINT,
    "expires_at" BIGINT,
    "row_count" BIGINT NOT NULL DEFAULT 0,
    "byte_count" BIGINT NOT NULL DEFAULT 0,
    "total_rows" BIGINT,
    "sha256" BYTEA,
    "file_name" TEXT,
    "checkpoint" TEXT,
    "version" BIGINT NOT NULL DEFAULT 1,

    CONSTRAINT "operations_pkey" PRIMARY KEY ("operation_id")
);

-- CreateIndex
CREATE INDEX "operations_owner_created_at_operation_id_idx" ON "operations"("owner", "created_at", "operation_id");

-- CreateIndex
CREATE INDEX "operations_expires_at_idx" ON "operations"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "operations_owner_idempotency_key_key" ON "operations"("owner", "idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "operations_running_request_key" ON "operations"("owner", "request_hash") WHERE (operation_status = 'RUNNING' AND NOT is_cancelled);
