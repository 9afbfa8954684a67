import { type BuiltNetwork, openBuiltNetwork } from "../../../../test/support/indexed/built-network.ts";
import { dumpPrimary, type PrimaryTables } from "../../../../test/support/indexed/primary-tables.ts";
import { readPrimaryRecording } from "../../../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings } from "../../../../test/support/recorded/primary-vectors.ts";
import { tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { clearRows } from "./network-tables.ts";

/** Tables with a network id whose rows do not follow from blocks alone. */
const KEPT = ["primary_networks", "primary_progress", "primary_raw_blocks"];

const FAIL = `CREATE FUNCTION fail() RETURNS trigger AS 'BEGIN RAISE EXCEPTION ''the disk is broken''; END' LANGUAGE plpgsql;
  CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON primary_heads EXECUTE FUNCTION fail()`;

describeAllRecordings("the rows of a primary network", (folder) => {
  const { network, entries, atomicBlocks } = readPrimaryRecording(folder);
  const { networkId } = network;
  const dump = ({ database }: BuiltNetwork) => dumpPrimary(database.pool, networkId);

  async function acceptAll(built: BuiltNetwork): Promise<void> {
    await built.accept("P", entries.P);
    await built.accept("X", entries.X);
    await built.acceptAtomic(atomicBlocks);
  }

  it("are as before a transaction that PostgreSQL refused after all rows were written, and the state that the next blocks need, too", async () => {
    await using whole = await openBuiltNetwork(network);
    await acceptAll(whole);
    await using built = await openBuiltNetwork(network);
    const writes = [
      ...parts(entries.P).map((some) => () => built.replay.accept("P", some)),
      ...parts(entries.X).map((some) => () => built.replay.accept("X", some)),
      ...parts(atomicBlocks).map((some) => () => built.replay.acceptAtomic(some)),
    ];
    for (const write of writes) {
      const before = await dump(built);
      await built.rows(FAIL);
      await expect(write()).rejects.toThrow("the disk is broken");
      expect(await dump(built)).toEqual(before);
      await built.rows("DROP FUNCTION fail CASCADE");
      await write();
    }
    expect(await dump(built)).toEqual(await dump(whole));
  });

  it("of atomic transactions are deleted and written again; those that are left are those of a network whose C-Chain was never indexed", async () => {
    await using built = await openBuiltNetwork(network);
    await built.accept("P", entries.P);
    await built.accept("X", entries.X);
    const without = withoutKept(await dump(built));
    await built.acceptAtomic(atomicBlocks);
    const whole = await dump(built);
    for (const size of [atomicBlocks.length, 40]) {
      await built.replay.resetAtomic();
      expect(withoutKept(await dump(built))).toEqual(without);
      await built.acceptAtomic(atomicBlocks, size);
      expect(await dump(built)).toEqual(whole);
    }
  });

  it("are all deleted before they are computed again", async () => {
    await using built = await openBuiltNetwork(network);
    await acceptAll(built);
    await using writer = (await tryBecomeWriter(built.database.url, "another name")) as Writer;
    await writer.transaction((session) => clearRows(session, networkId));
    const tables = await built.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE attname = 'network_id' AND relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = quote_ident(current_schema())::regnamespace`,
    );
    for (const { name } of tables)
      if (!KEPT.includes(name)) expect([name, await built.rows(`SELECT FROM ${name}`)]).toEqual([name, []]);
  });
});

/** Three parts of a list, in order. */
function parts<Item>(items: readonly Item[]): (readonly Item[])[] {
  const size = Math.ceil(items.length / 3);
  return [0, 1, 2].map((part) => items.slice(part * size, (part + 1) * size)).filter(({ length }) => length > 0);
}

/**
 * Without what an import from the C-Chain and vertices keep after the reset: the lists of owners of what was imported, and the times that
 * were determined with the C-Chain. Both are right as soon as the C-Chain is indexed again.
 */
function withoutKept({
  primary_address_transactions: _,
  x_chain_vertices: __,
  ...tables
}: PrimaryTables): PrimaryTables {
  return tables;
}
