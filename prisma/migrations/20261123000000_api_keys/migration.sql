-- CreateTable
CREATE TABLE "api_keys" (
    "key_hash" BYTEA NOT NULL,
    "label" TEXT NOT NULL,
    "compute_units_per_minute" INTEGER,
    "compute_units_per_day" INTEGER,
    "networks" TEXT[],
    "scopes" TEXT[],
    "created_at" BIGINT NOT NULL,
    "revoked_at" BIGINT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("key_hash")
);

-- The usage of the current minute
DELETE FROM "rate_usage";

-- AlterTable
ALTER TABLE "rate_usage" DROP CONSTRAINT "rate_usage_pkey",
ADD COLUMN     "window_seconds" INTEGER NOT NULL,
ADD CONSTRAINT "rate_usage_pkey" PRIMARY KEY ("caller", "window_seconds", "window_number");
