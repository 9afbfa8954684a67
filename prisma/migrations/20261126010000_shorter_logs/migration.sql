-- Topics and data of logs that are one word are stored without the zeros at its start, and the first topics of frequent events as one byte, as
-- core/stored-logs.ts describes. The rows of evm_logs are written again, which also frees the space of the column tx_hash, which the
-- migration 20261125010000_logs_without_hashes dropped.

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'evm_logs'::regclass) THEN
        RAISE INFO 'upgrading the database: the logs of all EVM chains are written again, which takes some seconds for a million logs';
    END IF;
END $$;

-- AlterTable
ALTER TABLE "evm_logs" ALTER COLUMN "topic0" TYPE BYTEA USING CASE "topic0"
        WHEN '\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' THEN '\x00'
        WHEN '\x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925' THEN '\x01'
        WHEN '\x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1' THEN '\x02'
        WHEN '\xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822' THEN '\x03'
        WHEN '\xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c' THEN '\x04'
        WHEN '\x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65' THEN '\x05'
        WHEN '\xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67' THEN '\x06'
        WHEN '\x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f' THEN '\x07'
        WHEN '\xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496' THEN '\x08'
        WHEN '\x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde' THEN '\x09'
        WHEN '\x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c' THEN '\x0a'
        WHEN '\x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0' THEN '\x0b'
        WHEN '\xad7d6f97abf51ce18e17a38f4d70e975be9c0708474987bb3e26ad21bd93ca70' THEN '\x0c'
        WHEN '\x87f1f9dcf5e8089a3e00811b6a008d8f30293a3da878cb1fe8c90ca376402f8a' THEN '\x0d'
        WHEN '\xa32e146844d6144a22e94c586715a1317d58a8aa3581ec33d040113ddcb24350' THEN '\x0e'
        WHEN '\x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31' THEN '\x0f'
        WHEN '\xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62' THEN '\x10'
        WHEN '\x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb' THEN '\x11'
        WHEN '\x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0' THEN '\x12'
        WHEN '\x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d' THEN '\x13'
        WHEN '\x0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f' THEN '\x14'
        WHEN '\x0109fc6f55cf40689f02fbaad7af7fe7bbac8a3d2186600afc7d3e10cac60271' THEN '\x15'
        ELSE "topic0" END,
    ALTER COLUMN "topic1" TYPE BYTEA USING ltrim("topic1", '\x00'),
    ALTER COLUMN "topic2" TYPE BYTEA USING ltrim("topic2", '\x00'),
    ALTER COLUMN "topic3" TYPE BYTEA USING ltrim("topic3", '\x00'),
    ALTER COLUMN "data" TYPE BYTEA USING CASE
        WHEN octet_length("data") = 32 AND ltrim("data", '\x00') = '\x' THEN '\x00'
        WHEN octet_length("data") = 32 THEN ltrim("data", '\x00')
        WHEN octet_length("data") % 32 = 0 THEN "data"
        ELSE decode(repeat('00', 32), 'hex') || "data" END;

-- A rewritten column has no statistics.
ANALYZE "evm_logs";
