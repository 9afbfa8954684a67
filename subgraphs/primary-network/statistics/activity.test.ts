import { ALPHA } from "../../../recordings/replay-node.ts";
import { atomicBlock } from "../../../test/support/built/blocks.ts";
import { manyDays } from "../../../test/support/built/many-days.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { type BuiltNetwork, openBuiltNetwork } from "../../../test/support/indexed/built-network.ts";
import { type OpenedPrimary, openPrimary, servedOver } from "../../../test/support/indexed/primary-snapshots.ts";
import { type ListPlace, walkList } from "../../../test/support/lists/walk-query.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";

const { network, start, pBlocks, xBlocks, imported, importFee } = manyDays;
const DAY = 86_400;
const FIRST = start - (start % DAY);
const dayOf = (index: number): number => FIRST + index * DAY;

const CHAIN = "blocks transactions feesBurned isComplete isEstimated";
const STAKING = `validators delegators validatorStake delegatorStake totalStake currentSupply averageRewardRate maximumRewardRate
  subnets blockchains l1s activeL1Validators`;
const PERIOD = `periodStart periodEnd isComplete ${STAKING} rewardsPaid l1ValidatorFees newSubnets newBlockchains newL1s
  pChain { ${CHAIN} } xChain { ${CHAIN} } cChain { ${CHAIN} }`;

interface ChainFigures {
  readonly blocks: string | null;
  readonly transactions: string;
  readonly feesBurned: string;
  readonly isComplete: boolean;
  readonly isEstimated: boolean;
}

interface Period extends Readonly<Record<string, unknown>> {
  readonly periodStart: number;
  readonly pChain: ChainFigures;
  readonly xChain: ChainFigures | null;
  readonly cChain: ChainFigures | null;
}

interface Page {
  readonly nodes: Period[];
  readonly pageInfo: Readonly<Record<"hasNextPage" | "hasPreviousPage", boolean>> &
    Readonly<Record<"startCursor" | "endCursor", string | null>>;
}

let built: BuiltNetwork;
let opened: Omit<OpenedPrimary, "recording" | keyof AsyncDisposable>;
beforeAll(async () => {
  built = await openBuiltNetwork(network);
  opened = await servedOver(built.database, ALPHA, { clock: { nowSeconds: start }, settings: {} });
  await built.accept("P", pBlocks);
});
afterAll(() => built[Symbol.asyncDispose]());

const selectionOf = (fields: string) =>
  `pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { ${fields} }`;

const queryOf = (args: string, selection = selectionOf(PERIOD)) =>
  `{ primaryNetworks(network: FUJI) { activity(${args}) { ${selection} } } }`;

async function listOf<List>(args: string, selection: string): Promise<List> {
  const { primaryNetworks } = await opened.ask<{ primaryNetworks: { activity: List }[] }>(queryOf(args, selection));
  return primaryNetworks[0]?.activity as List;
}

const pageOf = (args: string, fields = PERIOD): Promise<Page> => listOf(args, selectionOf(fields));

/** The list of the only network. */
const OF_NETWORK: ListPlace = {
  around: (list) => `{ primaryNetworks(network: FUJI) { ${list} } }`,
  find: (data) => (data as { readonly primaryNetworks: readonly [Found] }).primaryNetworks[0].list,
};
interface Found {
  readonly list: ReturnType<ListPlace["find"]>;
}

async function allPeriods(args: string, size: number): Promise<Period[]> {
  const list = { field: "activity", args, selection: PERIOD, size };
  return (await walkList({ ask: opened.ask, place: OF_NETWORK, ...list })) as unknown as Period[];
}

