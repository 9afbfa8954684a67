import { statementsOf } from "../../test/support/database/statements.ts";
import { sampled } from "../../test/support/full.ts";
import { allItems } from "../../test/support/indexed/primary-lists.ts";
import { type OpenedPrimary, openPrimary } from "../../test/support/indexed/primary-snapshots.ts";
import { readSnapshots, type Snapshot } from "../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings } from "../../test/support/recorded/primary-vectors.ts";

const PRIMARY = "11111111111111111111111111111111LpoYY";
/** Nodes show all inactive L1 validators as one entry under this id. */
const NO_NODE = "NodeID-111111111111111111116DBWJs";

interface NodeMember {
  readonly publicKey?: string | null;
  readonly weight: string;
}

/** Releases before avalanchego 1.10 return only the weights, in `validators`. */
type NodeSet = Readonly<Record<string, NodeMember>> | { readonly validators: Readonly<Record<string, string>> };

interface AskedSet {
  readonly subnetId: string;
  readonly height: number;
  readonly members: ReadonlyMap<string, NodeMember>;
}

/** The validator sets that a node returned for heights; most are of earlier heights than the snapshot. */
function validatorSetsIn(snapshot: Snapshot, isDelta: boolean): AskedSet[] {
  return snapshot.answers("platform.getValidatorsAt").flatMap(({ params, result }) => {
    const { subnetID: subnetId, height } = params as { subnetID: string; height: number | string };
    // Delta was recorded with four releases; a node does not know the earlier sets that another release stored.
    if (typeof height !== "number" || result === undefined || (isDelta && height < snapshot.heights.P)) return [];
    return [{ subnetId, height, members: membersOf(result as NodeSet) }];
  });
}

function membersOf(answer: NodeSet): Map<string, NodeMember> {
  const { validators } = answer as Partial<{ validators: Readonly<Record<string, string>> }>;
  if (!validators) return new Map(Object.entries(answer as Readonly<Record<string, NodeMember>>));
  return new Map(Object.entries(validators).map(([nodeId, weight]) => [nodeId, { weight }]));
}

interface Member {
  readonly validationId: string | null;
  readonly nodeId: string | null;
  readonly weight: string;
  readonly blsPublicKey: string | null;
  readonly node: { readonly nodeId: string } | null;
  readonly l1Validator: { readonly validationId: string; readonly weight: string } | null;
}

interface SetPage {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount: { readonly count: string; readonly isExact: boolean };
  readonly blockNumber: string;
  readonly members: readonly Member[];
}

const MEMBER = "validationId nodeId weight blsPublicKey node { nodeId } l1Validator { validationId }";

async function pageOf({ ask }: OpenedPrimary, subnetId: string, args: string): Promise<SetPage> {
  const data = await ask<{ subnet: { validatorSet: SetPage } }>(
    `{ subnet(network: FUJI, subnetId: "${subnetId}") { validatorSet(${args}) { pageInfo { hasNextPage endCursor } totalCount { count isExact } blockNumber members: nodes { ${MEMBER} } } } }`,
  );
  return data.subnet.validatorSet;
}

async function setOf(opened: OpenedPrimary, subnetId: string, at: string, pageSize: number): Promise<Member[]> {
  const members: Member[] = [];
  const blocks = new Set<string>();
  let count: unknown;
  for (let token: string | null = ""; token !== null; ) {
    const page: SetPage = await pageOf(opened, subnetId, `${at} first: ${pageSize}, after: "${token}"`);
    members.push(...page.members);
    blocks.add(page.blockNumber);
    token = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    count = page.totalCount;
  }
  expect(blocks.size).toBe(1);
  expect(count).toEqual({ count: String(members.length), isExact: true });
  return members;
}

/** Members as a node shows them: all that are inactive as one entry. */
function asNodes(members: readonly Member[], hasKeys: boolean): Map<string, NodeMember> {
  const shown = new Map<string, NodeMember>();
  for (const { nodeId, weight, blsPublicKey } of members) {
    const name = nodeId ?? NO_NODE;
    const sum = BigInt(shown.get(name)?.weight ?? 0) + BigInt(weight);
    shown.set(name, { weight: String(sum), ...(hasKeys && { publicKey: blsPublicKey }) });
  }
  return shown;
}

