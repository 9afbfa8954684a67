import { formatId } from "../../../core/formats/id-text.ts";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import { isFullRun } from "../../../test/support/full.ts";
import { openSnapshotReplay, type SnapshotReplay } from "../../../test/support/indexed/primary-snapshots.ts";
import {
  type Chain,
  type NodeBalances,
  nodeBalances,
  type Sums,
  together,
} from "../../../test/support/recorded/node-balances.ts";
import { currentValidators, PRIMARY_SUBNET, weightOf } from "../../../test/support/recorded/node-stakers.ts";
import type { Snapshot } from "../../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings, factsOf, resultsIn } from "../../../test/support/recorded/primary-vectors.ts";
import { recordedStakings } from "../../../test/support/recorded/recorded-stakings.ts";

interface Balance {
  readonly assetId: string;
  readonly amount: string;
  readonly utxoCount: number;
  readonly sharedWithChainId?: string;
  readonly status?: string;
}

type Lists = Readonly<Record<string, readonly Balance[]>>;

interface Answer {
  readonly balances: Lists;
  readonly importable: Lists;
}

const CHAINS: readonly Chain[] = ["P", "X", "C"];
const FIELDS = "{ assetId amount utxoCount }";
const SHARED = "{ assetId amount utxoCount sharedWithChainId status }";

/** Balances of addresses on several chains, in one query. */
async function balances<Asked extends Chain>(
  replay: SnapshotReplay,
  chains: readonly Asked[],
  addresses: readonly string[],
  moment: number | string = "",
): Promise<Record<Asked, Answer>> {
  const at = typeof moment === "number" ? `, blockTimestamp: ${moment}` : moment;
  const fields = chains.map(
    (chain) => `${chain}: primaryNetworkBalances(
      network: FUJI, blockchainId: "${PRIMARY_CHAIN_ALIASES[chain]}", addresses: ${JSON.stringify(addresses)}${at}) { ...Lists }`,
  );
  // What a chain can import depends on the blocks of the other chains, which may not be indexed yet.
  const importable = chains.length === CHAINS.length ? `importable { unlocked ${SHARED} locked ${SHARED} }` : "";
  return replay.ask(`{ ${fields.join(" ")} } fragment Lists on AddressBalances {
    balances {
      ... on OutputBalances { unlockedUnstaked ${FIELDS} unlockedStaked ${FIELDS} lockedPlatform ${FIELDS}
        lockedStakeable ${FIELDS} lockedStaked ${FIELDS} pendingStaked ${FIELDS} }
      ... on AtomicMemory { atomicMemoryUnlocked ${SHARED} atomicMemoryLocked ${SHARED} }
    }
    ${importable}
  }`);
}

const sums = (list: readonly Balance[] = []): Sums =>
  Object.fromEntries(list.map(({ assetId, amount, utxoCount }) => [assetId, [amount, utxoCount]]));

/** Exported outputs by other chain, in either direction. */
const sharedSums = (list: readonly Balance[] = [], chainId: string, status: string): Sums =>
  sums(list.filter((one) => one.sharedWithChainId === chainId && one.status === status));

/** Groups of addresses in the recorded requests, without chain prefix: each alone, and all together. */
function groupsIn(snapshot: Snapshot): string[][] {
  const asked = snapshot.answers("platform.getStake").map(({ params }) => params["addresses"] as string[]);
  return [...new Set(asked.map(String))].map((group) => group.split(",").map((address) => address.slice("P-".length)));
}

/** At each snapshot, one of this many addresses is compared. The next snapshots compare the others. */
const SHARE = isFullRun ? 1 : 6;
const isChosen = (index: number, turn: number) => index % SHARE === turn % SHARE;

/** The groups that are compared at a snapshot: groups of several addresses always, single addresses in turn. */
const sampledGroups = (snapshot: Snapshot, turn: number): string[][] =>
  groupsIn(snapshot).filter(({ length }, index) => length > 1 || isChosen(index, turn));

const on = (chain: Chain, addresses: readonly string[]) => addresses.map((address) => `${chain}-${address}`);

async function areAllIndexed({ pool }: Pick<SnapshotReplay["database"], "pool">): Promise<boolean> {
  const text = "SELECT count(*)::int AS count FROM primary_heads WHERE raw_seq >= 0";
  return (await pool.query<{ count: number }>(text)).rows[0]?.count === CHAINS.length;
}

