-- Names and symbols of tokens for the search, in lower case. The locale of the database folded the case of their letters, so that in
-- Turkish the search for "link" did not find "LINK". The collation C changes the letters A to Z in every locale. As before, the rest is in
-- byte order, the oldest contract first.

DROP INDEX "erc20_tokens_symbol_search_idx";
CREATE INDEX "erc20_tokens_symbol_search_idx" ON "erc20_tokens"("chain_id", lower("left"("symbol", 200) COLLATE "C"), "first_block_number", "address") WHERE (symbol <> '');

DROP INDEX "erc20_tokens_name_search_idx";
CREATE INDEX "erc20_tokens_name_search_idx" ON "erc20_tokens"("chain_id", lower("left"("name", 200) COLLATE "C"), "first_block_number", "address") WHERE (name <> '');

DROP INDEX "nft_contracts_symbol_search_idx";
CREATE INDEX "nft_contracts_symbol_search_idx" ON "nft_contracts"("chain_id", lower("left"("symbol", 200) COLLATE "C"), "first_block_number", "address") WHERE (symbol <> '');

DROP INDEX "nft_contracts_name_search_idx";
CREATE INDEX "nft_contracts_name_search_idx" ON "nft_contracts"("chain_id", lower("left"("name", 200) COLLATE "C"), "first_block_number", "address") WHERE (name <> '');
