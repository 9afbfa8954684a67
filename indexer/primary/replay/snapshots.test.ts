import { parseIdText } from "../../../core/id-text.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import {
  type PrimaryRecording,
  readPrimaryRecording,
  readSnapshots,
  type Snapshot,
} from "../../../test/support/primary-recording.ts";
import { describeRecordings } from "../../../test/support/primary-vectors.ts";
import { tryBecomeWriter, type Writer } from "../../writer.ts";
import { parseCheckedHex } from "../codec/checked-hex.ts";
import { decodeUtxo } from "../codec/outputs.ts";
import { createJournal } from "../journal.ts";
import { priceAt } from "./l1-fees.ts";
import { openReplay, type PrimaryReplay } from "./replay.ts";

describeRecordings("the replayed state and the node's", (folder) => {
  let database: TestDatabase;
  let writer: Writer;
  let recording: PrimaryRecording;
  let replay: PrimaryReplay;
  beforeAll(async () => {
    recording = readPrimaryRecording(folder);
    database = await createTestDatabase();
    writer = (await tryBecomeWriter(database.url, "primary")) as Writer;
    await createJournal(writer, recording.network.networkId);
    replay = await openReplay({ writer, network: recording.network });
  });
  afterAll(async () => {
    await writer[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("agree at every snapshot", async () => {
    for (const snapshot of readSnapshots(folder)) {
      await advance(replay, recording, snapshot.heights);
      const ours = await ourState(database, recording, snapshot);
      expect({ snapshot: snapshot.name, ...ours }).toEqual({ snapshot: snapshot.name, ...theirState(snapshot) });
    }
  });
});

async function advance(
  replay: PrimaryReplay,
  { entries, vertexCount, atomicBlocks }: PrimaryRecording,
  heights: Snapshot["heights"],
) {
  const upTo = { P: heights.P, X: heights.X === null ? (heights.vertices ?? 0) - 1 : vertexCount + heights.X };
  for (const chain of ["P", "X"] as const)
    await replay.accept(chain, entries[chain].slice(replay.heads[chain].journalSeq + 1, upTo[chain] + 1));
  await replay.acceptAtomic(
    atomicBlocks.filter(({ number }) => number > replay.heads.C.blockNumber && number <= heights.c),
  );
}

const only = (snapshot: Snapshot, method: string) =>
  snapshot.answers(method)[0]?.result as Record<string, string> | undefined;

function theirState(snapshot: Snapshot) {
  const fees = only(snapshot, "platform.getValidatorFeeState");
  const gas = only(snapshot, "platform.getFeeState");
  return {
    timestamp: Date.parse(only(snapshot, "platform.getTimestamp")?.["timestamp"] ?? "") / 1_000,
    l1Fees: fees && { excess: fees["excess"], price: fees["price"] },
    gas: gas && { capacity: gas["capacity"], excess: gas["excess"] },
    supply: suppliesOf(snapshot),
  };
}

function suppliesOf(snapshot: Snapshot) {
  return snapshot
    .answers("platform.getCurrentSupply")
    .map(({ params, result }) => [
      params["subnetID"] ?? "primary",
      JSON.parse(JSON.stringify((result as { supply: string }).supply)),
    ]);
}

async function ourState({ pool }: TestDatabase, { network }: PrimaryRecording, snapshot: Snapshot) {
  const { rows } = await pool.query("SELECT * FROM p_chain_states WHERE network_id = $1", [network.networkId]);
  const [state] = rows;
  const subnets = await pool.query("SELECT subnet_id, current_supply FROM subnets WHERE network_id = $1", [
    network.networkId,
  ]);
  const supplies = new Map(subnets.rows.map((row) => [row.subnet_id.toString("hex"), row.current_supply]));
  return {
    timestamp: Number(state.chain_timestamp),
    l1Fees: only(snapshot, "platform.getValidatorFeeState") && {
      excess: state.l1_fee_excess,
      price: String(priceAt(network.l1Fees, BigInt(state.l1_fee_excess))),
    },
    gas: only(snapshot, "platform.getFeeState") && { capacity: state.fee_capacity, excess: state.fee_excess },
    supply: snapshot.answers("platform.getCurrentSupply").map(({ params }) => {
      const id = params["subnetID"] as string | undefined;
      const hex = id ? parseIdText(id) : null;
      return [id ?? "primary", !hex || /^0+$/.test(hex) ? state.current_supply : supplies.get(hex)];
    }),
  };
}
void decodeUtxo;
void parseCheckedHex;
