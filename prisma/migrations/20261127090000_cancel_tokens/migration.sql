-- Exports that callers without an API key started are cancelled and listed with a secret. Those that run already have none.
ALTER TABLE "operations" ADD COLUMN "cancel_token_hash" BYTEA;
CREATE UNIQUE INDEX "operations_cancel_token_hash_key" ON "operations" ("cancel_token_hash");