describe("the activity of a primary network", () => {
  it("lists every day from the genesis to the last block, newest first, in pages of any size", async () => {
    const days = await allPeriods("interval: DAY", 100);
    expect(days.map(({ periodStart }) => periodStart)).toEqual(
      Array.from({ length: 41 }, (_, index) => dayOf(40 - index)),
    );
    for (const size of [1, 7, 40, 41]) {
      expect(await allPeriods("interval: DAY", size)).toEqual(days);
    }
  });

  it("has on a day without blocks no activity, and the state after the last block before", async () => {
    const days = (await allPeriods("interval: DAY", 100)).toReversed();
    const [, , , third, fourth] = days;
    expect(third).toMatchObject({
      subnets: 2,
      newSubnets: 1,
      blockchains: 1,
      newBlockchains: 1,
      l1s: 0,
      newL1s: 0,
      delegators: 1,
      delegatorStake: "2000000000",
    });
    const state = Object.fromEntries(STAKING.split(/\s+/).map((name) => [name, third?.[name]]));
    expect(fourth).toMatchObject({
      ...state,
      newSubnets: 0,
      newBlockchains: 0,
      newL1s: 0,
      rewardsPaid: "0",
      l1ValidatorFees: "0",
      pChain: { blocks: "0", transactions: "0", feesBurned: "0", isComplete: true },
    });
    const reward = BigInt(third?.["rewardsPaid"] as string);
    expect([reward > 0n, days.map(({ newL1s }) => newL1s).indexOf(1)]).toEqual([true, 20]);
  });

  it("adds up the same figures in every interval", async () => {
    const totals: unknown[] = [];
    for (const interval of ["HOUR", "DAY", "WEEK", "MONTH"]) {
      const periods = await allPeriods(`interval: ${interval}`, 700);
      const sum = (figureOf: (period: Period) => unknown) =>
        String(periods.reduce((total, period) => total + BigInt(String(figureOf(period))), 0n));
      const [newest] = periods;
      totals.push({
        blocks: sum(({ pChain }) => pChain.blocks),
        transactions: sum(({ pChain }) => pChain.transactions),
        fees: sum(({ pChain }) => pChain.feesBurned),
        rewards: sum(({ rewardsPaid }) => rewardsPaid),
        created: ["newSubnets", "newBlockchains", "newL1s"].map((name) => sum((period) => period[name])),
        state: STAKING.split(/\s+/).map((name) => newest?.[name]),
      });
    }
    expect(totals.slice(1)).toEqual([totals[0], totals[0], totals[0]]);
    expect(totals[0]).toMatchObject({ blocks: String(pBlocks.length), fees: "20", created: ["2", "1", "1"] });
  });

  it("starts at `fromTime` or later and before `toTime`", async () => {
    const days = await allPeriods(`interval: DAY, filter: { fromTime: ${dayOf(3)}, toTime: ${dayOf(20) + 1} }`, 5);
    expect([days.length, days[0]?.periodStart, days.at(-1)?.periodStart]).toEqual([18, dayOf(20), dayOf(3)]);
    expect((await pageOf(`interval: DAY, filter: { fromTime: ${dayOf(2) + 1}, toTime: ${dayOf(3)} }`)).nodes).toEqual(
      [],
    );
    expect((await pageOf(`interval: DAY, filter: { fromTime: ${dayOf(9)}, toTime: ${dayOf(5)} }`)).nodes).toEqual([]);
    expect((await pageOf(`interval: DAY, filter: { fromTime: ${dayOf(50)} }`)).nodes).toEqual([]);
  });

  it("says which chains are indexed, and on which the period is complete", async () => {
    const [last, before] = (await pageOf("interval: DAY, first: 2")).nodes;
    expect([last?.pChain.isComplete, last?.["isComplete"]]).toEqual([false, false]);
    expect([before?.pChain.isComplete, before?.["isComplete"]]).toEqual([true, true]);
    expect([last?.xChain, last?.cChain]).toEqual([null, null]);

    await built.accept("X", xBlocks);
    await built.acceptAtomic([{ ...atomicBlock(1, imported), timestamp: start + 41 * DAY }]);
    const [newest, ...days] = await allPeriods("interval: DAY", 10);
    expect(newest).toMatchObject({
      periodStart: dayOf(41),
      isComplete: false,
      validators: last?.["validators"],
      pChain: { blocks: "0", isComplete: false },
      cChain: { blocks: null, transactions: "1", feesBurned: String(importFee), isComplete: false, isEstimated: false },
    });
    expect(days.at(-3)).toMatchObject({
      periodStart: dayOf(2),
      isComplete: false,
      pChain: { isComplete: true },
      xChain: { blocks: "2", transactions: "2", feesBurned: "0", isComplete: false },
      cChain: { transactions: "0", isComplete: true },
    });
    expect(days.at(-2)).toMatchObject({ isComplete: true, xChain: { blocks: "0", isComplete: true } });
  });

  it("has the same figures and the same number in both directions, within bounds of time, in every interval", async () => {
    const bounds = `filter: { fromTime: ${dayOf(2) + 1}, toTime: ${dayOf(40) + 1} }`;
    for (const [interval, size] of [
      ["HOUR", 300],
      ["DAY", 1],
      ["DAY", 5],
      ["WEEK", 2],
      ["MONTH", 1],
    ] as const)
      for (const args of [`interval: ${interval}`, `interval: ${interval}, ${bounds}`]) {
        const whole = await allPeriods(args, 2_000);
        expect([args, await allPeriods(args, size)]).toEqual([args, whole]);
      }
  });

  it("is empty before its first and after its last period, in both directions", async () => {
    for (const bounds of [
      `filter: { toTime: ${dayOf(-40)} }`,
      `filter: { fromTime: ${dayOf(50)} }`,
      "filter: { fromTime: 8640000000000 }",
      `filter: { fromTime: ${dayOf(9)}, toTime: ${dayOf(5)} }`,
    ])
      for (const size of ["first: 2", "last: 2"]) {
        const { nodes, pageInfo } = await pageOf(`interval: MONTH, ${bounds}, ${size}`);
        expect(nodes).toEqual([]);
        expect(pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null });
      }
  });

  it("refuses a cursor of another list, and a size that is out of bounds", async () => {
    const { endCursor } = (await pageOf("interval: DAY, first: 1")).pageInfo;
    for (const side of ["after", "before"])
      expect(await opened.refusals(queryOf(`interval: WEEK, ${side}: "${endCursor}"`))).toEqual([
        expect.stringMatching(
          /^INVALID_PARAMETER the page token or cursor must be from a page with the same parameters/,
        ),
      ]);
    for (const side of ["first", "last"])
      expect(await opened.refusals(queryOf(`interval: DAY, ${side}: 2161`))).toEqual([
        "INVALID_PARAMETER the page size must be from 1 to 2160, got 2161",
      ]);
  });

  it("needs a fixed number of statements: one more for a page that is read backward", async () => {
    const statements = async (query: string) => (await statementsOf(() => opened.ask(query))).length;
    const page = (size: string) => `activity(interval: HOUR, ${size}) { nodes { ${PERIOD} } totalCount { count } }`;
    const both = `${page("first: 1")} days: activity(interval: DAY, first: 40) { nodes { ${PERIOD} } }`;
    for (const fields of [page("first: 1"), page("first: 2000"), both])
      expect(await statements(`{ primaryNetworks(network: FUJI) { ${fields} } }`)).toBe(2);
    for (const size of ["last: 1", "last: 2000"])
      expect(await statements(`{ primaryNetworks(network: FUJI) { ${page(size)} } }`)).toBe(3);
    expect(await statements("{ primaryNetworks(network: FUJI) { statistics { validators } } }")).toBe(2);
  });

  it("fails, as statistics do, until the P-Chain is indexed, without its siblings", async () => {
    await using database = await createTestDatabase();
    const empty = await servedOver(database, ALPHA, { clock: { nowSeconds: 0 }, settings: {} });
    const reason = "UNAVAILABLE network fuji is not indexed yet: its indexer has not started";
    const query =
      "{ primaryNetworks { networkId statistics { validators } activity(interval: DAY) { pageInfo { endCursor } } } }";
    expect(await empty.refusals(query)).toEqual([reason, reason]);
  });

  it("fails, as statistics do, while a database of an earlier version has no figures", async () => {
    await using older = await openBuiltNetwork(network);
    await older.accept("P", pBlocks.slice(0, 2));
    await older.rows("DELETE FROM primary_activity");
    const served = await servedOver(older.database, ALPHA, { clock: { nowSeconds: 0 }, settings: {} });
    const reason = "UNAVAILABLE the activity of network fuji is not indexed yet: its indexer has not started";
    const query =
      "{ primaryNetworks { statistics { validators } activity(interval: DAY) { pageInfo { endCursor } } } }";
    expect(await served.refusals(query)).toEqual([reason, reason]);
  });
});

