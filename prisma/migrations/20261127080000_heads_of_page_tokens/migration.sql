-- A page token knows how far its chain was indexed when it was made. Tokens that do not know it are valid for 24 hours at most: they are
-- refused as unknown.
DELETE FROM "metrics_page_tokens";

-- AlterTable
ALTER TABLE "metrics_page_tokens" ADD COLUMN "head" BIGINT NOT NULL;
