import type { Config, PrimaryNetworkConfig } from "../../../core/config/config-schema.ts";
import type { Progress } from "../../shared/progress.ts";
import type { Writer } from "../../shared/writer.ts";
import type { PrimarySource } from "../fetch/source.ts";
import type { RawBlockChain } from "../network/chains.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { PrimaryReplay } from "../replay/replay.ts";

/** Dependencies of the task that indexes the P- or the X-Chain. */
export interface FollowDeps {
  readonly chain: RawBlockChain;
  readonly network: NetworkFacts;
  readonly settings: Pick<PrimaryNetworkConfig, "index" | "vertexTimesFile">;
  readonly source: PrimarySource;
  readonly writer: Writer;
  readonly replay: PrimaryReplay;
  readonly progress: Progress;
  readonly indexing: Pick<Config["indexing"], "batchBlocks" | "pollIntervalMs">;
  readonly signal: AbortSignal;
  /** Called after each step that ends at the node's head. */
  readonly atHead?: () => void;
  /** Further checks of a node that serves the right chain. Throws like `FollowedTask.step`, or `RulesChanged`. */
  readonly alsoIdentify?: () => Promise<void>;
  /** Logs that blocks are fetched without their proposers, and why. */
  readonly note: (message: string) => void;
}
