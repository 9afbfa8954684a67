import { parseAddress } from "../../../core/formats/bech32.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import { PRIMARY_CHAINS } from "../../../core/networks/primary-chains.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { isFullRun } from "../../../test/support/full.ts";
import { compareTotals } from "../../../test/support/oracle/compare-totals.ts";
import {
  type PrimaryRecording,
  readPrimaryRecording,
  type Snapshot,
  sampledSnapshots,
} from "../../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import { RpcError } from "../../shared/node/errors.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { createRawBlockPartition } from "../raw-blocks/entries.ts";
import type { ComparisonDeps } from "../verify/comparison.ts";
import type { AskedNode } from "../verify/node.ts";
import { compareOutputs } from "../verify/outputs.ts";
import { compareState, compareSubnets, compareSupply } from "../verify/state.ts";
import { compareValidatorSet } from "../verify/validator-sets.ts";
import { compareL1Validators, compareStakers } from "../verify/validators.ts";
import { openReplay, type PrimaryReplay } from "./replay.ts";

const SECTIONS = { compareState, compareSupply, compareSubnets, compareStakers, compareL1Validators, compareTotals };

describeAllRecordings("the replayed state and the node's", (folder) => {
  let database: TestDatabase;
  let writer: Writer;
  let recording: PrimaryRecording;
  beforeAll(async () => {
    recording = readPrimaryRecording(folder);
    database = await createTestDatabase();
    writer = (await tryBecomeWriter(database.url, "primary")) as Writer;
    await createRawBlockPartition(writer, recording.network.networkId);
  });
  afterAll(async () => {
    await writer[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("have the node's time, fees, supply, subnets, stakers, L1 validators and outputs at every snapshot", async () => {
    const total: Record<string, number> = {};
    for (const snapshot of sampledSnapshots(folder)) {
      // The state for the next blocks is loaded from the rows.
      const replay = await openReplay({ writer, network: recording.network });
      await advance(replay, recording, snapshot.heights);
      const compared: ComparisonDeps = { pool: database.pool, network: recording.network, node: nodeAt(snapshot) };
      for (const [name, compare] of Object.entries(SECTIONS)) {
        const found = await compare(compared);
        expect({ at: snapshot.name, differences: found.differences }).toEqual({ at: snapshot.name, differences: [] });
        total[name] = (total[name] ?? 0) + found.compared;
      }
      for (const { subnetId, height } of validatorSetsIn(snapshot)) {
        // Delta was recorded with four releases; a node does not know the earlier sets that another release stored.
        if (folder.endsWith("delta") && height < snapshot.heights.P) continue;
        const found = await compareValidatorSet(compared, subnetId, height);
        expect({ at: snapshot.name, differences: found.differences }).toEqual({ at: snapshot.name, differences: [] });
        total["validatorSets"] = (total["validatorSets"] ?? 0) + found.compared;
      }
      const found = await compareOutputs(compared, addressesIn(snapshot), PRIMARY_CHAINS);
      expect({ at: snapshot.name, differences: found.differences }).toEqual({ at: snapshot.name, differences: [] });
      total["outputs"] = (total["outputs"] ?? 0) + found.compared;
    }
    expect(Math.min(...Object.values(total))).toBeGreaterThan(isFullRun ? 5 : 2);
    expect(total["outputs"]).toBeGreaterThan(isFullRun ? 500 : 200);
    expect(total["compareStakers"]).toBeGreaterThan(isFullRun ? 50 : 20);
  });
});

async function advance(
  replay: PrimaryReplay,
  { entries, vertexCount, atomicBlocks }: PrimaryRecording,
  heights: Snapshot["heights"],
): Promise<void> {
  const upTo = { P: heights.P, X: heights.X === null ? (heights.vertices ?? 0) - 1 : vertexCount + heights.X };
  for (const chain of ["P", "X"] as const)
    await replay.accept(chain, entries[chain].slice(replay.heads[chain].rawSeq + 1, upTo[chain] + 1));
  await replay.acceptAtomic(
    atomicBlocks.filter(({ number }) => number > replay.heads.C.blockNumber && number <= heights.c),
  );
}

/** A node that answers from a snapshot only. */
function nodeAt(snapshot: Snapshot): AskedNode {
  const keyOf = (params: Readonly<Record<string, unknown>>) =>
    JSON.stringify(
      Object.entries(params)
        .filter(([, value]) => value !== undefined)
        .sort(),
    );
  const known = new Map<string, Map<string, unknown>>();
  return {
    async ask(_path, method, params) {
      let answers = known.get(method);
      if (!answers) {
        answers = new Map(snapshot.answers(method).map((one) => [keyOf(one.params), one.result]));
        known.set(method, answers);
      }
      const key = keyOf({ ...params, ...(params["limit"] ? { limit: Number(params["limit"]) } : {}) });
      if (!answers.has(key)) throw new RpcError(-32_000, `the recording has no ${method} of ${key}: not found`);
      return answers.get(key);
    },
  };
}

/** The validator sets that the node returned, by height; most are of earlier heights. */
function validatorSetsIn(snapshot: Snapshot): { subnetId: string; height: bigint }[] {
  return snapshot.answers("platform.getValidatorsAt").flatMap(({ params, result }) => {
    const { subnetID, height } = params as { subnetID: string; height: number | string };
    if (typeof height !== "number" || result === undefined) return [];
    return [{ subnetId: parseIdText(subnetID) ?? "", height: BigInt(height) }];
  });
}

function addressesIn(snapshot: Snapshot): string[] {
  const texts = snapshot.answers("platform.getUTXOs").flatMap(({ params }) => params["addresses"] as string[]);
  return [...new Set(texts)].map((text) => parseAddress(text)?.address ?? "");
}