/** Expected and actual values of everything that a snapshot contains. */
async function compared(replay: SnapshotReplay, chainIds: Readonly<Record<Chain, string>>, moment: Moment) {
  const { node, addresses, nowSeconds, time } = moment;
  // Requests for several addresses were recorded on the P-Chain only. A chain without a block answers with an error.
  const alone = addresses.length === 1 && (await areAllIndexed(replay.database));
  const answers = await balances(replay, alone ? CHAINS : ["P"], addresses, time);
  const { ours, theirs } = comparedOnP(answers.P.balances, { node, addresses, nowSeconds });
  if (!alone) return { ours, theirs };
  const x = answers.X.balances;
  const onX = node.outputs("X", null, on("X", addresses), nowSeconds);
  Object.assign(ours, { "X unlocked": sums(x["unlockedUnstaked"]), "X locked": sums(x["lockedPlatform"]) });
  Object.assign(theirs, { "X unlocked": onX.free, "X locked": onX.locked });
  for (const name of ["unlockedStaked", "lockedStakeable", "lockedStaked", "pendingStaked"]) {
    ours[`X ${name}`] = sums(x[name]);
    theirs[`X ${name}`] = {};
  }
  for (const source of CHAINS)
    for (const chain of CHAINS) {
      if (source === chain) continue;
      const from = answers[source].balances;
      const to = answers[chain].importable;
      const between = node.outputs(chain, source, on(chain, addresses), nowSeconds);
      const way = `${source} to ${chain}`;
      ours[`${way} free`] = sharedSums(from["atomicMemoryUnlocked"], chainIds[chain], "PENDING_EXPORT");
      ours[`${way} locked`] = sharedSums(from["atomicMemoryLocked"], chainIds[chain], "PENDING_EXPORT");
      ours[`${way} free, importable`] = sharedSums(to["unlocked"], chainIds[source], "PENDING_IMPORT");
      ours[`${way} locked, importable`] = sharedSums(to["locked"], chainIds[source], "PENDING_IMPORT");
      for (const importable of ["", ", importable"]) {
        theirs[`${way} free${importable}`] = between.free;
        theirs[`${way} locked${importable}`] = between.locked;
      }
    }
  return { ours, theirs };
}

/** Expected and actual values of the lists of the P-Chain. */
function comparedOnP(p: Lists, { node, addresses, nowSeconds }: Omit<Moment, "time">) {
  const own = node.outputs("P", null, on("P", addresses), nowSeconds);
  const staked = node.staked(on("P", addresses), nowSeconds);
  const isPending = (p["pendingStaked"] ?? []).length > 0;
  const ours: Record<string, Sums> = {
    "P unlockedUnstaked": sums(p["unlockedUnstaked"]),
    "P lockedPlatform": sums(p["lockedPlatform"]),
    "P lockedStakeable": sums(p["lockedStakeable"]),
    "P staked": together(sums(p["unlockedStaked"]), sums(p["lockedStaked"]), sums(p["pendingStaked"])),
    ...(!isPending && { "P lockedStaked": sums(p["lockedStaked"]) }),
  };
  const theirs: Record<string, Sums> = {
    "P unlockedUnstaked": own.free,
    "P lockedPlatform": own.locked,
    "P lockedStakeable": own.stakeable,
    "P staked": together(staked.free, staked.stakeable, staked.locked),
    ...(!isPending && { "P lockedStaked": together(staked.stakeable, staked.locked) }),
  };
  return { ours, theirs };
}

interface Moment {
  readonly node: NodeBalances;
  readonly addresses: readonly string[];
  /** Time of locks. */
  readonly nowSeconds: number;
  /** Time of outputs; undefined: after the last block. */
  readonly time?: number;
}

interface Seen {
  readonly snapshot: Snapshot;
  readonly chainSeconds: number;
  /** Latest time of the blocks so far, and how many blocks, vertices and atomic transactions there are. */
  readonly latest: number;
  readonly counts: string;
}

async function countsAt({ database, recording }: SnapshotReplay, time: number): Promise<string> {
  const count = (from: string, column: string) =>
    `(SELECT count(*) FROM ${from} WHERE network_id = $1 ${column} <= $2)`;
  const parts = [
    count("primary_blocks", "AND chain = 'P' AND block_timestamp"),
    count("primary_blocks", "AND chain = 'X' AND block_timestamp"),
    count("x_chain_vertices", "AND vertex_timestamp"),
    count("primary_transactions", "AND chain = 'C' AND block_timestamp"),
  ];
  const { rows } = await database.pool.query({
    text: `SELECT ${parts.join(", ")}`,
    values: [recording.network.networkId, time],
    rowMode: "array",
  });
  return String(rows[0]);
}

