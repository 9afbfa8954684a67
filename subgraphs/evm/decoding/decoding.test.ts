import { type Abi, decodeEventLog, encodeFunctionData, type Hex, parseAbi } from "viem";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { answersOf, ROOT, walkList } from "../../../test/support/lists/walk-query.ts";
import type { NodeFrame } from "../../../test/support/recorded/node-chain.ts";
import { recordedChain } from "../../../test/support/recorded/node-chain.ts";

interface Parameter {
  readonly name: string | null;
  readonly type: string;
  readonly value: unknown;
}
interface Decoded {
  readonly name: string;
  readonly signature: string;
  readonly abiSource: string;
  readonly parameters: readonly Parameter[];
}
interface Transaction {
  readonly txHash: Hex;
  readonly to: { readonly address: string } | null;
  readonly input: Hex;
  readonly fee: string;
  readonly decodedInput: Decoded | null;
  readonly revertReason: {
    readonly error: string;
    readonly output: string | null;
    readonly message: string | null;
    readonly decodedError: Decoded | null;
  } | null;
}

const chain = recordedChain(openRecording(ALPHA), "c");
const ENTRY = "name signature abiSource parameters { name type value }";
const FIELDS = `txHash to { address } input fee decodedInput { ${ENTRY} } revertReason { error output message decodedError { ${ENTRY} } }`;

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const ask = answersOf((query) => opened.ask(query));

async function allTransactions(fields: string): Promise<Transaction[]> {
  const list = { field: "evmTransactions", args: `chainId: "${C_CHAIN}"`, selection: fields, size: 100 };
  return (await walkList({ ask, place: ROOT, ...list })) as unknown as Transaction[];
}

describe("a transaction", () => {
  let transactions: Transaction[];
  beforeAll(async () => {
    transactions = await allTransactions(FIELDS);
  });

  it("has the fee that its receipt gives", () => {
    const fees = chain.blocks.flatMap(({ receipts }) =>
      receipts.map(({ gasUsed, effectiveGasPrice }) => (BigInt(gasUsed) * BigInt(effectiveGasPrice)).toString()),
    );
    expect(transactions.map(({ fee }) => fee).sort()).toEqual(fees.sort());
  });

  it("has the reason with which the node's call tree ends, if it failed", () => {
    const roots = new Map<string, NodeFrame>(
      chain.blocks.flatMap(({ block, traces }) =>
        traces.map(({ result }, at) => [(block.transactions[at] as { hash: Hex }).hash, result] as const),
      ),
    );
    const reasons = transactions.map(({ txHash, revertReason }) => {
      const { error, output = null, revertReason: message = null } = roots.get(txHash) as NodeFrame;
      if (error === undefined) return [revertReason, null];
      return [
        [revertReason?.error, revertReason?.output, revertReason?.message],
        [error, output, message],
      ];
    });
    expect(reasons.filter(([, expected]) => expected !== null).length).toBeGreaterThan(20);
    expect(reasons.map(([found]) => found)).toEqual(reasons.map(([, expected]) => expected));
    expect(reasons.some(([found]) => Array.isArray(found) && found[2])).toBe(true);
  });

  it("has a decoded input that viem encodes to the same call data", () => {
    const decoded = transactions.filter(({ decodedInput }) => decodedInput !== null);
    expect(new Set(decoded.map(({ decodedInput }) => decodedInput?.name)).size).toBeGreaterThan(10);
    for (const { input, decodedInput } of decoded) {
      const { name, parameters } = decodedInput as Decoded;
      const declared = parameters.map(({ type }, at) => `${type} p${at}`).join(", ");
      const abi = parseAbi([`function ${name}(${declared})`] as readonly string[]) as Abi;
      const args = parameters.map(({ value }) => unnamed(value));
      expect(encodeFunctionData({ abi, functionName: name, args })).toBe(input);
    }
  });

  it("names arguments by ERC-721 if the contract is an NFT collection, else by ERC-20", () => {
    const names = (isNft: boolean) =>
      transactions
        .filter(({ decodedInput }) => decodedInput?.signature === "approve(address,uint256)")
        .filter(({ to }) => nfts.has(String(to?.address).toLowerCase()) === isNft)
        .flatMap(({ decodedInput }) => decodedInput?.parameters.map(({ name }) => name).join());
    const nfts = new Set(
      chain.blocks.flatMap(({ receipts }) =>
        receipts.flatMap(({ logs }) =>
          logs.filter(({ topics }) => topics.length === 4).map(({ address }) => address as string),
        ),
      ),
    );
    expect(new Set(names(false))).toEqual(new Set(["spender,value"]));
    for (const name of names(true)) expect(name).toBe("to,tokenId");
  });
});

