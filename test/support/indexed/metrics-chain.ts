import { testConfig } from "../config.ts";
import { createFilledDatabase, type TestDatabase } from "../database/database.ts";
import { type CountedBlock, type ExpectedPeriod, expectedPeriods } from "../oracle/metrics-oracle.ts";
import { createRandomIntegers } from "../random.ts";

/** A chain whose blocks are spread over 210 days, with hours, days and a month without blocks. */
export const METRICS_CHAIN = "77001";
/** A chain of which only the genesis block is indexed. */
export const GENESIS_CHAIN = "77002";
/** A chain whose indexer has never started. */
export const UNKNOWN_CHAIN = "77003";

export const METRICS_CONFIG = testConfig({
  evmChains: [METRICS_CHAIN, GENESIS_CHAIN, UNKNOWN_CHAIN].map((chainId) => ({
    chainId: Number(chainId),
    network: "fuji",
    nodeUrl: "http://127.0.0.1:1",
    chainName: `Chain ${chainId}`,
  })),
});

const DAY = 86_400;
const FIRST_SECONDS = Date.parse("2027-12-28T22:10:00Z") / 1_000;
/** Days of the chain in which it has no block. */
const isQuiet = (day: number): boolean => day % 11 === 3 || (day >= 60 && day < 125);

/** The blocks of the chain, from block 1 on. */
export const METRICS_BLOCKS: readonly CountedBlock[] = createBlocks();

function createBlocks(): CountedBlock[] {
  const random = createRandomIntegers(13);
  const blocks: CountedBlock[] = [];
  for (let day = 0; day < 210; day++) {
    if (isQuiet(day)) continue;
    const times = Array.from({ length: 1 + (random() % 5) }, () => random() % DAY).sort((a, b) => a - b);
    for (const time of times) blocks.push(blockAt(blocks.length + 1, FIRST_SECONDS + day * DAY + time, random));
  }
  return blocks;
}

function blockAt(number: number, seconds: number, random: () => number): CountedBlock {
  const transactions = random() % 4 === 0 ? 0 : random() % 900_000;
  return {
    number,
    seconds,
    transactions,
    gasUsed: transactions === 0 ? 0n : BigInt(21_000 + (random() % 15_000_000)),
    // More than a double can hold.
    fees: transactions === 0 ? 0n : BigInt(random()) ** 2n * 1_000_003n,
    addresses: Array.from({ length: transactions === 0 ? 0 : random() % 9 }, () => `a${random() % 400}`),
    contracts: random() % 3,
    erc20Transfers: random() % 50,
  };
}

/** A database with the rows that the indexer keeps of these chains. They are counted by the tests' own code. */
export function createMetricsDatabase(): Promise<TestDatabase> {
  return createFilledDatabase("metrics", fill);
}

async function fill({ pool }: TestDatabase): Promise<void> {
  for (const table of ["evm_blocks", "evm_block_activity"])
    await pool.query(`CREATE TABLE ${table}_${METRICS_CHAIN} PARTITION OF ${table} FOR VALUES IN (${METRICS_CHAIN})`);
  const known = new Set<string>();
  for (const block of METRICS_BLOCKS) {
    const isNew = (address: string) => !known.has(address) && Boolean(known.add(address));
    const newAddresses = block.addresses.filter(isNew).length;
    await pool.query(`INSERT INTO evm_block_activity VALUES (${METRICS_CHAIN}, $1, $2, 0, 0, 0, 0, $3, $4, $5)`, [
      block.number,
      block.seconds,
      newAddresses,
      block.contracts,
      block.erc20Transfers,
    ]);
    await pool.query(
      `INSERT INTO evm_blocks VALUES (${METRICS_CHAIN}, $1, int8send($1), '', $2, NULL, NULL, $3, 0, $4, 0, 0, $5, 0, '', '', '', 0)`,
      [block.number, block.seconds, block.transactions, block.gasUsed, block.fees],
    );
  }
  for (const interval of ["HOUR", "DAY", "WEEK", "MONTH"])
    for (const period of expectedPeriods(METRICS_BLOCKS, interval))
      if (period.blocks !== "0")
        await pool.query("INSERT INTO evm_activity VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)", [
          METRICS_CHAIN,
          interval,
          ...rowOf(period),
        ]);
  const last = METRICS_BLOCKS.at(-1);
  const head = "INSERT INTO chain_heads VALUES ($1, '', 1, $2, '', $3, 0)";
  await pool.query(head, [METRICS_CHAIN, last?.number, last?.seconds]);
  await pool.query(head, [GENESIS_CHAIN, 0, 0]);
  await pool.query(
    `INSERT INTO chain_progress VALUES (${GENESIS_CHAIN}, 'WAITING', 'the node refuses it', NULL, 0, 0, 1700000000)`,
  );
}

function rowOf(period: ExpectedPeriod): (string | number)[] {
  const { periodStart, blocks, transactions, gasUsed, feesSpent } = period;
  const { activeAddresses, newAddresses, newContracts, erc20Transfers } = period;
  const counts = [activeAddresses, newAddresses, newContracts, erc20Transfers];
  return [periodStart, blocks, transactions, gasUsed, feesSpent, ...counts];
}
