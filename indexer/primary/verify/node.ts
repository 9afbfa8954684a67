/** A node that a state is compared with: JSON-RPC of one of its paths. Rejects with `RpcError` for an error answer. */
export interface AskedNode {
  /** Numbers in results are decimal text, so that none loses digits. */
  ask(path: string, method: string, params: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Where what is asked is answered. */
export const PATHS = { P: "/ext/bc/P", X: "/ext/bc/X", C: "/ext/bc/C/avax" } as const;
export const SERVICES = { P: "platform", X: "avm", C: "avax" } as const;
