/** JSON-RPC client of the node with which the rows are compared. Rejects with `RpcError` if the node returns an error. */
export interface AskedNode {
  /** Numbers in results are decimal text, so that no digits are lost. */
  ask(path: string, method: string, params: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** API path of the C-Chain as an EVM chain. Its methods have no named parameters. */
export const EVM_PATH = "/ext/bc/C/rpc";

/** API path and JSON-RPC service of each chain. */
export const PATHS = { P: "/ext/bc/P", X: "/ext/bc/X", C: "/ext/bc/C/avax" } as const;
export const SERVICES = { P: "platform", X: "avm", C: "avax" } as const;
