import { hash } from "node:crypto";
import { isEvmChain } from "../../../recordings/manifest.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { indexedChains } from "../../../test/support/indexed/indexed.ts";
import type { FactRow } from "../../../test/support/oracle/fact-row.ts";
import { expectedMessages, MESSAGE_COLUMNS } from "../../../test/support/oracle/facts-messages.ts";
import { expectedFacts } from "../../../test/support/oracle/facts-oracle.ts";
import { createRandomIntegers } from "../../../test/support/random.ts";
import { recordedChain } from "../../../test/support/recorded/node-chain.ts";
import { describeRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { compareMessages } from "../compare/compare-messages.ts";
import { messagesOfBlocks, refreshMessages } from "./icm-messages.ts";
import { clearRows, rollBack } from "./roll-back.ts";
import { createPartitions } from "./tables.ts";

const byId = (one: FactRow, other: FactRow) => ((one["message_id"] ?? "") < (other["message_id"] ?? "") ? -1 : 1);

async function storedMessages({ pool }: Pick<TestDatabase, "pool">): Promise<FactRow[]> {
  return (await pool.query<FactRow>(`SELECT ${MESSAGE_COLUMNS} FROM icm_messages`)).rows.sort(byId);
}

describeRecordings("interchain messages", (folder) => {
  it("are those of the recorded receipts, and stay so after rollbacks", async () => {
    await using database = await indexedChains(folder);
    const recording = openRecording(folder);
    const names = recording.manifest.chains.filter(isEvmChain).map(({ alias }) => alias.toLowerCase() as "c" | "l1");
    const chains = names.map((name) => recordedChain(recording, name));
    const events = chains.map((chain) => expectedFacts(chain, chain.blocks).icm_events);
    const expected = expectedMessages(events.flat()).sort(byId);
    expect(expected.length).toBeGreaterThan(names.length > 1 ? 5 : -1);
    expect(await storedMessages(database)).toEqual(expected);

    const [{ chainId = 0 } = {}] = chains;
    await using writer = (await tryBecomeWriter(database.url, String(chainId))) as Writer;
    const last = Number(events[0]?.at(Math.floor((events[0]?.length ?? 0) / 2))?.["block_number"] ?? 0);
    await writer.transaction((session) => rollBack(session, String(chainId), { seq: 0, blockNumber: last }));
    const kept = (events[0] ?? []).filter((row) => Number(row["block_number"]) <= last);
    expect(await storedMessages(database)).toEqual(expectedMessages([...kept, ...(events[1] ?? [])]).sort(byId));
    await writer.transaction((session) => clearRows(session, String(chainId)));
    expect(await storedMessages(database)).toEqual(expectedMessages(events[1] ?? []).sort(byId));
  });
});

describe("interchain messages that several chains write at once", () => {
  const CHAINS = ["501", "502", "503"];
  const MESSAGES = 40;
  let database: TestDatabase;
  let writers: Writer[];
  beforeAll(async () => {
    database = await createTestDatabase();
    writers = await Promise.all(CHAINS.map(async (chain) => (await tryBecomeWriter(database.url, chain)) as Writer));
    for (const [at, chain] of CHAINS.entries()) await createPartitions(writers[at] as Writer, chain);
  });
  afterAll(async () => {
    for (const writer of writers) await writer[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const next = createRandomIntegers(7);
  const random = { integer: (least: number, most: number) => least + (next() % (most - least + 1)) };
  const idOf = (message: number) => hash("sha256", `message ${message}`);

  /** An event of a message at its source or its destination. The chains of a message follow from its number. */
  function eventOf(at: number, block: number, log: number): FactRow | null {
    const message = random.integer(0, MESSAGES - 1);
    const [source, destination] = [message % 3, (message + 1) % 3];
    if (at !== source && at !== destination) return null;
    const kinds =
      at === source
        ? ["SendCrossChainMessage", "AddFeeAmount", "ReceiptReceived"]
        : ["ReceiveCrossChainMessage", "MessageExecuted", "MessageExecutionFailed"];
    const kind = kinds[random.integer(0, 2)] as string;
    const hasMessage = kind === "SendCrossChainMessage" || kind === "ReceiveCrossChainMessage";
    const other = at === source ? destination : source;
    return {
      chain_id: CHAINS[at] as string,
      block_number: String(block),
      log_index: String(log),
      block_timestamp: String(1_000 + block),
      event: kind,
      message_id: `0x${idOf(message)}`,
      blockchain_id: kind === "AddFeeAmount" ? null : `0x${hash("sha256", `chain ${other}`)}`,
      origin_sender_address: hasMessage ? `0x${idOf(message).slice(0, 40)}` : null,
      destination_address: hasMessage ? `0x${idOf(message).slice(20, 60)}` : null,
      fee_token_address: at === source ? `0x${"ab".repeat(20)}` : null,
      fee_amount: at === source ? String(block) : null,
      relayer_address: kind === "ReceiveCrossChainMessage" ? `0x${"cd".repeat(20)}` : null,
    };
  }

  const INSERT = `INSERT INTO icm_events (chain_id, block_number, log_index, block_index, block_timestamp, tx_hash, event, message_id,
      blockchain_id, messenger_address, origin_sender_address, destination_address, fee_token_address, fee_amount, relayer_address)
    SELECT (e->>'chain_id')::bigint, (e->>'block_number')::bigint, (e->>'log_index')::int, 0, (e->>'block_timestamp')::bigint, '\\x01', e->>'event',
      decode(substr(e->>'message_id', 3), 'hex'), decode(substr(e->>'blockchain_id', 3), 'hex'), '\\x02',
      decode(substr(e->>'origin_sender_address', 3), 'hex'), decode(substr(e->>'destination_address', 3), 'hex'),
      decode(substr(e->>'fee_token_address', 3), 'hex'), (e->>'fee_amount')::numeric, decode(substr(e->>'relayer_address', 3), 'hex')
    FROM jsonb_array_elements($1::jsonb) e`;

  const BOTH = "source_chain_id IS NOT NULL AND destination_chain_id IS NOT NULL";
  const DAMAGES = [
    "DELETE FROM icm_messages",
    `DELETE FROM icm_messages WHERE ${BOTH}`,
    "UPDATE icm_messages SET source_chain_id = NULL, sent_timestamp = NULL WHERE source_chain_id = 501",
    `UPDATE icm_messages SET fee_amount = 1, received_block_number = 1 WHERE ${BOTH}`,
    "UPDATE icm_messages SET source_chain_id = 501 WHERE source_chain_id <> 501",
    "UPDATE icm_messages SET state = 'FAILED', message_timestamp = message_timestamp + 1",
  ];

  it("are those of all events that are left, whatever was rolled back, damaged and repaired, and no writer is stopped by another", async () => {
    const left: FactRow[][] = CHAINS.map(() => []);
    /** Adds a batch of blocks, or rolls some back. */
    const step = async (at: number) => {
      const chain = CHAINS[at] as string;
      const writer = writers[at] as Writer;
      const events = left[at] as FactRow[];
      const head = Number(events.at(-1)?.["block_number"] ?? 0);
      if (random.integer(0, 3) === 0) {
        const ancestor = Math.max(0, head - random.integer(1, 6));
        left[at] = events.filter((row) => Number(row["block_number"]) <= ancestor);
        await writer.transaction(async (session) => {
          const ids = await messagesOfBlocks(session, chain, [ancestor + 1, head]);
          await session.query("DELETE FROM icm_events WHERE chain_id = $1 AND block_number > $2", [chain, ancestor]);
          await refreshMessages(session, chain, ids);
        });
        return;
      }
      const added = Array.from({ length: random.integer(1, 30) }, (_, log) => eventOf(at, head + 1 + (log % 3), log));
      const batch = added
        .filter((row) => row !== null)
        .sort((a, b) => Number(a["block_number"]) - Number(b["block_number"]));
      events.push(...batch);
      await writer.transaction(async (session) => {
        await session.query(INSERT, [JSON.stringify(batch)]);
        await refreshMessages(session, chain, await messagesOfBlocks(session, chain, [head + 1, head + 3]));
      });
    };
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        CHAINS.map(async (_, at) => {
          for (let steps = 0; steps < 25; steps++) await step(at);
        }),
      );
      expect(await storedMessages(database)).toEqual(expectedMessages(left.flat()).sort(byId));
    }
    const rows = await storedMessages(database);
    expect(rows.length).toBeGreaterThan(MESSAGES / 2);

    const gapsOf = (repair: boolean) =>
      Promise.all(writers.map((writer, at) => compareMessages(writer, CHAINS[at] as string, repair)));
    const noGaps = CHAINS.map(() => []);
    expect(await gapsOf(false)).toEqual(noGaps);
    for (const damage of DAMAGES) {
      expect([damage, (await database.pool.query(damage)).rowCount]).not.toEqual([damage, 0]);
      expect((await gapsOf(false)).flat().length).toBeGreaterThan(0);
      await gapsOf(true);
      expect(await gapsOf(false)).toEqual(noGaps);
      expect(await storedMessages(database)).toEqual(rows);
    }
  });
});
