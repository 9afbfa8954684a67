import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { devNull } from "node:os";
import { descriptorShortage } from "./descriptors.ts";

/** Sets the limit of this process. Returns false on systems without the program. */
const limitTo = (descriptors: number | string): boolean =>
  spawnSync("prlimit", ["--pid", String(process.pid), `--nofile=${descriptors}:`]).status === 0;

const original = () => /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? "";
const isPossible = process.platform === "linux" && limitTo(original());
const itWithLimits = isPossible ? it : it.skip;

describe("the descriptors of a process", () => {
  itWithLimits("are reported as soon as nearly all are open, and when all are", async () => {
    const before = original();
    const files: FileHandle[] = [];
    expect(await descriptorShortage()).toBeNull();
    try {
      // The highest descriptor in use counts, not their number.
      const highest = Math.max(...readdirSync("/proc/self/fd").map(Number));
      while (files.length < highest) files.push(await open(devNull));
      limitTo(Math.max(...files.map(({ fd }) => fd)) + 5);
      expect(await descriptorShortage()).toMatch(/^the process has \d+ of at most \d+ file descriptors open: raise/);
      await expect(
        (async () => {
          for (;;) files.push(await open(devNull));
        })(),
      ).rejects.toThrow("EMFILE");
      expect(await descriptorShortage()).toMatch(/^the process can open no more files: raise the limit/);
    } finally {
      limitTo(before);
      for (const file of files) await file.close();
    }
    expect(await descriptorShortage()).toBeNull();
  });
});
