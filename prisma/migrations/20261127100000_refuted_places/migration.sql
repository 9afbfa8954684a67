-- A place without ids: the P-Chain's index refutes the settings of the chain.
ALTER TABLE "chain_places" ALTER COLUMN "blockchain_id" DROP NOT NULL;
ALTER TABLE "chain_places" ALTER COLUMN "subnet_id" DROP NOT NULL;
ALTER TABLE "chain_places" ALTER COLUMN "vm_id" DROP NOT NULL;