/** Named tuples are objects; viem takes lists for tuples without names. */
function unnamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unnamed);
  return typeof value === "object" && value !== null ? Object.values(value).map(unnamed) : value;
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const isTransfer = ({ topics }: { readonly topics: readonly Hex[] }) => topics[0] === TRANSFER && topics.length === 3;
const placeOf = (block: Hex, logIndex: Hex): string => `${Number(block)} ${Number(logIndex)}`;

describe("a log", () => {
  interface Log {
    readonly logIndex: number;
    readonly address: string;
    readonly topics: Hex[];
    readonly data: Hex;
    readonly decoded: (Decoded & { readonly parameters: readonly { isIndexed: boolean; isHashed: boolean }[] }) | null;
  }
  interface WithLogs {
    readonly blockNumber: string;
    readonly logs: { readonly logs: readonly Log[] };
  }

  it("of a transfer is decoded to the row of erc20_transfers", async () => {
    const fields =
      "blockNumber logs(first: 100) { logs: nodes { logIndex address decoded { signature abiSource parameters { name type value isIndexed isHashed } } } }";
    const transactions = (await allTransactions(fields)) as unknown as WithLogs[];
    const decoded = transactions.flatMap(({ blockNumber, logs: { logs } }) =>
      logs.flatMap(({ logIndex, address, decoded }) => {
        const [from, to, value] = decoded?.parameters ?? [];
        if (decoded?.signature !== "Transfer(address,address,uint256)" || value?.isIndexed) return [];
        expect(decoded.abiSource).toBe("BUNDLED");
        return [[blockNumber, logIndex, address, from?.value, to?.value, value?.value].join(" ").toLowerCase()];
      }),
    );
    const rows = await opened.values(
      `SELECT concat_ws(' ', block_number, log_index, '0x' || encode(token_address, 'hex'), '0x' || encode(from_address, 'hex'),
         '0x' || encode(to_address, 'hex'), value) AS value FROM erc20_transfers WHERE chain_id = ${C_CHAIN}`,
    );
    expect(rows.length).toBeGreaterThan(100);
    // A contract of the recording emits addresses with other bytes in their upper part.
    const isExact = ({ topics }: { topics: readonly Hex[] }) =>
      topics.slice(1).every((topic) => /^0x0{24}/.test(topic));
    const inexact = chain.blocks.flatMap(({ block, receipts }) =>
      receipts
        .flatMap(({ logs }) => logs.filter((log) => isTransfer(log) && !isExact(log)))
        .map(({ logIndex }) => placeOf(block.number, logIndex)),
    );
    expect(inexact).toHaveLength(1);
    expect(decoded.sort()).toEqual(rows.filter((row) => !inexact.some((place) => row.startsWith(`${place} `))).sort());
  });

  it("of Teleporter is decoded as viem decodes it", async () => {
    const abi = parseAbi([
      "event ReceiveCrossChainMessage(bytes32 indexed messageID, bytes32 indexed sourceBlockchainID, address indexed deliverer, address rewardRedeemer, (uint256 messageNonce, address originSenderAddress, bytes32 destinationBlockchainID, address destinationAddress, uint256 requiredGasLimit, address[] allowedRelayerAddresses, (uint256 receivedMessageNonce, address relayerRewardAddress)[] receipts, bytes message) message)",
    ]);
    const [txHash = ""] = await opened.values(
      `SELECT '0x' || encode(tx_hash, 'hex') AS value FROM icm_events WHERE chain_id = ${C_CHAIN} AND event = 'ReceiveCrossChainMessage' LIMIT 1`,
    );
    const query = `{ evmTransaction(chainId: "${C_CHAIN}", txHash: "${txHash}") {
      logs { logs: nodes { topic0 topic1 topic2 topic3 data decoded { name parameters { name value } } } } } }`;
    const { evmTransaction } = await ask<{ evmTransaction: { logs: { logs: Record<string, unknown>[] } } }>(query);
    const log = evmTransaction.logs.logs.find(
      ({ decoded }) => (decoded as Decoded | null)?.name === "ReceiveCrossChainMessage",
    ) as Record<string, unknown>;
    const topics = ["topic0", "topic1", "topic2", "topic3"].map((name) => log[name]) as [Hex, ...Hex[]];
    const { args } = decodeEventLog({ abi, topics, data: log["data"] as Hex });
    const { parameters } = log["decoded"] as Decoded;
    const withText = JSON.parse(
      JSON.stringify(args, (_, value) => (typeof value === "bigint" ? value.toString() : value)),
    );
    expect(Object.fromEntries(parameters.map(({ name, value }) => [name, value]))).toEqual(withText);
  });
});

