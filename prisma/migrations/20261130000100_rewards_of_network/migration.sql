-- All rewards of a network, by the end of their stakes.
CREATE INDEX primary_rewards_end_idx ON primary_rewards (network_id, end_timestamp, reward_seq);
