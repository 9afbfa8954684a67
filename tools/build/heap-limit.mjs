// `node tools/build/heap-limit.mjs` prints the option of Node.js that limits the heap of a process of the API. V8 reads this limit only when a
// process starts, so `npm start` inserts what this script prints: `exec node $(node tools/build/heap-limit.mjs) …`. This process ends before the
// other one starts. A process that started itself again with the option would stay in memory with Node.js 20 and on Windows.
import { totalmem } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Limits in MB. */
const LEAST = 512;
const MOST = 1_024;
/** Options in NODE_OPTIONS by which a user sets another limit. On the command line, the limit would replace theirs. */
const OTHER_LIMIT = /--max[-_](old[-_]space|heap)[-_]size/;

/**
 * The limit of the heap in MB for a machine or container with this memory in bytes: a quarter of the memory, from 512 to 1,024 MB, but never
 * more than half of the memory.
 */
export function heapLimitMegabytes(memoryBytes) {
  const memory = memoryBytes / 2 ** 20;
  return Math.floor(Math.min(Math.max(memory / 4, LEAST), MOST, memory / 2));
}

function memoryBytes() {
  // 0 if no limit is known.
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** The option of Node.js that limits the heap, as a list. Empty if NODE_OPTIONS has another limit. */
export function heapLimitOption() {
  if (OTHER_LIMIT.test(process.env.NODE_OPTIONS ?? "")) return [];
  return [`--max-old-space-size=${heapLimitMegabytes(memoryBytes())}`];
}

const isScript = resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url);
if (isScript) console.log(heapLimitOption().join(" "));
