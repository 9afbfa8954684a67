-- AlterTable
ALTER TABLE "stakers" ADD COLUMN     "next_period" BIGINT,
ADD COLUMN     "auto_compound_shares" INTEGER,
ADD COLUMN     "restaked_reward" DECIMAL(20,0),
ADD COLUMN     "restaked_share" DECIMAL(20,0);
