import { heapLimitOption } from "./heap-limit.mjs";

/** Parts whose processes have no limit of the heap: `moraine start --only <part>`. */
const WITHOUT_LIMIT = new Set(["indexer", "exporter", "signatures"]);
/** The exporter keeps no rows, so a small young generation and a single thread for garbage collection are enough. */
const OF_EXPORTER = ["--single-threaded-gc", "--max-semi-space-size=4"];

/** The options of Node.js for the process of `moraine` with these arguments. Only processes of the API have a limit of the heap. */
export function nodeOptions(args) {
  if (args[0] !== "start") return [];
  const part = onlyPart(args);
  if (part === "exporter") return OF_EXPORTER;
  return WITHOUT_LIMIT.has(part) ? [] : heapLimitOption();
}

/** The value of `--only`. Undefined if it is not given. */
function onlyPart(args) {
  const joined = args.find((arg) => arg.startsWith("--only="));
  return joined ? joined.slice("--only=".length) : args[args.indexOf("--only") + 1 || args.length];
}