describe("figures of the X-Chain by period", () => {
  it("are marked while times of its vertices are not determined, or estimates", async () => {
    await using delta = await openPrimary(recordingFolder("delta"));
    const marked = async () => {
      const { primaryNetworks } = await delta.ask<{ primaryNetworks: { activity: Page }[] }>(
        queryOf("interval: DAY, first: 1", selectionOf(`xChain { ${CHAIN} } pChain { ${CHAIN} }`)),
      );
      const [day] = primaryNetworks[0]?.activity.nodes ?? [];
      return [day?.xChain?.isEstimated, day?.pChain.isEstimated];
    };
    const { pool } = delta.database;
    expect(await marked()).toEqual([false, false]);
    const { rows } = await pool.query("UPDATE x_chain_vertex_times SET estimated_count = 3 RETURNING exact_from");
    await pool.query("UPDATE x_chain_vertex_times SET exact_from = $1", [Math.floor(Date.parse("2026-11-21") / 1_000)]);
    expect(await marked()).toEqual([true, false]);
    await pool.query("UPDATE x_chain_vertex_times SET exact_from = exact_from - 1");
    expect([rows.length, await marked()]).toEqual([1, [false, false]]);
    await pool.query("DELETE FROM x_chain_vertex_times");
    expect(await marked()).toEqual([true, false]);
  });
});
