import { isMissingMethod, RpcError } from "../../shared/node/errors.ts";

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

/** What a node says if nothing has that id, a subnet is not elastic, or the X-Chain still has vertices and no height. */
const ABSENT = /(^|: )not found$|^chain is not linearized$/;

/**
 * Resolves with the result, or with null if the node says that it does not have it, or not the method. Rejects with any other error: it may
 * pass, so it says nothing about the node's state.
 */
export async function nullIfAbsent(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && (isMissingMethod(error) || ABSENT.test(error.message))) return null;
    throw error;
  }
}
