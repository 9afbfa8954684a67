-- CreateTable
CREATE UNLOGGED TABLE "rate_usage" (
    "caller" TEXT NOT NULL,
    "window_number" BIGINT NOT NULL,
    "units" BIGINT NOT NULL,

    CONSTRAINT "rate_usage_pkey" PRIMARY KEY ("caller","window_number")
);
