-- Names and symbols of tokens for the search: by their first 200 characters in lower case, in byte order, the oldest contract
-- first. Prisma cannot express indexes of expressions, so schema.prisma does not have them.

-- CreateIndex
CREATE INDEX "erc20_tokens_symbol_search_idx" ON "erc20_tokens"("chain_id", lower("left"("symbol", 200)) COLLATE "C", "first_block_number", "address") WHERE (symbol <> '');

-- CreateIndex
CREATE INDEX "erc20_tokens_name_search_idx" ON "erc20_tokens"("chain_id", lower("left"("name", 200)) COLLATE "C", "first_block_number", "address") WHERE (name <> '');

-- CreateIndex
CREATE INDEX "nft_contracts_symbol_search_idx" ON "nft_contracts"("chain_id", lower("left"("symbol", 200)) COLLATE "C", "first_block_number", "address") WHERE (symbol <> '');

-- CreateIndex
CREATE INDEX "nft_contracts_name_search_idx" ON "nft_contracts"("chain_id", lower("left"("name", 200)) COLLATE "C", "first_block_number", "address") WHERE (name <> '');
