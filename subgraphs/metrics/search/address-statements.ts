/** SQL that is true if a table has a row with the address (`$2`) in a column, on the chain `$1`. */
const isIn = (table: string, column = "address", condition = "true"): string =>
  `EXISTS (SELECT FROM ${table} t WHERE t.chain_id = $1 AND t.${column} = $2 AND ${condition})`;

/** Internal transactions of the type `UNKNOWN` are not in the indexes by address. */
const KNOWN_TYPE = "t.internal_tx_type <> 'UNKNOWN'";

const TABLES = ["evm_addresses", "erc20_tokens", "nft_contracts", "evm_deployments"];

/** Where an address can occur although it neither sent nor received a transaction. */
const OCCURRENCES = ["to_address", "from_address"].flatMap((column) => [
  isIn("erc20_transfers", column),
  isIn("erc721_transfers", column),
  isIn("erc1155_transfers", column),
  isIn("evm_internal_transactions", column, KNOWN_TYPE),
]);

/** The chain `$1`, if something about an EVM address (`$2`) is indexed on it. */
export const EVM_ADDRESSES = `SELECT $1::bigint AS "chainId", $2::bytea AS address
  WHERE ${[...TABLES.map((table) => isIn(table)), ...OCCURRENCES].join(" OR ")}`;

const OF_NETWORK = "t.network_id = $1";

/**
 * The network `$1`, if it has a Bech32 prefix (`$2`) and an address (`$3`) is known in it: by a transaction, by an output (also one of the
 * genesis), or by a stake whose rewards the address owns.
 */
export const PRIMARY_ADDRESSES = `SELECT n.network_id AS "networkId", n.hrp, $3::bytea AS "owner" FROM primary_networks n
  WHERE n.network_id = $1 AND n.hrp = $2 AND (
    EXISTS (SELECT FROM primary_address_transactions t
      WHERE ${OF_NETWORK} AND t.chain = ANY ('{P,X,C}') AND t.address = $3)
    OR EXISTS (SELECT FROM utxos t WHERE ${OF_NETWORK} AND t.addresses = ARRAY[$3::bytea]
      AND t.created_on_chain = ANY ('{P,X,C}') AND t.consumed_timestamp IS NULL AND cardinality(t.addresses) = 1)
    OR EXISTS (SELECT FROM utxos t WHERE ${OF_NETWORK} AND t.addresses @> ARRAY[$3::bytea] AND cardinality(t.addresses) <> 1)
    OR EXISTS (SELECT FROM staker_owners t WHERE ${OF_NETWORK} AND t.address = $3))`;

/** A node (`$2`), if it validates or validated in the network `$1`. */
export const NODES = `SELECT $2::bytea AS "nodeId"
  WHERE EXISTS (SELECT FROM stakers t WHERE ${OF_NETWORK} AND t.node_id = $2)
    OR EXISTS (SELECT FROM l1_validators t WHERE ${OF_NETWORK} AND t.node_id = $2)`;
