import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const SMALL_DISK_BYTES = 1 << 20;

/**
 * Mounts a file system of one megabyte at `place`, which every account may enter; null if this account may not mount.
 * Disposing it unmounts it.
 */
export function mountSmallDisk(place: string, { readOnly = false } = {}): Disposable | null {
  mkdirSync(place, { recursive: true });
  const options = `size=${SMALL_DISK_BYTES},mode=755${readOnly ? ",ro" : ""}`;
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place]);
  return status === 0 ? { [Symbol.dispose]: () => void spawnSync("umount", [place]) } : null;
}

/** `it`, or `it.skip` with the reason in the title if this account may not mount. */
export function itWithSmallDisk(title: string, test: () => Promise<void>): void {
  if (mayMount()) it(title, test);
  else it.skip(`${title} (skipped: this account may not mount a file system)`, test);
}

function mayMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), "moraine-mount-"));
  const mounted = mountSmallDisk(place);
  mounted?.[Symbol.dispose]();
  rmSync(place, { recursive: true });
  return mounted !== null;
}
