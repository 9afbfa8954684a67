import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type BlockText, blockHashOf, blockText, emptyBlockText } from "./chain.ts";

/** A node that serves every chain with a few synthetic blocks. The id of the chain is the path of the URL. */
export interface ManyChains extends AsyncDisposable {
  urlOf(chainId: number): string;
  /** Number of the last block of all chains. */
  head: number;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

interface ManyChainsOptions {
  readonly head: number;
  /** The block of each chain that has transactions. Default: none has. */
  readonly filled?: number;
}

export async function startManyChains({ head, filled = -1 }: ManyChainsOptions): Promise<ManyChains> {
  const kept: KeptBlock[] = [];
  const blockOf = (number: number): KeptBlock => {
    kept[number] ??= keptBlock(number === filled ? blockText(0, number) : emptyBlockText(number));
    return kept[number] as KeptBlock;
  };
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request)) as Call | Call[];
    const chainId = Number(request.url?.slice(1));
    const answer = ({ id, method, params = [] }: Call) =>
      `{"jsonrpc":"2.0","id":${id},"result":${resultOf(chainId, { method, params, head: chains.head, blockOf })}}`;
    const body = Array.isArray(asked) ? `[${asked.map(answer).join(",")}]` : answer(asked);
    response.writeHead(200, { "content-type": "application/json" }).end(body, "latin1");
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const chains: ManyChains = {
    urlOf: (chainId) => `http://127.0.0.1:${port}/${chainId}`,
    head,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return chains;
}

/** The blocks of all chains are equal but for the id of the chain in their transactions. */
const CHAIN_ID = '"chainId":"0x0"';

/** A block, and the same with the hashes of its transactions only. */
interface KeptBlock extends BlockText {
  readonly header: string;
}

function keptBlock(text: BlockText): KeptBlock {
  const block = JSON.parse(text.block) as { readonly transactions: readonly { readonly hash: string }[] };
  return { ...text, header: JSON.stringify({ ...block, transactions: block.transactions.map(({ hash }) => hash) }) };
}

interface Asked extends Omit<Call, "id"> {
  readonly head: number;
  readonly blockOf: (number: number) => KeptBlock;
}

function resultOf(chainId: number, { method, params: [first, isFull] = [], head, blockOf }: Asked): string {
  const numberOf = (name: unknown) => (name === "latest" ? head : Number(name));
  const textOf = (number: number) => (number <= head ? blockOf(number) : null);
  const hex = `0x${chainId.toString(16)}`;
  switch (method) {
    case "eth_chainId":
      return `"${hex}"`;
    case "eth_call":
      return `"0x${"12".padStart(64, "0")}"`;
    case "eth_getBlockByNumber":
      if (isFull !== true) return textOf(numberOf(first))?.header ?? "null";
      return textOf(numberOf(first))?.block.replaceAll(CHAIN_ID, `"chainId":"${hex}"`) ?? "null";
    case "eth_getBlockReceipts":
      return textOf(numberWithHash(String(first), head))?.receipts ?? "null";
    case "debug_traceBlockByNumber":
      return textOf(numberOf(first))?.traces ?? "null";
    default:
      return "null";
  }
}

/** The number of the block with a hash; a number as it is. Infinite if no block has the hash. */
function numberWithHash(name: string, head: number): number {
  if (name.length < 66) return Number(name);
  for (let number = head; number >= 0; number--) if (blockHashOf(number) === name) return number;
  return Number.POSITIVE_INFINITY;
}
