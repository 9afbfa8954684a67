import type pg from "pg";
import { PERIODS } from "./activity-oracle.ts";

/** A row of `primary_activity`, each value as text or null. */
export type PrimaryActivityRow = Readonly<Record<string, string | null>>;

type Row = Readonly<Record<string, string>>;
type Rows = (text: string) => Promise<Row[]>;

const YEAR = 31_536_000n;
const ZERO_ID = "\\x".padEnd(66, "0");
const SUMS = ["blocks", "transactions", "fees_burned", "rewards_paid"] as const;

/** All rows of a network, without fees of L1 validators, which the rows do not show by period. */
export async function storedPrimaryActivity(pool: pg.Pool, networkId: number): Promise<PrimaryActivityRow[]> {
  const { rows } = await pool.query<{ row: PrimaryActivityRow }>(
    `SELECT jsonb_object_agg(key, value) AS row FROM primary_activity t, jsonb_each_text(to_jsonb(t) - '{network_id,l1_validator_fees}'::text[])
     WHERE network_id = $1 GROUP BY chain, interval, period_start ORDER BY chain, interval, period_start`,
    [networkId],
  );
  return rows.map(({ row }) => row);
}

/**
 * The same rows, computed from all other rows of the network: what happened in each period is counted, and the state after the last block of each
 * period is computed from the whole history. It uses no code of the indexer. `annual_rewards` is absent if the rows do not show it: an
 * auto-renewed validator has the reward of its current cycle only.
 */
export async function expectedPrimaryActivity(pool: pg.Pool, networkId: number): Promise<PrimaryActivityRow[]> {
  const rows: Rows = async (text) => (await pool.query<Row>(text, [networkId])).rows;
  const periods = new Map<string, Row & Record<(typeof SUMS)[number], string>>();
  for (const event of await eventsOf(rows))
    for (const [interval, startOf] of Object.entries(PERIODS)) {
      const { chain = "", time } = event;
      const period_start = String(startOf(Number(time)));
      const key = `${chain} ${interval} ${period_start.padStart(12, "0")}`;
      const earlier: Row = periods.get(key) ?? { chain, interval, period_start };
      const sums = SUMS.map((name) => [name, String(BigInt(earlier[name] ?? 0) + BigInt(event[name] ?? 0))]);
      periods.set(key, {
        ...earlier,
        ...Object.fromEntries(sums),
        last_block: event["last_block"] ?? earlier["last_block"],
      });
    }
  const state = await stateReader(rows);
  return [...periods.keys()].sort().map((key) => {
    const { last_block, ...period } = periods.get(key) as Row;
    return { ...period, ...(last_block === undefined ? NO_STATE : state(last_block)) };
  });
}

/** What is counted, in the order of the chains. */
async function eventsOf(rows: Rows): Promise<Row[]> {
  const avax = "(SELECT avax_asset_id FROM primary_networks WHERE network_id = $1)";
  return [
    ...(await rows(
      `SELECT chain, block_timestamp AS time, '1' AS blocks, CASE chain WHEN 'P' THEN block_number END AS last_block
       FROM primary_blocks WHERE network_id = $1 AND chain <> 'C' ORDER BY chain, block_number`,
    )),
    ...(await rows(
      "SELECT 'X' AS chain, vertex_timestamp AS time, '1' AS blocks FROM x_chain_vertices WHERE network_id = $1",
    )),
    ...(await rows(
      `SELECT chain, block_timestamp AS time, '1' AS transactions,
         (SELECT coalesce(sum(amount), 0) FROM unnest(burned_asset_ids, burned_amounts) AS b(asset, amount) WHERE asset = ${avax}) AS fees_burned
       FROM primary_transactions WHERE network_id = $1`,
    )),
    ...(await rows(
      "SELECT chain, block_timestamp AS time, '1' AS transactions FROM primary_repeated_transactions WHERE network_id = $1",
    )),
    ...(await rows(
      `SELECT 'P' AS chain, reward_timestamp AS time, amount AS rewards_paid FROM primary_rewards
       WHERE network_id = $1 AND asset_id = ${avax}`,
    )),
  ].map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
}

const NO_STATE: PrimaryActivityRow = {
  last_block: null,
  validators: null,
  delegators: null,
  validator_stake: null,
  delegator_stake: null,
  annual_rewards: null,
  subnets: null,
  blockchains: null,
  l1s: null,
};

const sum = (values: readonly (string | bigint)[]): bigint =>
  values.reduce<bigint>((total, value) => total + BigInt(value), 0n);

/** Returns a function that computes the state after a block. */
async function stateReader(rows: Rows): Promise<(block: string) => PrimaryActivityRow> {
  const blocks = await rows("SELECT * FROM primary_blocks WHERE network_id = $1 AND chain = 'P' ORDER BY block_number");
  const stakers = await rows(
    `SELECT s.*, CASE WHEN next_period IS NULL THEN s.start_timestamp ELSE t.block_timestamp END AS first_start
     FROM stakers s LEFT JOIN primary_transactions t ON t.network_id = $1 AND t.tx_hash = s.tx_hash
     WHERE s.network_id = $1 AND status <> 'PENDING' AND s.subnet_id = '${ZERO_ID}'`,
  );
  const weights = await rows(`SELECT * FROM validator_weights WHERE network_id = $1 AND subnet_id = '${ZERO_ID}'`);
  const subnets = await rows("SELECT * FROM subnets WHERE network_id = $1");
  const chains = await rows("SELECT * FROM blockchains WHERE network_id = $1 AND create_block_number >= 0");
  return (block) => {
    const time = BigInt(blocks[Number(block)]?.["block_timestamp"] as string);
    const isBy = (at: string | null | undefined, limit: bigint) => at != null && BigInt(at) <= limit;
    const active = stakers.filter(
      ({ first_start, ended_timestamp }) => isBy(first_start, time) && !isBy(ended_timestamp, time),
    );
    const delegators = active.filter(({ kind }) => kind === "DELEGATOR");
    const delegatorStake = sum(delegators.map(({ weight = "" }) => weight));
    const inSet = weights.filter(
      ({ block_number, until_block }) => isBy(block_number, BigInt(block)) && !isBy(until_block, BigInt(block)),
    );
    const isKnown = Number(block) === blocks.length - 1 || active.every(({ next_period }) => next_period === null);
    return {
      last_block: block,
      validators: String(active.length - delegators.length),
      delegators: String(delegators.length),
      validator_stake: String(sum(inSet.map(({ weight = "" }) => weight)) - delegatorStake),
      delegator_stake: String(delegatorStake),
      ...(isKnown && { annual_rewards: String(sum(active.map(annualReward))) }),
      subnets: String(subnets.filter((one) => isBy(one["create_block_number"], BigInt(block))).length),
      blockchains: String(chains.filter((one) => isBy(one["create_block_number"], BigInt(block))).length),
      l1s: String(subnets.filter((one) => isBy(one["conversion_timestamp"], time)).length),
    };
  };
}

function annualReward({ potential_reward, start_timestamp = "", end_timestamp = "" }: Row): bigint {
  return (BigInt(potential_reward ?? 0) * YEAR) / (BigInt(end_timestamp) - BigInt(start_timestamp));
}
