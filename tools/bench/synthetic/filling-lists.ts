import { addressOf, BLOCK_SECONDS, FIRST_TIMESTAMP, fillBlocks, filled, SESSION } from "./filling-partitions.ts";

/** Transactions in one block. */
const TRANSACTIONS_PER_BLOCK = 10;
const CONTRACTS = 1_000;
const TOKENS = 100;
const METHODS = 20;

/** Types of the P-Chain's transactions, all equally frequent. */
const P_CHAIN_TYPES = ["BaseTx", "ImportTx", "ExportTx", "CreateSubnetTx", "CreateChainTx", "ConvertSubnetToL1Tx"];

export const blocksOf = (rows: number): number => Math.ceil(rows / TRANSACTIONS_PER_BLOCK);
export const walletAddress = (number: string): string => addressOf("wallet", number);
export const contractAddress = (number: string): string => addressOf("contract", number);
export const tokenAddress = (number: string): string => addressOf("token", number);

/** The first topic of a twentieth of the logs, as SQL. The others have a frequent event. */
export const RARE_TOPIC = "sha256('rare event'::bytea)";

/** SQL of the selector of a method. */
const selector = (number: string): string => `decode(lpad(to_hex(${number}), 8, '0'), 'hex')`;

const hash = (kind: string, number: string): string => `sha256(('${kind}' || (${number}))::bytea)`;
/** A number below `count`. Small numbers are more frequent than large ones. */
const skewed = (count: number): string => `floor(${count} * random() ^ 2)::int`;
const timeOf = (block: string): string => `${FIRST_TIMESTAMP} + (${block}) * ${BLOCK_SECONDS}`;

/** The rows 0 to `rows` - 1 of a chain, with their blocks and random numbers. Each row is computed once, because of the `OFFSET`. */
const drawn = (
  rows: number,
): string => `(SELECT n, 1 + n / ${TRANSACTIONS_PER_BLOCK} AS block, n % ${TRANSACTIONS_PER_BLOCK} AS place,
    ${skewed(walletsOf(rows))} AS sender, ${skewed(walletsOf(rows))} AS recipient, ${skewed(CONTRACTS)} AS contract,
    ${skewed(TOKENS)} AS token, floor(${METHODS} * random())::int AS method, random() AS share
  FROM generate_series(0, ${rows - 1}) n OFFSET 0) drawn`;

const walletsOf = (rows: number): number => Math.ceil(rows / 10);

/** Statements that fill a chain with `rows` transactions, and as many logs and ERC-20 transfers. */
export function fillLists(chainId: number, rows: number): string[] {
  return [
    ...SESSION,
    ...fillBlocks(chainId, blocksOf(rows)),
    ...filled("evm_transactions", chainId, fillTransactions(chainId, rows)),
    ...filled("evm_deployments", chainId, fillDeployments(chainId)),
    ...filled("evm_logs", chainId, fillLogs(chainId, rows)),
    ...filled("erc20_transfers", chainId, fillTransfers(chainId, rows)),
    ...filled("erc20_tokens", chainId, fillTokens(chainId, rows)),
    ...filled("erc20_counts", chainId, fillCounts(chainId, rows)),
    fillMessages(chainId, rows),
  ];
}

const fillTransactions = (chainId: number, rows: number): string =>
  `INSERT INTO evm_transactions_${chainId} (chain_id, block_timestamp, gas_used, cumulative_gas_used, block_number, block_index,
     log_count, tx_type, tx_status, tx_hash, block_hash, from_address, to_address, nonce, value, gas_limit, gas_price, input)
   SELECT ${chainId}, ${timeOf("block")}, 60000, 60000, block, place, 1, 2, CASE WHEN share < 0.2 THEN 0 ELSE 1 END,
     ${hash("transaction", "n")}, ${hash("block", "block")}, ${walletAddress("sender")}, ${contractAddress("contract")},
     n, 0, 90000, 25000000000, ${selector("method")} || '\\x${"00".repeat(64)}'
   FROM ${drawn(rows)}`;

const fillDeployments = (chainId: number): string =>
  `INSERT INTO evm_deployments_${chainId} (chain_id, address, block_number, block_index, trace_index, tx_hash, creator_address, opcode)
   SELECT ${chainId}, ${contractAddress("n")}, 1, 0, n, ${hash("transaction", "0")}, ${walletAddress("n")}, 'CREATE'
   FROM generate_series(0, ${CONTRACTS - 1}) n`;

const fillLogs = (chainId: number, rows: number): string =>
  `INSERT INTO evm_logs_${chainId} (chain_id, block_number, log_index, block_index, address, topic0, topic1, topic2, topic3, data)
   SELECT ${chainId}, block, place, place, ${contractAddress("contract")}, CASE WHEN share < 0.05 THEN ${RARE_TOPIC} ELSE '\\x00' END,
     ${walletAddress("sender")}, ${walletAddress("recipient")}, '', '\\x0de0b6b3a7640000'
   FROM ${drawn(rows)}`;

