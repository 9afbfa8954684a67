CREATE TABLE chain_verifications (
    chain_id BIGINT NOT NULL PRIMARY KEY,
    block_number BIGINT,
    verified_at BIGINT NOT NULL,
    checked_count BIGINT NOT NULL,
    differing_count BIGINT NOT NULL,
    repeated TEXT NOT NULL,
    last_difference TEXT
);

CREATE TABLE primary_verifications (
    network_id BIGINT NOT NULL,
    chain TEXT NOT NULL,
    block_number BIGINT,
    verified_at BIGINT NOT NULL,
    checked_count BIGINT NOT NULL,
    differing_count BIGINT NOT NULL,
    repeated TEXT NOT NULL,
    last_difference TEXT,
    PRIMARY KEY (network_id, chain)
);
