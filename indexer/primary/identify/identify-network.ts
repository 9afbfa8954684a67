import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { decodePBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { decodeXBlock } from "../../../core/formats/codec/blocks/x-blocks.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { PrimarySource } from "../fetch/source.ts";
import type { RawBlockChain } from "../network/chains.ts";

const DECODERS = { P: decodePBlock, X: decodeXBlock } as const;

/** Checks that the node belongs to the configured network. Throws `BadUpstreamData`, which names the setting, if it does not. */
export async function identifyNetwork(
  source: Pick<PrimarySource, "networkId" | "blocks">,
  { networkId, genesis }: { readonly networkId: number; readonly genesis: { readonly id: string } },
): Promise<void> {
  const served = await source.networkId();
  if (served !== null && served !== networkId)
    throw new BadUpstreamData(
      `the node belongs to network ${served}, not ${networkId}: correct primaryNetworks[].nodeUrl or primaryNetworks[].networkId`,
    );
  const { parentId } = await blockAt(source, "P", 0);
  if (parentId !== genesis.id)
    throw new BadUpstreamData(
      `the node's genesis is ${formatId(parentId)}, not ${formatId(genesis.id)}: correct primaryNetworks[].nodeUrl or primaryNetworks[].genesisFile`,
    );
}

/** Fetches and decodes the block at a height. Throws `NodeUnavailable` if the node does not have it. */
export async function blockAt(source: Pick<PrimarySource, "blocks">, chain: RawBlockChain, height: number) {
  const [bytes] = await source.blocks(chain, height, height);
  return DECODERS[chain](bytes as Uint8Array);
}