describe("an internal transaction", () => {
  it("has the input and output of the node's call tree, and is decoded", async () => {
    const [block = ""] = await opened.values(
      `SELECT block_number AS value FROM evm_internal_transactions
       WHERE chain_id = ${C_CHAIN} AND internal_tx_type = 'CALL' AND length(input) = 4 LIMIT 1`,
    );
    const query = `{ evmBlock(chainId: "${C_CHAIN}", blockNumber: "${block}") { transactions(first: 100) { transactions: nodes { txHash
      internalTransactions(first: 100) { transactions: nodes { traceIndex input output decodedInput { name } } } } } } }`;
    interface Call {
      readonly traceIndex: number;
      readonly input: string | null;
      readonly output: string | null;
      readonly decodedInput: Decoded | null;
    }
    const { evmBlock } = await ask<{
      evmBlock: {
        transactions: { transactions: { txHash: string; internalTransactions: { transactions: Call[] } }[] };
      };
    }>(query);
    const recorded = chain.blocks.find(({ block: { number } }) => BigInt(number) === BigInt(block));
    const expected = recorded?.traces.flatMap(({ result }) =>
      framesOf(result).map(({ input, output = "0x" }) => ({ input, output })),
    );
    const calls = evmBlock.transactions.transactions.flatMap(
      ({ internalTransactions }) => internalTransactions.transactions,
    );
    expect(calls.length).toBeGreaterThan(0);
    for (const { input, output } of calls) expect(expected).toContainEqual({ input, output });
  });
});

const framesOf = (frame: NodeFrame): NodeFrame[] => [frame, ...(frame.calls ?? []).flatMap(framesOf)];

describe("a page", () => {
  const page = (size: number, fields: string) =>
    statementsOf(async () => {
      await ask(`{ evmTransactions(chainId: "${C_CHAIN}", first: ${size}) { nodes { ${fields} } } }`);
    });

  it("needs two more statements if inputs are decoded, and four if reasons are, however long it is", async () => {
    const plain = (await page(100, "txHash input")).length;
    for (const size of [10, 100]) {
      expect((await page(size, "txHash decodedInput { name }")).length - plain).toBeLessThanOrEqual(2);
      expect(
        (await page(size, "txHash decodedInput { name } revertReason { message }")).length - plain,
      ).toBeLessThanOrEqual(4);
    }
    expect(await page(100, "txHash fee")).toHaveLength(plain);
  });

  it("needs one more statement if its logs are decoded", async () => {
    const [block = ""] = await opened.values(
      `SELECT block_number AS value FROM evm_logs WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(DISTINCT block_index) DESC LIMIT 1`,
    );
    const logs = (fields: string) =>
      statementsOf(async () => {
        await ask(
          `{ evmBlock(chainId: "${C_CHAIN}", blockNumber: "${block}") { transactions(first: 100) { transactions: nodes { logs(first: 100) { logs: nodes { ${fields} } } } } } }`,
        );
      });
    const plain = (await logs("data")).length;
    expect(await logs("data decoded { name }")).toHaveLength(plain + 1);
  });
});
