import { UNSCHEDULED } from "../../../../core/networks/upgrades.ts";
import { createTestDatabase, type TestDatabase } from "../../../../test/support/database/database.ts";
import { type PrimaryRecording, readPrimaryRecording } from "../../../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../../../test/support/recorded/primary-vectors.ts";
import { tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import type { NetworkRules } from "../../network/rules.ts";
import { createRawBlockPartition } from "../../raw-blocks/entries.ts";
import { openReplay } from "../replay.ts";

describe("a chain with auto-renewed validators stops with the reason", () => {
  let recording: PrimaryRecording;
  let database: TestDatabase;
  let writer: Writer;
  beforeAll(async () => {
    recording = readPrimaryRecording(recordingFolder("helicon"));
  });
  beforeEach(async () => {
    database = await createTestDatabase();
    writer = (await tryBecomeWriter(database.url, "primary")) as Writer;
    await createRawBlockPartition(writer, recording.network.networkId);
  });
  afterEach(async () => {
    await writer[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  async function replayed(rules: Partial<NetworkRules>): Promise<void> {
    const replay = await openReplay({ writer, network: { ...recording.network, ...rules } });
    for (const chain of ["X", "P"] as const) await replay.accept(chain, recording.entries[chain]);
  }

  it("if its rules do not contain Helicon", async () => {
    const upgrades = { ...recording.network.upgrades, helicon: UNSCHEDULED };
    await expect(replayed({ upgrades })).rejects.toThrow(
      /type AddAutoRenewedValidatorTx is in a block before the configured activation time of Helicon/,
    );
  });

  it("if a renewed stake exceeds the maximum of its rules", async () => {
    const rewards = { ...recording.network.rewards, maxValidatorStake: 2_500_000_000_000n };
    await expect(replayed({ rewards })).rejects.toThrow(
      /nAVAX, but primaryNetworks\[\]\.rewards\.maxValidatorStake is 2500000000000/,
    );
  });
});
