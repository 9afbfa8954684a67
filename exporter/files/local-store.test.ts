import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileWriter } from "./file-store.ts";
import { completePath, createLocalStore } from "./local-store.ts";

const FILE = { operationId: "00000000-0000-4000-8000-000000000000", fileName: "transactions.csv" };
const { signal } = new AbortController();

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "moraine-local-store-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const store = () => createLocalStore(directory, 100, () => 0);
const write = (writer: FileWriter, text: string) => writer.append(Buffer.from(text));

/** Continues a file after its first `bytes` bytes. */
async function resume(state: string, bytes: number): Promise<FileWriter> {
  const writer = await store().resume(FILE, { state, bytes }, signal);
  if (!writer) throw new Error("the file cannot be continued");
  return writer;
}

/** The text of the complete file, which is the only one in the directory. */
async function finished(writer: FileWriter): Promise<string> {
  await writer.removeOthers();
  const path = completePath(directory, await writer.finish()) ?? "";
  await writer[Symbol.asyncDispose]();
  expect(readdirSync(directory).map((name) => join(directory, name))).toEqual([path]);
  return readFileSync(path, "utf8");
}

describe("a local file that is continued", () => {
  it("has the bytes up to the checkpoint, and none that were written after it", async () => {
    const first = await store().begin(FILE, signal);
    await write(first, "one two");
    await first[Symbol.asyncDispose]();
    const second = await resume(first.state, 4);
    await write(second, "three");
    expect(await finished(second)).toBe("one three");
  });

  it("is not damaged by an attempt that still has it open", async () => {
    const zombie = await store().begin(FILE, signal);
    await write(zombie, "one ");
    const second = await resume(zombie.state, 4);
    await write(zombie, "damage");
    await write(second, "two");
    await write(zombie, "damage");
    expect(await finished(second)).toBe("one two");
    await zombie[Symbol.asyncDispose]();
  });

  it("is not damaged by an attempt that lost its lock before it was recorded", async () => {
    const first = await store().begin(FILE, signal);
    await write(first, "one ");
    await first[Symbol.asyncDispose]();
    const zombie = await resume(first.state, 4);
    const third = await resume(first.state, 4);
    await write(third, "two ");
    await zombie[Symbol.asyncDispose]();
    await write(third, "three");
    expect(await finished(third)).toBe("one two three");
  });

  it("is continued from a complete file whose end was not recorded", async () => {
    const first = await store().begin(FILE, signal);
    await write(first, "one two");
    await first.finish();
    await first[Symbol.asyncDispose]();
    const second = await resume(first.state, 4);
    await write(second, "three");
    expect(await finished(second)).toBe("one three");
  });

  it("is lost if it has fewer bytes than the checkpoint", async () => {
    const first = await store().begin(FILE, signal);
    await write(first, "one");
    await first[Symbol.asyncDispose]();
    expect(await store().resume(FILE, { state: first.state, bytes: 4 }, signal)).toBeNull();
  });
});
