-- CreateTable
CREATE TABLE "idempotency_keys" (
    "owner" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "operation_id" UUID NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "created_at" BIGINT NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("owner", "key")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_operation_id_idx" ON "idempotency_keys"("operation_id");

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_operation_id_fkey" FOREIGN KEY ("operation_id") REFERENCES "operations"("operation_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Keys of existing operations
INSERT INTO "idempotency_keys" ("owner", "key", "operation_id", "request_hash", "created_at")
SELECT "owner", "idempotency_key", "operation_id", "request_hash", "created_at" FROM "operations" WHERE "idempotency_key" IS NOT NULL;

-- DropIndex
DROP INDEX "operations_owner_idempotency_key_key";

-- AlterTable
ALTER TABLE "operations" DROP COLUMN "idempotency_key";
