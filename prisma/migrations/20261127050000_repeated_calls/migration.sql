-- Contracts can be called again: if the node could not call them, if they had neither name nor symbol, and on request.

-- AlterTable
ALTER TABLE "raw_token_answers" ADD COLUMN     "attempted_at" BIGINT,
ADD COLUMN     "empty_answers" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "next_attempt_at" BIGINT,
ADD COLUMN     "node_failures" INTEGER NOT NULL DEFAULT 0,
ALTER COLUMN "answers" DROP NOT NULL;

-- AlterTable
ALTER TABLE "nft_metadata" ADD COLUMN     "node_failures" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "raw_token_answers_chain_id_next_attempt_at_idx" ON "raw_token_answers"("chain_id", "next_attempt_at");

-- Earlier versions stored errors of nodes as answers, and read no decimals from an answer of more than one word. The indexer reads
-- these answers again, and calls the contract if one of them is an error of a node.
UPDATE erc20_tokens t SET metadata_status = 'PENDING' FROM raw_token_answers r
WHERE r.chain_id = t.chain_id AND r.address = t.address
    AND (r.answers LIKE '%{"error":%' OR r.answers ~ '"result":"0x[0-9A-Fa-f]{65,}"}]$');
UPDATE nft_contracts t SET metadata_status = 'PENDING' FROM raw_token_answers r
WHERE r.chain_id = t.chain_id AND r.address = t.address AND r.answers LIKE '%{"error":%';

-- Contracts without name and symbol are due.
UPDATE raw_token_answers r SET next_attempt_at = 0
WHERE EXISTS (SELECT FROM erc20_tokens t WHERE t.chain_id = r.chain_id AND t.address = r.address AND t.name = '' AND t.symbol = '')
    OR EXISTS (SELECT FROM nft_contracts t WHERE t.chain_id = r.chain_id AND t.address = r.address AND t.name = '' AND t.symbol = '');

-- So are tokens without a URI, and those whose metadata is in a data: URI that earlier versions could not read.
UPDATE nft_metadata SET next_attempt_at = 0
WHERE index_status IN ('UNKNOWN', 'MISSING_TOKEN') OR (index_status = 'INVALID_TOKEN_URI' AND token_uri = '')
    OR (index_status = 'INVALID_METADATA_JSON' AND token_uri ILIKE 'data:%');
