import { openSnapshotReplay, type SnapshotReplay } from "../../test/support/indexed/primary-snapshots.ts";
import { ROOT, walkList } from "../../test/support/lists/walk-query.ts";
import { currentValidators, PRIMARY_SUBNET } from "../../test/support/recorded/node-stakers.ts";
import type { Snapshot } from "../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings } from "../../test/support/recorded/primary-vectors.ts";

type Item = Readonly<Record<string, string>>;

const byText = (items: readonly object[]): string[] =>
  items.map((item) => JSON.stringify(Object.entries(item).sort())).sort();

/** The active L1 validators in the node's answers. */
function activeL1Validators(snapshot: Snapshot): Item[] {
  const answers = snapshot.answers("platform.getL1Validator").map(({ params, result }) => ({
    validationId: String(params["validationID"]),
    remainingBalance: String((result as Item)["balance"]),
    weight: String((result as Item)["weight"]),
  }));
  return answers.filter(({ remainingBalance }) => remainingBalance !== "0");
}

/** The kind of each subnet that the node was asked for. Releases before Etna have no L1s. */
function kindsOf(snapshot: Snapshot): [subnetId: string, kind: string][] {
  return snapshot.answers("platform.getSubnet").map(({ params, result }) => {
    const { conversionID = PRIMARY_SUBNET, subnetTransformationTxID } = result as Item;
    if (conversionID !== PRIMARY_SUBNET) return [String(params["subnetID"]), "L1"];
    return [String(params["subnetID"]), subnetTransformationTxID === PRIMARY_SUBNET ? "PERMISSIONED" : "ELASTIC"];
  });
}

/** The number of validators of each subnet, and that of their delegations; undefined if the release does not return it. */
function countsOf(snapshot: Snapshot): { subnetId: string; validatorCount: string; delegatorCount?: string }[] {
  const lists = currentValidators(snapshot).filter(({ nodeId }) => nodeId === null);
  return lists.map(({ subnetId, answer: { stakers, l1 } }) => {
    const active = l1.filter(({ balance = "0" }) => balance !== "0");
    const validatorCount = String(stakers.length + active.length);
    const delegations = stakers.flatMap(({ delegatorCount }) => delegatorCount ?? []);
    const isKnown = stakers.length > 0 && delegations.length === stakers.length;
    const delegatorCount = String(delegations.reduce((total, count) => total + Number(count), 0));
    return { subnetId, validatorCount, ...(isKnown && { delegatorCount }) };
  });
}

describeAllRecordings("lists of the primary network at every snapshot", (folder) => {
  let replay: SnapshotReplay;
  beforeAll(async () => {
    replay = await openSnapshotReplay(folder);
  });
  afterAll(() => replay[Symbol.asyncDispose]());

  const list = async (field: string, more: string, fields: string) =>
    (await walkList({
      ask: replay.ask,
      place: ROOT,
      field,
      args: `network: FUJI, ${more}`,
      selection: fields,
      size: 3,
    })) as Item[];

  it("have the L1 validators and the subnets of the node, by balance and weight, with kinds and numbers", async () => {
    const seen = { l1Validators: 0, validators: 0, delegators: 0, kinds: new Set<string>() };
    await replay.forEachSnapshot(async (snapshot) => {
      const active = activeL1Validators(snapshot);
      for (const [order, member] of [
        ["BALANCE", "remainingBalance"],
        ["WEIGHT", "weight"],
      ] as const) {
        const orderBy = `orderBy: { field: ${order}, direction: ASC },`;
        const found = await list("l1Validators", orderBy, "validationId remainingBalance weight");
        const values = active.map((one) => BigInt(one[member] ?? "")).sort((one, other) => (one < other ? -1 : 1));
        expect(found.map((one) => BigInt(one[member] ?? ""))).toEqual(values);
        expect(byText(found)).toEqual(byText(active));
      }
      seen.l1Validators += active.length;
      const subnets = await list("subnets", "", "subnetId kind validatorCount delegatorCount");
      const ofId = new Map(subnets.map((one) => [one["subnetId"], one]));
      for (const [subnetId, kind] of kindsOf(snapshot)) {
        expect({ subnetId, ...ofId.get(subnetId) }).toMatchObject({ subnetId, kind });
        seen.kinds.add(kind);
      }
      for (const counts of countsOf(snapshot)) {
        expect(ofId.get(counts.subnetId)).toMatchObject(counts);
        seen.validators += Number(counts.validatorCount);
        seen.delegators += Number(counts.delegatorCount ?? 0);
      }
    });
    expect(Math.min(seen.l1Validators, seen.delegators)).toBeGreaterThan(0);
    expect(seen.validators).toBeGreaterThan(10);
    expect([...seen.kinds]).toEqual(expect.arrayContaining(["L1", "PERMISSIONED"]));
  });
});
