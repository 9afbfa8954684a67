-- AlterTable
ALTER TABLE "chain_progress" ADD COLUMN     "head_seen_at" BIGINT;

-- AlterTable
ALTER TABLE "primary_progress" ADD COLUMN     "head_seen_at" BIGINT;
