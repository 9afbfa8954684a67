import type { AccountNode, ReadAccount } from "../account-node/account-node.ts";
import { cachedByBlock } from "../account-node/cached-by-block.ts";

/** Code of an account without code of its own, which delegates to a contract (EIP-7702). */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/;

/**
 * Makes the function that asks the node whether an address is a contract after a block, and caches the answers. An address
 * whose code is only a delegation is not a contract.
 */
export function createIsContract(node: Pick<AccountNode, "code">): ReadAccount<boolean> {
  return cachedByBlock(async (chain, block, address) => {
    const code = await node.code(chain, block, address);
    return code !== "0x" && !DELEGATION.test(code);
  });
}
