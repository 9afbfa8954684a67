import { mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { itWithSmallDisk, mountSmallDisk, SMALL_DISK_BYTES } from "../../../../test/support/database/small-disk.ts";
import { databaseDirectory, diskspaceCheck } from "./diskspace.ts";

const { signal } = new AbortController();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "moraine-disk-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("the check diskspace", () => {
  it("reports the free disk space, and passes while it is enough", async () => {
    const { message, error } = await diskspaceCheck(() => directory, 0)(signal);
    const { bavail, bsize, blocks } = statfsSync(directory);
    const { availableDiskBytes, availableDiskPercentage } = message as Record<string, number>;
    expect(Object.keys(message as object)).toEqual(["availableDiskBytes", "availableDiskPercentage"]);
    expect(Math.abs((availableDiskBytes ?? 0) / (bavail * bsize) - 1)).toBeLessThan(0.05);
    expect(Math.abs((availableDiskPercentage ?? 0) - (bavail / blocks) * 100)).toBeLessThanOrEqual(2);
    expect(error).toBeUndefined();
  });

  it("fails below the setting, with a node's message", async () => {
    const { message, error } = await diskspaceCheck(() => directory, 100.5)(signal);
    const { availableDiskPercentage } = message as Record<string, number>;
    expect(error).toBe(
      `remaining available disk space percentage (${availableDiskPercentage}%) is below minimum required available space percentage (100.5%)`,
    );
  });

  it("checks the nearest existing parent of a missing directory", async () => {
    expect((await diskspaceCheck(() => join(directory, "not/yet"), 0)(signal)).error).toBeUndefined();
  });

  itWithSmallDisk("fails when the disk is full, and recovers when it is not", async () => {
    using _ = mountSmallDisk(directory);
    const check = diskspaceCheck(() => directory, 3);
    expect(await check(signal)).toEqual({
      message: { availableDiskBytes: SMALL_DISK_BYTES, availableDiskPercentage: 100 },
    });
    writeFileSync(join(directory, "large"), Buffer.alloc(SMALL_DISK_BYTES - 4096 * 2));
    expect(await check(signal)).toEqual({
      message: { availableDiskBytes: 8192, availableDiskPercentage: 0 },
      error: "remaining available disk space percentage (0%) is below minimum required available space percentage (3%)",
    });
    rmSync(join(directory, "large"));
    expect((await check(signal)).error).toBeUndefined();
  });

  itWithSmallDisk("looks at the disk that the embedded database is on, behind a link too", async () => {
    using _ = mountSmallDisk(join(directory, "elsewhere"));
    const dataDirectory = join(directory, "data");
    mkdirSync(dataDirectory);
    const availableOf = async (databaseUrl?: string) => {
      const place = () => databaseDirectory({ dataDirectory, databaseUrl });
      const { message } = await diskspaceCheck(place, 0)(signal);
      return (message as Record<string, number>)["availableDiskBytes"];
    };
    expect(await availableOf()).not.toBe(SMALL_DISK_BYTES);
    symlinkSync(join(directory, "elsewhere"), join(dataDirectory, "postgres"));
    expect(await availableOf()).toBe(SMALL_DISK_BYTES);
    expect(await availableOf("postgresql://elsewhere/moraine")).not.toBe(SMALL_DISK_BYTES);
  });
});
