import { SUBGRAPHS } from "../core/config/subgraphs.ts";

/** The parts that run in processes of their own, by name, with the module that runs each. */
export const PARTS: Readonly<Record<string, () => Promise<unknown>>> = {
  indexer: () => import("../indexer/main.ts"),
  exporter: () => import("../exporter/main.ts"),
  signatures: () => import("../signatures/main.ts"),
  gateway: () => import("../gateway/main.ts"),
  rest: () => import("../rest-compat/main.ts"),
  ...Object.fromEntries(SUBGRAPHS.map(({ name, service }) => [service, () => import(`../subgraphs/${name}/main.ts`)])),
};

/** The parts that run together in one process and its child processes, with the API. */
export const PARTS_WITH_API = ["api", "indexer", "exporter", "signatures"] as const;

/** All names that `--only` accepts. */
export const PART_NAMES: readonly string[] = ["api", ...Object.keys(PARTS)];
