import type { NodeClient } from "../../shared/node/node-client.ts";
import type { EvmSource } from "../fetch/source.ts";

/** A node that contracts are called at, and its blocks. */
export interface ContractNode {
  readonly node: NodeClient;
  readonly source: Pick<EvmSource, "blockRef">;
}