const fillTransfers = (chainId: number, rows: number): string =>
  `INSERT INTO erc20_transfers_${chainId} (chain_id, block_timestamp, block_number, log_index, block_index, block_hash, tx_hash,
     from_address, to_address, token_address, value)
   SELECT ${chainId}, ${timeOf("block")}, block, place, place, ${hash("block", "block")}, ${hash("transaction", "n")},
     ${walletAddress("sender")}, ${walletAddress("recipient")}, ${tokenAddress("token")}, 1000000000000000000
   FROM ${drawn(rows)}`;

const fillTokens = (chainId: number, rows: number): string =>
  `INSERT INTO erc20_tokens_${chainId} (chain_id, address, first_block_number, metadata_status, name, symbol, decimals)
   SELECT ${chainId}, ${tokenAddress("n")}, 0, 'INDEXED', 'Token ' || n, 'T' || n, 18 FROM generate_series(0, ${rows / 100 - 1}) n`;

const fillCounts = (chainId: number, rows: number): string =>
  `INSERT INTO erc20_counts_${chainId} (chain_id, transfer_count, holder_count, token_address)
   SELECT ${chainId}, ${skewed(rows)}, ${skewed(rows)}, ${tokenAddress("n")} FROM generate_series(0, ${rows / 100 - 1}) n`;

/** A tenth as many interchain messages, from the chain to itself. Their table has the messages of all chains. */
const fillMessages = (chainId: number, rows: number): string =>
  `INSERT INTO icm_messages (message_id, state, message_timestamp, source, destination, origin_sender_address, destination_address,
     source_chain_id, sent_block_number, sent_log_index, sent_timestamp, destination_chain_id)
   SELECT ${hash(`message ${chainId} `, "n")}, (ARRAY['SENT', 'RECEIVED', 'EXECUTED', 'FAILED'])[1 + n % 4], ${timeOf("n")},
     '${chainId}', '${chainId}', ${walletAddress("sender")}, ${contractAddress("contract")}, ${chainId}, n, 0, ${timeOf("n")}, ${chainId}
   FROM ${drawn(rows / 10)}`;

/** Statements that fill a primary network with `rows` transactions of the P-Chain, and a tenth as many stakers. */
export function fillPrimaryLists(networkId: number, rows: number): string[] {
  const id = `'\\x${"00".repeat(32)}'`;
  return [
    ...SESSION,
    `INSERT INTO primary_networks (network_id, hrp, genesis_hash, genesis_timestamp, x_chain_id, c_chain_id, avax_asset_id, rules)
     VALUES (${networkId}, 'fuji', ${id}, ${FIRST_TIMESTAMP}, ${hash("X", "1")}, ${hash("C", "1")}, ${hash("AVAX", "1")}, '')`,
    `INSERT INTO primary_heads (network_id, chain, raw_seq, block_number, block_hash, container_id, block_timestamp, tx_count, rows_version)
     VALUES (${networkId}, 'P', ${rows}, ${rows}, ${id}, ${id}, ${timeOf(String(rows))}, ${rows}, 1)`,
    ...filled("primary_transactions", networkId, fillPrimaryTransactions(networkId, rows), "network_id"),
    ...filled("stakers", networkId, fillStakers(networkId, rows / 10), "network_id"),
  ];
}

const fillPrimaryTransactions = (networkId: number, rows: number): string =>
  `INSERT INTO primary_transactions_${networkId} (network_id, chain, tx_seq, tx_hash, tx_type, block_number, block_hash,
     block_timestamp, memo, consumed_utxo_ids, emitted_utxo_ids, burned_asset_ids, burned_amounts, reward_addresses,
     l1_balance_burned)
   SELECT ${networkId}, 'P', n, ${hash("transaction", "n")}, (ARRAY['${P_CHAIN_TYPES.join("', '")}'])[1 + floor(random() * ${P_CHAIN_TYPES.length})::int],
     n, ${hash("block", "n")}, ${timeOf("n")}, '', '{}', '{}', '{}', '{}', '{}', 0
   FROM generate_series(0, ${rows - 1}) n`;

/** A tenth of the stakers is active. */
const fillStakers = (networkId: number, rows: number): string =>
  `INSERT INTO stakers_${networkId} (network_id, tx_hash, staker_seq, kind, status, is_permissioned, subnet_id, node_id, weight,
     start_timestamp, end_timestamp, start_priority, shares, reward_addresses, output_count, stake_count, accrued_share,
     paid_reward, paid_share)
   SELECT ${networkId}, ${hash("transaction", "n")}, n, 'VALIDATOR', CASE WHEN n % 10 = 0 THEN 'ACTIVE' ELSE 'COMPLETED' END, false,
     '\\x${"00".repeat(32)}', ${addressOf("node", "n % 5000")}, floor(2e12 + random() * 3e15)::numeric,
     ${timeOf("n * 10")}, ${timeOf("n * 10")} + 1209600, 1, 20000 + n % 1000, '{}', 1, 1, 0, 0, 0
   FROM generate_series(0, ${rows - 1}) n`;
