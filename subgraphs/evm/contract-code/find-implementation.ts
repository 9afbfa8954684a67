import { minimalProxyTarget } from "../../../core/formats/minimal-proxy.ts";
import type { AccountNode, ReadAccount } from "../account-node/account-node.ts";
import { cachedByBlock } from "../account-node/cached-by-block.ts";

/** Where a proxy stores its implementation (EIP-1967): the hash of `eip1967.proxy.implementation`, minus 1. */
const POSITION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const NO_IMPLEMENTATION = /^0x0+$/;

/** Characters of an address without `0x`. */
const ADDRESS_DIGITS = 40;

/**
 * Makes the function that asks the node for the contract to which another one passes all calls after a block: by its storage (EIP-1967), or by
 * its code (EIP-1167). Null if it is no such proxy. Two calls of the node; answers are cached.
 */
export function createFindImplementation(node: Pick<AccountNode, "code" | "storageAt">): ReadAccount<string | null> {
  const readWord = node.storageAt(POSITION);
  return cachedByBlock(async (chain, block, address) => {
    const [word, code] = await Promise.all([readWord(chain, block, address), node.code(chain, block, address)]);
    if (!NO_IMPLEMENTATION.test(word)) return `0x${word.slice(-ADDRESS_DIGITS)}`;
    const target = minimalProxyTarget(code.slice(2));
    return target && `0x${target}`;
  });
}
