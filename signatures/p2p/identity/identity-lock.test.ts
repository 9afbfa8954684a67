import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockIdentity } from "./identity-lock.ts";

/** Names a process that cannot exist. */
const STALE = "999999999 1";

describe("the lock of a certificate", () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "moraine-lock-"));
    path = join(directory, "staking-certificate.lock");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** Several starters at once. */
  async function lockAtOnce() {
    const all = await Promise.all(Array.from({ length: 8 }, () => lockIdentity(directory)));
    return all.filter((lock) => lock !== null);
  }

  it.each([
    ["there is none", null],
    ["its process is gone", STALE],
    ["it is empty", ""],
  ])("is taken by one of several starters if %s", async (_case, content) => {
    for (let round = 0; round < 5; round++) {
      if (content !== null) writeFileSync(path, content);
      const [lock, ...others] = await lockAtOnce();
      expect(lock).toBeDefined();
      expect(others).toEqual([]);
      expect(readdirSync(directory)).toEqual(["staking-certificate.lock"]);
      await lock?.[Symbol.asyncDispose]();
      expect(readdirSync(directory)).toEqual([]);
    }
  });

  it("is taken also if another process died while it took the lock over", async () => {
    writeFileSync(path, STALE);
    writeFileSync(`${path}.${hash("sha256", STALE).slice(0, 16)}`, `${STALE} other`);
    expect(await lockAtOnce()).toHaveLength(1);
    expect(readdirSync(directory)).toEqual(["staking-certificate.lock"]);
  });

  it("is given back only by its holder", async () => {
    const lock = await lockIdentity(directory);
    writeFileSync(path, "of another process");
    await lock?.[Symbol.asyncDispose]();
    expect(readFileSync(path, "utf8")).toBe("of another process");
  });

  it("is refused with the path if it is a directory", async () => {
    mkdirSync(path);
    await expect(lockIdentity(directory)).rejects.toThrow(`${path} is a directory, not a lock; delete it`);
    expect(readdirSync(directory)).toEqual(["staking-certificate.lock"]);
  });
});
