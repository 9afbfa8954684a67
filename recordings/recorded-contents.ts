import { isEvmChain, type RecordedEvmChain } from "./manifest.ts";
import type { Recording } from "./recording.ts";
import type { ReplayNode } from "./replay-node.ts";

/** What the chains of a recording contain that validators sign about. Ids in CB58, bytes as they were accepted. */
export interface RecordedContents {
  readonly networkId: number;
  /** In the order of their heights. */
  readonly pBlocks: readonly (Arrival & { readonly bytes: Uint8Array })[];
  readonly chains: readonly RecordedChainContents[];
}

/** Unix time in milliseconds from which something is a part of its chain; 0 if it is one at the start of the replay. */
interface Arrival {
  readonly arrivesAtMs: number;
}

/** A chain other than the P-Chain. Chains without an EVM have neither messages nor blocks here. */
export interface RecordedChainContents {
  readonly alias: string;
  readonly blockchainId: string;
  readonly subnetId: string;
  readonly isEvm: boolean;
  /** Unsigned warp messages that contracts have sent. */
  readonly messages: readonly (Arrival & { readonly bytes: Uint8Array })[];
  /** Hashes of its blocks as hex digits. */
  readonly blocks: readonly (Arrival & { readonly hash: string })[];
}

const WARP_PRECOMPILE = "0x0200000000000000000000000000000000000005";
const SEND_WARP_MESSAGE = "0x56600c567728a800c0aa927500f831cb451df66a7af570eb4df4dfbf4674887d";

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
}

/** Reads the contents of a replay's chains. They hold also what is not visible yet, with the time of its arrival. */
export function recordedContents({
  recording,
  arrivalsMs,
}: Pick<ReplayNode, "recording" | "arrivalsMs">): RecordedContents {
  const { networkID, chains } = recording.manifest;
  const pArrivals = arrivalsMs("P");
  return {
    networkId: networkID,
    pBlocks: pBlocks(recording).map((bytes, height) => ({ bytes, arrivesAtMs: pArrivals[height] ?? 0 })),
    chains: chains
      .filter(({ alias }) => alias !== "P")
      .map((chain) => {
        const { alias, blockchainId, subnetId } = chain;
        const isEvm = isEvmChain(chain);
        const arrivals = isEvm ? arrivalsMs(alias) : [];
        const contents = isEvm ? evmContents(recording, chain, arrivals) : { messages: [], blocks: [] };
        return { alias, blockchainId, subnetId, isEvm, ...contents };
      }),
  };
}

function pBlocks(recording: Recording): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (const { kind, params, text } of recording.calls("/ext/bc/P", "platform.getBlockByHeight")) {
    const { height, encoding } = params as { height: number; encoding: string };
    if (kind !== "result" || encoding !== "hexnc") continue;
    blocks[height] = bytesOf((JSON.parse(text) as { block: string }).block);
  }
  return blocks;
}

function evmContents(
  recording: Recording,
  { rpcPath, height }: RecordedEvmChain,
  arrivals: readonly number[],
): Pick<RecordedChainContents, "messages" | "blocks"> {
  const answer = (method: string, params: unknown) => recording.answer(rpcPath, method, params)?.text;
  const messages: (Arrival & { readonly bytes: Uint8Array })[] = [];
  const blocks: (Arrival & { readonly hash: string })[] = [];
  for (let number = 0; number <= height; number++) {
    const block = `0x${number.toString(16)}`;
    const arrivesAtMs = arrivals[number] ?? 0;
    const hash = /"hash":"0x([0-9a-f]{64})"/.exec(answer("eth_getBlockByNumber", [block, true]) ?? "")?.[1];
    if (hash) blocks.push({ hash, arrivesAtMs });
    const logs = answer("eth_getLogs", [{ fromBlock: block, toBlock: block }]) ?? "[]";
    if (!logs.includes(SEND_WARP_MESSAGE)) continue;
    for (const log of JSON.parse(logs) as Log[])
      if (isMessage(log)) messages.push({ bytes: abiBytes(log.data), arrivesAtMs });
  }
  return { messages, blocks };
}

function isMessage({ address, topics }: Log): boolean {
  return address === WARP_PRECOMPILE && topics[0] === SEND_WARP_MESSAGE;
}

/** The only value of log data, of the ABI type `bytes`: offset, length, content. */
function abiBytes(data: string): Uint8Array {
  const bytes = bytesOf(data);
  return bytes.subarray(64, 64 + bytes.readUInt32BE(60));
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}