describeAllRecordings("the past of a primary network", (folder) => {
  const isDelta = folder.endsWith("delta");
  const snapshots = readSnapshots(folder);
  let opened: OpenedPrimary;
  beforeAll(async () => {
    opened = await openPrimary(folder);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  it("has the validator sets that the node returned for every recorded height, in pages of any size", async () => {
    const asked = new Map<string, AskedSet>();
    for (const set of snapshots.flatMap((snapshot) => validatorSetsIn(snapshot, isDelta)))
      asked.set(`${set.subnetId} ${set.height}`, set);
    expect(asked.size).toBeGreaterThan(10);
    for (const { subnetId, height, members } of sampled([...asked.values()], 60)) {
      const found = await setOf(opened, subnetId, `at: { block: "${height}" },`, 1_000);
      const hasKeys = [...members.values()].some(({ publicKey }) => publicKey !== undefined);
      const sorted = (set: ReadonlyMap<string, NodeMember>) => [...set].sort(([a], [b]) => (a < b ? -1 : 1));
      expect([subnetId, height, sorted(asNodes(found, hasKeys))]).toEqual([subnetId, height, sorted(members)]);
      for (const { validationId, nodeId, node, l1Validator } of found) {
        expect(node).toEqual(nodeId === null ? null : { nodeId });
        expect(l1Validator).toEqual(validationId === null ? null : { validationId });
      }
      expect(await setOf(opened, subnetId, `at: { block: "${height}" },`, 2)).toEqual(found);
    }
  });

  it("has the last set without `at`, and by time that of the last block up to it", async () => {
    const { chains } = (
      await opened.ask<{ primaryNetworks: { chains: { blockNumber: string; blockTimestamp: number }[] }[] }>(
        '{ primaryNetworks { chains(chainName: "p-chain") { blockNumber blockTimestamp } } }',
      )
    ).primaryNetworks[0] as { chains: { blockNumber: string; blockTimestamp: number }[] };
    const [head] = chains as [{ blockNumber: string; blockTimestamp: number }];
    const last = await setOf(opened, PRIMARY, "", 1_000);
    expect(last.length).toBeGreaterThan(0);
    expect(await setOf(opened, PRIMARY, `at: { block: "${head.blockNumber}" },`, 1_000)).toEqual(last);
    expect(await setOf(opened, PRIMARY, `at: { time: ${head.blockTimestamp} },`, 1_000)).toEqual(last);
    const { rows } = await opened.database.pool.query<{ time: string; number: string }>(
      `SELECT block_timestamp AS time, max(block_number) AS number FROM primary_blocks WHERE chain = 'P' GROUP BY 1 ORDER BY 1`,
    );
    for (const { time, number } of rows.filter((_, index) => index % 7 === 0)) {
      expect((await pageOf(opened, PRIMARY, `at: { time: ${time} }`)).blockNumber).toBe(number);
    }
  });

  it("has the weights and balances of L1 validators that the node returned, after every recorded block", async () => {
    let compared = 0;
    for (const snapshot of snapshots)
      for (const { params, result } of snapshot.answers("platform.getL1Validator")) {
        const { validationID } = params as { validationID: string };
        const known = result as { weight: string; balance: string; height: string } | undefined;
        const block = known?.height ?? String(snapshot.heights.P);
        const { l1Validator } = await opened.ask<{ l1Validator: { state: unknown } | null }>(
          `{ l1Validator(network: FUJI, validationId: "${validationID}") { state(at: { block: "${block}" }) { blockNumber weight isActive remainingBalance } } }`,
        );
        const expected = known && {
          blockNumber: block,
          weight: known.weight,
          isActive: BigInt(known.balance) > 0n,
          remainingBalance: known.balance,
        };
        expect([snapshot.name, validationID, l1Validator?.state ?? null]).toEqual([
          snapshot.name,
          validationID,
          expected ?? null,
        ]);
        if (known) compared++;
      }
    if (!isDelta) expect(compared).toBeGreaterThan(5);
    const before = 'state(at: { block: "0" }) { weight }';
    const list = {
      field: "l1Validators",

      filter: "includeInactiveL1Validators: true,",
      fields: before,
    };
    for (const item of await allItems(opened, list)) expect(item).toEqual({ state: null });
  });

  it("has the current state of each L1 validator without `at`", async () => {
    const fields = "weight isActive isRemoved remainingBalance state { weight isActive remainingBalance }";
    const list = { field: "l1Validators", filter: "includeInactiveL1Validators: true,", fields };
    let active = 0;
    const statements: number[] = [];
    for (const pageSize of [100, 3]) {
      const counted = await statementsOf(async () => {
        for (const { isRemoved, state, ...current } of await allItems(opened, list, pageSize)) {
          expect(state).toEqual(isRemoved ? null : current);
          if (current["isActive"]) active++;
        }
      });
      statements.push(counted.filter((text) => text.includes("l1_validator_transactions")).length);
    }
    if (isDelta) return;
    expect(active).toBeGreaterThan(1);
    // One for each page; the list is read in both directions.
    expect(statements[0]).toBe(2);
  });

  it("refuses blocks and times that are not indexed, and the field alone is null", async () => {
    const refusals = (at: string) =>
      opened.refusals(
        `{ subnet(network: FUJI, subnetId: "${PRIMARY}") { subnetId validatorSet(at: ${at}) { blockNumber } } }`,
      );
    expect(await refusals('{ block: "99999" }')).toEqual([
      expect.stringMatching(/^INVALID_PARAMETER at\.block must be at most \d+, the last indexed block, got 99999$/),
    ]);
    expect(await refusals("{ time: 99999999999 }")).toEqual([
      expect.stringMatching(/^INVALID_PARAMETER at\.time must be at most \d+, the timestamp of the last indexed block/),
    ]);
    expect(await refusals("{ time: 5 }")).toEqual([
      "INVALID_PARAMETER at.time must not be before the chain's first block, got 5",
    ]);
    expect(await refusals("{}")).toEqual(["INVALID_PARAMETER at must have exactly one of block and time"]);
    const { pageInfo } = await pageOf(opened, PRIMARY, 'at: { block: "1" }, first: 1');
    expect(pageInfo.hasNextPage).toBe(true);
    const foreign = await opened.refusals(
      `{ subnet(network: FUJI, subnetId: "${PRIMARY}") { validatorSet(at: { block: "2" }, after: "${pageInfo.endCursor}") { blockNumber } } }`,
    );
    expect(foreign).toEqual([expect.stringMatching(/^INVALID_PARAMETER the page token or cursor must be/)]);
  });
});
