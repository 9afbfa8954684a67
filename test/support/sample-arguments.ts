import type { Pool } from "pg";
import type { Literals } from "./every-field.ts";

const OWNERS = '"custom1ptj7uyt5e2segurd6tpjxvhtqxp404280mtke3"';

/** Values of arguments that are the same for all chains of the recording alpha. */
const OTHERS: Literals = {
  network: "FUJI",
  "rewards.addresses": OWNERS,
  "delegators.rewardAddresses": OWNERS,
  "primaryNetworkTransactions.addresses": OWNERS,
  "primaryNetworkAddress.address": OWNERS,
  "primaryNetworkUtxos.address": OWNERS,
  metric: "TX_COUNT",
  interval: "DAY",
  threshold: '"1"',
  blockchainId: '"p-chain"',
  "xChainVertices.blockchainId": '"x-chain"',
};

/** Values of arguments for which a chain of the recording alpha has rows, by name or by field and name (`field.name`). */
export async function sampleOf(pool: Pool, chainId: number): Promise<Record<string, string>> {
  const hex = (column: string) => `'0x' || encode(${column}, 'hex')`;
  const rowOf = async (statement: string): Promise<Record<string, string>> => (await pool.query(statement)).rows[0];
  return {
    chainId: String(chainId),
    ...(await rowOf(`SELECT ${hex("tx_hash")} AS "txHash", ${hex("from_address")} AS address, block_number AS "blockNumber",
      block_number AS "evmBlock.blockNumber" FROM evm_transactions WHERE chain_id = ${chainId} AND log_count > 0 LIMIT 1`)),
    ...(await rowOf(`SELECT ${hex("token_address")} AS "erc721Token.address", ${hex("token_address")} AS "nftCollection.address",
      token_id AS "tokenId" FROM nft_holdings WHERE chain_id = ${chainId} LIMIT 1`)),
    ...(await rowOf(
      `SELECT ${hex("address")} AS "erc20Token.address" FROM erc20_tokens WHERE chain_id = ${chainId} LIMIT 1`,
    )),
    ...(await rowOf(`SELECT ${hex("avax_asset_id")} AS "assetId" FROM primary_networks LIMIT 1`)),
    ...(await rowOf(`SELECT ${hex("message_id")} AS "messageId" FROM icm_events WHERE chain_id = ${chainId} LIMIT 1`)),
  };
}

/** The values of `sampleOf` as GraphQL literals, with those of arguments that are the same for all chains. */
export function sampleLiterals(sample: Readonly<Record<string, string>>): Literals {
  const literals = Object.entries(sample).map(([name, value]) => [name, JSON.stringify(value)]);
  return { ...Object.fromEntries(literals), ...OTHERS };
}
