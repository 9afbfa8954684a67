-- Figures of primary networks by period. The indexer fills the table when it computes the rows of a network again from the stored blocks, at its
-- next start.

CREATE TABLE primary_activity (
    network_id bigint NOT NULL,
    chain text NOT NULL,
    interval text NOT NULL,
    period_start bigint NOT NULL,
    blocks bigint NOT NULL,
    transactions bigint NOT NULL,
    fees_burned numeric(30,0) NOT NULL,
    rewards_paid numeric(30,0) NOT NULL,
    l1_validator_fees numeric(30,0) NOT NULL,
    last_block bigint,
    validators integer,
    delegators integer,
    validator_stake numeric(20,0),
    delegator_stake numeric(20,0),
    annual_rewards numeric(30,0),
    subnets bigint,
    blockchains bigint,
    l1s bigint,
    PRIMARY KEY (network_id, chain, interval, period_start)
);
