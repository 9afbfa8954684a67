import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { appendEntries, createRawBlockPartition, entriesAfter, type RawBlockEntry } from "./entries.ts";

const NETWORK = 9;
const MIB = 1 << 20;

let database: TestDatabase;
let writer: Writer;
beforeAll(async () => {
  database = await createTestDatabase();
  writer = (await tryBecomeWriter(database.url, "primary 9")) as Writer;
  await createRawBlockPartition(writer, NETWORK);
});
afterAll(async () => {
  await writer[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const entry = (seq: number, payload: Uint8Array, rest: Partial<RawBlockEntry> = {}): RawBlockEntry => ({
  seq,
  isVertex: false,
  payload: Buffer.from(payload),
  acceptedAt: null,
  isTimeKnown: false,
  ...rest,
});

describe("the raw blocks of a primary network", () => {
  it("returns appended entries of each chain after any position", async () => {
    const bytes = Buffer.from("00ff5c0a09", "hex");
    const p = [entry(0, bytes), entry(1, Buffer.alloc(0), { acceptedAt: 1_700_000_000 }), entry(2, bytes)];
    const x = [entry(0, bytes.subarray(1, 3), { isVertex: true, acceptedAt: 5, isTimeKnown: true })];
    const read = await writer.transaction(async (session) => {
      await appendEntries(session, NETWORK, "P", p);
      await appendEntries(session, NETWORK, "X", x);
      return Promise.all([
        entriesAfter(session, NETWORK, "P", -1, 100),
        entriesAfter(session, NETWORK, "P", 0, 1),
        entriesAfter(session, NETWORK, "X", -1, 100),
        entriesAfter(session, NETWORK, "X", 0, 100),
      ]);
    });
    expect(read).toEqual([p, [p[1]], x, []]);
  });

  it("returns small pages of large entries, with at least one entry", async () => {
    await createRawBlockPartition(writer, NETWORK + 1);
    const sizes = [8, 8, 17, 1];
    const seen = await writer.transaction(async (session) => {
      const entries = sizes.map((size, seq) => entry(seq, Buffer.alloc(size * MIB, seq)));
      await appendEntries(session, NETWORK + 1, "P", entries);
      const pages: number[][] = [];
      for (let seq = -1; seq < sizes.length - 1; ) {
        const page = await entriesAfter(session, NETWORK + 1, "P", seq, 100);
        pages.push(page.map((one) => one.payload.byteLength / MIB));
        seq = page.at(-1)?.seq ?? sizes.length;
      }
      return pages;
    });
    expect(seen).toEqual([[8, 8], [17], [1]]);
  });

  it("refuses an entry that it has", async () => {
    const twice = writer.transaction((session) => appendEntries(session, NETWORK, "P", [entry(1, Buffer.alloc(1))]));
    await expect(twice).rejects.toMatchObject({ code: "23505" });
  });
});