async function headsOf({ database }: SnapshotReplay): Promise<Readonly<Partial<Record<Chain, number>>>> {
  const { rows } = await database.pool.query<{ chain: Chain; block_timestamp: string }>(
    "SELECT chain, block_timestamp FROM primary_heads",
  );
  return Object.fromEntries(rows.map(({ chain, block_timestamp }) => [chain, Number(block_timestamp)]));
}

/** The initial stake of auto-renewed validators. Rewards that they restake are weight, but not balance. */
function firstStakes(folder: string): ReadonlyMap<string, string> {
  const asked = resultsIn(folder, "p-txs", "platform.getTx").filter(({ params }) => params["encoding"] === "json");
  return new Map(
    asked.flatMap(({ params, text }) => {
      const { stake, period } = JSON.parse(text).tx.unsignedTx;
      if (stake === undefined || period === undefined) return [];
      const amounts: number[] = stake.map(({ output }: { output: Stake }) => output.amount ?? output.output?.amount);
      return [[String(params["txID"]), String(amounts.reduce((sum, amount) => sum + amount))]];
    }),
  );
}

interface Stake {
  readonly amount?: number;
  readonly output?: { readonly amount: number };
}

/** Current stakes are staked, and later ones are pending. */
async function expectStakes(
  replay: SnapshotReplay,
  snapshot: Snapshot,
  first: ReadonlyMap<string, string>,
): Promise<void> {
  const everybody = groupsIn(snapshot).find(({ length }) => length > 1) as string[];
  const { balances: lists } = (await balances(replay, ["P"], everybody)).P;
  const running = together(sums(lists["unlockedStaked"]), sums(lists["lockedStaked"]));
  const [asked] = currentValidators(snapshot).filter((one) => one.subnetId === PRIMARY_SUBNET && one.nodeId === null);
  const weights = asked?.answer.stakers.flatMap((validator) => [
    first.get(validator.txID ?? "") ?? weightOf(validator),
    validator.delegatorWeight ?? "0",
    // Older releases list the delegators instead.
    ...(validator.delegatorWeight === undefined ? (validator.delegators ?? []).map(weightOf) : []),
  ]);
  const weight = (weights ?? []).reduce((sum, one) => sum + BigInt(one), 0n);
  expect([snapshot.name, running[formatId(replay.recording.network.avaxAssetId)]?.[0]]).toEqual([
    snapshot.name,
    String(weight),
  ]);
}

type Amounts = Readonly<Record<string, string>>;
const amounts = (list: readonly Balance[] = []): Amounts =>
  Object.fromEntries(list.map(({ assetId, amount }) => [assetId, amount]));

/** The node's own sums; on X only of addresses without shared outputs, because the node omits those. */
async function expectNodesBalances(
  replay: SnapshotReplay,
  snapshot: Snapshot,
  node: NodeBalances,
  turn: number,
): Promise<number> {
  let count = 0;
  for (const [index, { params, result }] of snapshot.answers("platform.getBalance").entries()) {
    if (!isChosen(index, turn)) continue;
    const { unlockeds, lockedStakeables, lockedNotStakeables } = result as Readonly<Record<string, Amounts>>;
    const addresses = (params["addresses"] as string[]).map((address) => address.slice("P-".length));
    const { balances: lists } = (await balances(replay, ["P"], addresses)).P;
    const ours = [lists["unlockedUnstaked"], lists["lockedStakeable"], lists["lockedPlatform"]].map(amounts);
    expect([addresses, ...ours]).toEqual([addresses, unlockeds, lockedStakeables, lockedNotStakeables]);
    count++;
  }
  // A chain without a block answers with an error.
  if (!(await areAllIndexed(replay.database))) return count;
  const avax = formatId(replay.recording.network.avaxAssetId);
  for (const [index, { params, result }] of snapshot.answers("avm.getAllBalances").entries()) {
    if (!isChosen(index, turn)) continue;
    const address = String(params["address"]);
    const { balances: listed } = result as { balances: { asset: string; balance: string }[] };
    if (node.isSharing("X", address)) continue;
    const { balances: lists } = (await balances(replay, ["X"], [address.slice("X-".length)])).X;
    const theirs = Object.fromEntries(listed.map(({ asset, balance }) => [asset === "AVAX" ? avax : asset, balance]));
    expect([address, amounts(lists["unlockedUnstaked"])]).toEqual([address, theirs]);
    count++;
  }
  return count;
}

