-- Interchain messages with both of their ends. The indexer fills the new columns and the table when it computes the rows of the EVM chains again
-- from the stored blocks, at its next start.

ALTER TABLE icm_events
    ADD COLUMN fee_token_address bytea,
    ADD COLUMN fee_amount numeric(78),
    ADD COLUMN relayer_address bytea;

CREATE TABLE icm_messages (
    message_id bytea NOT NULL,
    state text NOT NULL,
    message_timestamp bigint NOT NULL,
    source text,
    destination text,
    origin_sender_address bytea,
    destination_address bytea,
    source_chain_id bigint,
    sent_block_number bigint,
    sent_log_index integer,
    sent_timestamp bigint,
    sent_destination_id bytea,
    sent_nonce numeric(78),
    sent_sender_address bytea,
    sent_recipient_address bytea,
    sent_gas_limit numeric(78),
    fee_token_address bytea,
    fee_amount numeric(78),
    destination_chain_id bigint,
    received_source_id bytea,
    received_block_number bigint,
    received_log_index integer,
    received_timestamp bigint,
    received_nonce numeric(78),
    received_sender_address bytea,
    received_recipient_address bytea,
    received_gas_limit numeric(78),
    relayer_address bytea,
    executed_block_number bigint,
    executed_log_index integer,
    executed_timestamp bigint,
    failed_block_number bigint,
    failed_log_index integer,
    failed_timestamp bigint,
    PRIMARY KEY (message_id)
);
CREATE INDEX icm_messages_state_idx ON icm_messages (state, message_timestamp, message_id);
CREATE INDEX icm_messages_source_idx ON icm_messages (source, state, message_timestamp, message_id);
CREATE INDEX icm_messages_destination_idx ON icm_messages (destination, state, message_timestamp, message_id);
CREATE INDEX icm_messages_sender_idx ON icm_messages (origin_sender_address, state, message_timestamp, message_id);
CREATE INDEX icm_messages_recipient_idx ON icm_messages (destination_address, state, message_timestamp, message_id);
CREATE INDEX icm_messages_source_sender_idx ON icm_messages (origin_sender_address, source, state, message_timestamp, message_id);
CREATE INDEX icm_messages_destination_recipient_idx ON icm_messages (destination_address, destination, state, message_timestamp, message_id);
