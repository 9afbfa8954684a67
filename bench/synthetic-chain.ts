import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { bloomOf } from "../indexer/evm/bloom.ts";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const ZERO = `0x${"0".repeat(64)}`;
const TOKEN = `0x${"c0".repeat(20)}`;

const hex = (number: number): string => `0x${number.toString(16)}`;
const hashOf = (text: string): string => `0x${createHash("sha256").update(text).digest("hex")}`;
const wallet = (i: number): string => hashOf(`wallet ${i}`).slice(0, 42);
const topic = (address: string): string => `0x${"0".repeat(24)}${address.slice(2)}`;
const blockHash = (number: number): string => (number < 0 ? ZERO : hashOf(`block ${number}`));

/** A chain of any length whose blocks all hold the same number of ERC-20 transfers, made as it is asked for. */
export interface SyntheticChain {
  readonly chainId: number;
  readonly blocks: number;
  readonly transactionsPerBlock: number;
}

function blockOf({ transactionsPerBlock: count }: SyntheticChain, number: number) {
  const hash = blockHash(number);
  const at = { blockHash: hash, blockNumber: hex(number) };
  const indexes = Array.from({ length: count }, (_, i) => i);
  const logs = indexes.map((i) => ({
    ...at,
    address: TOKEN,
    topics: [TRANSFER, topic(wallet(i)), topic(wallet(i + 1))],
    data: `0x${(i + 1).toString(16).padStart(64, "0")}`,
    transactionHash: hashOf(`${number} ${i}`),
    transactionIndex: hex(i),
    logIndex: hex(i),
    removed: false,
  }));
  const gas = 50_000;
  const transactions = indexes.map((i) => ({
    ...at,
    hash: hashOf(`${number} ${i}`),
    transactionIndex: hex(i),
    from: wallet(i),
    to: TOKEN,
    type: "0x2",
    nonce: hex(number),
    value: "0x0",
    gas: hex(gas),
    gasPrice: "0x5d21dba01",
    maxFeePerGas: "0xba43b7400",
    maxPriorityFeePerGas: "0x1",
    input: `0xa9059cbb${"0".repeat(128)}`,
    chainId: "0x1",
    v: "0x1",
    r: hashOf(`r ${number} ${i}`),
    s: hashOf(`s ${number} ${i}`),
    yParity: "0x1",
    accessList: [],
  }));
  const receipts = logs.map((log, i) => ({
    ...at,
    transactionHash: log.transactionHash,
    transactionIndex: hex(i),
    status: "0x1",
    gasUsed: hex(gas),
    cumulativeGasUsed: hex(gas * (i + 1)),
    effectiveGasPrice: "0x5d21dba01",
    contractAddress: null,
    from: wallet(i),
    to: TOKEN,
    type: "0x2",
    logs: [log],
    logsBloom: bloomOf([log]),
  }));
  const block = {
    number: hex(number),
    hash,
    parentHash: blockHash(number - 1),
    timestamp: hex(1_700_000_000 + 2 * number),
    baseFeePerGas: "0x5d21dba00",
    blockGasCost: "0x0",
    gasUsed: hex(gas * count),
    gasLimit: "0xe4e1c0",
    stateRoot: ZERO,
    receiptsRoot: ZERO,
    transactionsRoot: ZERO,
    logsBloom: bloomOf(logs),
    miner: `0x01${"0".repeat(38)}`,
    size: "0x1000",
    difficulty: "0x1",
    extraData: "0x",
    mixHash: ZERO,
    transactions,
  };
  return { block, receipts };
}

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

function resultOf(chain: SyntheticChain, { method, params }: Call): unknown {
  const number = params[0] === "latest" ? chain.blocks - 1 : Number(params[0]);
  switch (method) {
    case "eth_chainId":
      return hex(chain.chainId);
    case "eth_getBlockByNumber":
      return number < chain.blocks ? blockOf(chain, number).block : null;
    case "eth_getBlockReceipts":
      return number < chain.blocks ? blockOf(chain, number).receipts : null;
    default:
      return "0x";
  }
}

/** Makes every answer before it listens, so that what is measured is not the making. Calls back with its URL. */
export function serveSyntheticChain(chain: SyntheticChain, onUrl: (url: string) => void): void {
  const texts = new Map<string, string>();
  for (let number = 0; number < chain.blocks; number++) {
    const { block, receipts } = blockOf(chain, number);
    texts.set(`eth_getBlockByNumber ${hex(number)}`, JSON.stringify(block));
    texts.set(`eth_getBlockReceipts ${hex(number)}`, JSON.stringify(receipts));
  }
  const answer = (call: Call): string => {
    const text = texts.get(`${call.method} ${String(call.params[0])}`) ?? JSON.stringify(resultOf(chain, call));
    return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${text}}`;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
      response.setHeader("content-type", "application/json");
      response.end(Array.isArray(body) ? `[${body.map(answer).join(",")}]` : answer(body));
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address === "object" && address) onUrl(`http://127.0.0.1:${address.port}`);
  });
}

if (process.send && process.argv[2] === "serve") {
  const chain = JSON.parse(process.argv[3] ?? "{}") as SyntheticChain;
  serveSyntheticChain(chain, (url) => process.send?.(url));
}