describeAllRecordings(
  "balances",
  (folder) => {
    const chainIds = Object.fromEntries(
      factsOf(folder).chains.map(({ alias, blockchainId }) => [alias, blockchainId]),
    ) as unknown as Record<Chain, string>;
    const seen: Seen[] = [];
    let replay: SnapshotReplay;
    beforeAll(async () => {
      replay = await openSnapshotReplay(folder);
    });
    afterAll(() => replay[Symbol.asyncDispose]());

    it("E8 equal the node's in every list at every snapshot, for each address and for several together", async () => {
      let lists = 0;
      const first = firstStakes(folder);
      await replay.forEachSnapshot(async (snapshot) => {
        const node = nodeBalances(snapshot);
        const { nowSeconds } = replay.clock;
        for (const addresses of sampledGroups(snapshot, seen.length)) {
          const { ours, theirs } = await compared(replay, chainIds, { node, addresses, nowSeconds });
          expect({ at: snapshot.name, addresses, ...ours }).toEqual({ at: snapshot.name, addresses, ...theirs });
          lists += Object.values(theirs).filter((list) => Object.keys(list).length > 0).length;
        }
        await expectStakes(replay, snapshot, first);
        lists += await expectNodesBalances(replay, snapshot, node, seen.length);
        const latest = Math.max(...Object.values(await headsOf(replay)));
        seen.push({
          snapshot,
          chainSeconds: nowSeconds,
          latest,
          counts: await countsAt(replay, Number.MAX_SAFE_INTEGER),
        });
      });
      expect(lists).toBeGreaterThan(400 / SHARE);
    });

    it("E8 at an earlier time equal the node's at that time", async () => {
      const heads = await headsOf(replay);
      const ends = recordedStakings(folder).map(({ end }) => end);
      let moments = 0;
      for (const { snapshot, chainSeconds, latest: time, counts } of seen) {
        const isEnding = ends.some((end) => end > chainSeconds && end <= time);
        // Only if no block follows in the same second, and no stake ended since the last block.
        if (isEnding || (await countsAt(replay, time)) !== counts || CHAINS.some((chain) => time > (heads[chain] ?? 0)))
          continue;
        const node = nodeBalances(snapshot);
        for (const addresses of sampledGroups(snapshot, moments)) {
          const { ours, theirs } = await compared(replay, chainIds, { node, addresses, nowSeconds: time, time });
          expect({ at: snapshot.name, time, addresses, ...ours }).toEqual({
            at: snapshot.name,
            time,
            addresses,
            ...theirs,
          });
        }
        moments++;
      }
      expect(moments).toBeGreaterThanOrEqual(isFullRun ? 4 : 2);
    });

    it("after an earlier block equal the node's after that block, also if others have the same time", async () => {
      let lists = 0;
      let outputs = 0;
      for (const [turn, { snapshot }] of seen.entries()) {
        const node = nodeBalances(snapshot);
        const { P, X } = snapshot.heights;
        const at = (block: number) => `, at: { block: "${block}" }`;
        const { rows } = await replay.database.pool.query<{ chain: Chain; time: string }>(
          "SELECT chain, block_timestamp AS time FROM primary_blocks WHERE chain = 'P' AND block_number = $1 OR chain = 'X' AND block_number = $2",
          [P, X],
        );
        const timeOf = (chain: Chain) => Number(rows.find((row) => row.chain === chain)?.time);
        for (const addresses of sampledGroups(snapshot, turn)) {
          const answer = (await balances(replay, ["P"], addresses, at(P))).P;
          const { ours, theirs } = comparedOnP(answer.balances, { node, addresses, nowSeconds: timeOf("P") });
          expect({ at: snapshot.name, addresses, ...ours }).toEqual({ at: snapshot.name, addresses, ...theirs });
          lists++;
          if (X === null || addresses.length > 1 || !rows.some(({ chain }) => chain === "X")) continue;
          const x = (await balances(replay, ["X"], addresses, at(X))).X.balances;
          const onX = node.outputs("X", null, on("X", addresses), timeOf("X"));
          expect([snapshot.name, addresses, sums(x["unlockedUnstaked"]), sums(x["lockedPlatform"])]).toEqual([
            snapshot.name,
            addresses,
            onX.free,
            onX.locked,
          ]);
          outputs++;
        }
      }
      expect(lists).toBeGreaterThan(10);
      expect(outputs).toBeGreaterThan(0);
    });
  },
  { inShortForm: 2 },
);
