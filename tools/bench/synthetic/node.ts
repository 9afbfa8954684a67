import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parentInput, serveParent } from "../child.ts";
import { type BlockText, blockHashOf, blockText } from "./chain.ts";
import { mixedBlockText } from "./mixed-chain.ts";

/** The value that the parent passes to the node. */
export interface NodeInput {
  readonly chainId: number;
  readonly blocks: number;
  /** True for blocks like those of a real chain, without call trees. */
  readonly isMixed?: boolean;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Result of every call to a contract: one 32-byte word. */
const WORD = `"0x${"12".padStart(64, "0")}"`;

// All blocks are built at the start, and their garbage is collected, so that the node uses little processor time while the indexer is measured.
const { chainId, blocks, isMixed } = parentInput() as NodeInput;
const chain: Partial<BlockText>[] = Array.from({ length: blocks }, (_, number) =>
  (isMixed ? mixedBlockText : blockText)(chainId, number),
);
const numberOf = new Map(chain.map((_block, number) => [blockHashOf(number), number]));
globalThis.gc?.();

const server = createServer(async (request, response) => {
  const asked = JSON.parse(await text(request)) as Call | Call[];
  const body = Array.isArray(asked) ? `[${asked.map(answer).join(",")}]` : answer(asked);
  response.writeHead(200, { "content-type": "application/json" }).end(body, "latin1");
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => serveParent((server.address() as AddressInfo).port));

function answer({ id, method, params = [] }: Call): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${resultOf(method, params)}}`;
}

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
}

/** All logs of the blocks: they are all of the event that is asked for. */
function logsOf({ fromBlock, toBlock }: LogFilter): string {
  const blocksOfRange = chain.slice(Number(fromBlock), Number(toBlock) + 1);
  return `[${blocksOfRange.map(({ logs }) => logs).join(",")}]`;
}

function resultOf(method: string, [first]: readonly unknown[]): string {
  switch (method) {
    case "eth_chainId":
      return `"0x${chainId.toString(16)}"`;
    case "eth_call":
      return WORD;
    case "eth_getBlockByNumber":
      return chain[first === "latest" ? blocks - 1 : Number(first)]?.block ?? "null";
    case "eth_getBlockReceipts":
      return chain[numberOf.get(String(first)) ?? Number(first)]?.receipts ?? "null";
    case "eth_getLogs":
      return logsOf(first as LogFilter);
    case "debug_traceBlockByNumber":
      return chain[first === "latest" ? blocks - 1 : Number(first)]?.traces ?? "null";
    default:
      return "null";
  }
}
