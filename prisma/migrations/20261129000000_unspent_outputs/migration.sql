-- Lists of the unspent outputs of an owner and of an asset, newest first. Outputs with several owners are found in utxos_shared_idx.
CREATE INDEX utxos_owner_idx
    ON utxos (network_id, addresses, chain, created_timestamp, utxo_id)
    WHERE consumed_timestamp IS NULL AND cardinality(addresses) = 1;
CREATE INDEX utxos_asset_idx
    ON utxos (network_id, asset_id, chain, created_timestamp, utxo_id)
    WHERE consumed_timestamp IS NULL;
