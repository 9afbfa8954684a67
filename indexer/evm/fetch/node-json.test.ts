import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { results, type ScriptedCall, startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { type RecordedBlock, recordedBlocks } from "../../../test/support/recorded/recorded-blocks.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import { decodeBlock } from "../decode/block.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { createEvmSource } from "./source.ts";
import { verifyBlock } from "./verify-block.ts";
import { verifyTraces } from "./verify-traces.ts";

type Members = Record<string, unknown>;

/**
 * What a member is to the rows. `needed`: without it the block is refused. `optional`: without it the rows have the value that
 * its absence means. `repeated`: it repeats what is known from its place, and without it the rows are the same. Members that are
 * not listed are never read.
 */
type Role = "needed" | "optional" | "repeated";

const roles = (role: Role, members: string): Record<string, Role> =>
  Object.fromEntries(members.split(" ").map((member) => [member, role]));

const BLOCK = {
  ...roles(
    "needed",
    "number hash parentHash timestamp gasUsed gasLimit stateRoot receiptsRoot logsBloom miner size transactions",
  ),
  ...roles("optional", "timestampMilliseconds minDelayExcess baseFeePerGas blockGasCost blockExtraData extDataHash"),
};
const TRANSACTION = {
  ...roles("needed", "hash from nonce value gas input"),
  ...roles("optional", "to type maxFeePerGas maxPriorityFeePerGas"),
  ...roles("repeated", "blockHash transactionIndex"),
};
const RECEIPT = {
  ...roles("needed", "transactionHash status gasUsed cumulativeGasUsed logs"),
  ...roles("optional", "contractAddress"),
  ...roles("repeated", "blockHash transactionIndex effectiveGasPrice"),
};
const LOG = {
  ...roles("needed", "logIndex address topics data"),
  ...roles("repeated", "blockHash transactionHash transactionIndex"),
};

/** Values that no member has. */
const WRONG: readonly unknown[] = [7, "0xzz", {}, [7], true];

interface Sample {
  block: Members & { transactions: Members[] };
  receipts: (Members & { logs: Members[] })[];
}

describe.each([
  ["executed before it is accepted", "alpha"],
  ["executed after it is accepted (ACP-194)", "streaming"],
] as const)("JSON of a chain that is %s", (_, recording) => {
  const isLate = recording === "streaming";
  const recorded = recordedBlocks(openRecording(recordingFolder(recording)))
    .filter(({ block }) => (block.settledHeight !== undefined) === isLate)
    .find(({ receipts }) => receipts.some(({ logs }) => logs.length > 0)) as RecordedBlock;
  const { number } = recorded;
  const copy = (): Sample =>
    structuredClone({ block: recorded.block, receipts: recorded.receipts }) as unknown as Sample;
  const rowsOf = ({ block, receipts }: Sample) =>
    decodeBlock(chainRules({ chainId: 1 }), verifyBlock(number, block as never, receipts as never), 0);
  const expected = rowsOf(copy());
  const at = recorded.receipts.findIndex(({ logs }) => logs.length > 0);

  // Settlements read the bloom of a header that covers other blocks.
  const { logsBloom: _bloom, ...lateBlock } = BLOCK;
  const KINDS: readonly (readonly [kind: string, members: Record<string, Role>, of: (sample: Sample) => Members])[] = [
    ["block", isLate ? lateBlock : BLOCK, ({ block }) => block],
    ["transaction", TRANSACTION, ({ block }) => block.transactions[at] as Members],
    // The header has the bloom of another block's logs, so that of the receipt is needed.
    ["receipt", isLate ? { ...RECEIPT, logsBloom: "needed" } : RECEIPT, ({ receipts }) => receipts[at] as Members],
    ["log", LOG, ({ receipts }) => (receipts[at] as Sample["receipts"][0]).logs[0] as Members],
  ];
  const cases = (...wanted: readonly Role[]) =>
    KINDS.flatMap(([kind, members, of]) =>
      Object.entries(members)
        .filter(([, role]) => wanted.includes(role))
        .map(([member]) => [kind, member, of] as const),
    );
  const changed = (of: (sample: Sample) => Members, change: (members: Members) => void): Sample => {
    const sample = copy();
    change(of(sample));
    return sample;
  };
  const without = (of: (sample: Sample) => Members, member: string) =>
    changed(of, (members) => void delete members[member]);
  const withValue = (of: (sample: Sample) => Members, member: string, value: unknown) =>
    changed(of, (members) => void Object.assign(members, { [member]: value }));

  it.each(cases("needed"))("%s.%s: is needed, and absent or null an error with its name", (_kind, member, of) => {
    for (const sample of [without(of, member), withValue(of, member, null)]) {
      expect(() => rowsOf(sample)).toThrow(BadUpstreamData);
      expect(() => rowsOf(sample)).toThrow(
        new RegExp(`block ${number}\\b.*\\b${member}\\b|\\b${member}\\b.*block ${number}\\b`),
      );
    }
  });

  it.each(cases("repeated"))("%s.%s: absent or null changes nothing", (_kind, member, of) => {
    expect(rowsOf(without(of, member))).toEqual(expected);
    expect(rowsOf(withValue(of, member, null))).toEqual(expected);
  });

  it.each(cases("optional"))("%s.%s: null is the same as absent", (_kind, member, of) => {
    expect(rowsOf(withValue(of, member, null))).toEqual(rowsOf(without(of, member)));
  });

  it.each(cases("needed", "optional", "repeated"))(
    "%s.%s: a value of another type is an error with its name",
    (kind, member, of) => {
      // A contract that a call names is not read.
      if (kind === "receipt" && member === "contractAddress") return;
      for (const value of WRONG) {
        if (member === "topics" && Array.isArray(value)) continue;
        const sample = withValue(of, member, value);
        expect(() => rowsOf(sample)).toThrow(BadUpstreamData);
        expect(() => rowsOf(sample)).toThrow(member.replace(/s$/, ""));
      }
    },
  );

  it("other members are never read, whatever they are", () => {
    // The first says which bloom is checked, the second is checked below, the third only tells a removed log.
    const read = ["settledHeight", "gasPrice", "removed"];
    for (const [, members, of] of KINDS)
      for (const member of Object.keys(of(copy())).filter((name) => !Object.hasOwn(members, name)))
        for (const value of [undefined, null, ...WRONG]) {
          if (read.includes(member)) continue;
          expect([member, rowsOf(withValue(of, member, value))]).toEqual([member, expected]);
        }
  });

  it("a price of gas is needed from the receipt or the transaction", () => {
    const sample = copy();
    for (const member of ["effectiveGasPrice", "gasPrice"]) {
      expect(() => rowsOf(sample)).not.toThrow();
      for (const one of [sample.receipts[at], sample.block.transactions[at]])
        Object.assign(one as Members, { [member]: null });
    }
    expect(() => rowsOf(sample)).toThrow("effectiveGasPrice is missing");
  });
});

describe("the contract that a receipt names", () => {
  const creation = recordedBlocks().find(({ receipts }) =>
    receipts.some(({ contractAddress }) => contractAddress),
  ) as RecordedBlock;
  const at = creation.receipts.findIndex(({ contractAddress }) => contractAddress);
  const contractsOf = (to: unknown, contractAddress: unknown) => {
    const { block, receipts } = structuredClone(creation) as unknown as Sample;
    Object.assign(block.transactions[at] as Members, { to });
    Object.assign(receipts[at] as Members, { contractAddress });
    const { rows } = decodeBlock(
      chainRules({ chainId: 1 }),
      verifyBlock(creation.number, block as never, receipts as never),
      0,
    );
    const deployments = rows.evm_deployments.filter(({ block_index }) => block_index === at);
    return [rows.evm_transactions[at]?.contract_address, deployments.length];
  };
  const address = String(creation.receipts[at]?.contractAddress);

  it("is a deployment if the transaction has no recipient", () => {
    for (const to of [null, undefined]) expect(contractsOf(to, address)).toEqual([address.slice(2), 1]);
  });

  it.each([address, `0x${"0".repeat(40)}`, null, undefined])("does not count for a call (%s)", (contractAddress) => {
    expect(contractsOf(`0x${"11".repeat(20)}`, contractAddress)).toEqual([null, 0]);
  });
});

describe("members of call trees", () => {
  const recording = openRecording(recordingFolder("alpha"));
  const answerFor = (number: number): { result: Members; txHash?: unknown }[] => {
    const params = [`0x${number.toString(16)}`, { tracer: "callTracer" }];
    const answer = recording.answer("/ext/bc/C/rpc", "debug_traceBlockByNumber", params);
    return JSON.parse(answer?.text ?? "[]");
  };
  const { block, receipts, number } = recordedBlocks().find(
    ({ receipts: all, number: one }) => all[0]?.status === "0x1" && answerFor(one)[0]?.result["type"] === "CALL",
  ) as RecordedBlock;
  const expected = verifyTraces(block, receipts, answerFor(number));
  const framesWith = (change: (trace: { result: Members; txHash?: unknown }) => void) => {
    const answer = answerFor(number);
    change(answer[0] as { result: Members });
    return verifyTraces(block, receipts, answer);
  };

  it.each(["type", "from", "to", "gas", "gasUsed"])("%s: is needed in the outermost frame", (member) => {
    for (const value of [undefined, null, ...WRONG])
      expect(() => framesWith(({ result }) => Object.assign(result, { [member]: value }))).toThrow(BadUpstreamData);
  });

  it.each(["error", "calls"])("%s: null is the same as absent", (member) => {
    const absent = framesWith(({ result }) => void delete result[member]);
    expect(framesWith(({ result }) => Object.assign(result, { [member]: null }))).toEqual(absent);
  });

  it("txHash: absent or null changes nothing", () => {
    for (const txHash of [undefined, null])
      expect(framesWith((trace) => Object.assign(trace, { txHash }))).toEqual(expected);
    expect(() => framesWith((trace) => Object.assign(trace, { txHash: 7 }))).toThrow("transaction hash");
  });
});

describe("members of a header", () => {
  const HEADER = {
    number: "0x5",
    hash: `0x${"aa".repeat(32)}`,
    parentHash: `0x${"bb".repeat(32)}`,
    settledHeight: "0x3",
  };
  const refOf = async (change: Members) => {
    await using node = await startScriptedNode((calls) => ({ body: results(calls, () => ({ ...HEADER, ...change })) }));
    const signal = new AbortController().signal;
    const limits = { requestTimeoutMs: 1_000, maxConcurrency: 1, maxBatchSize: 1 };
    await using client = createNodeClient({ url: node.url, headers: {}, signal, ...limits });
    return await createEvmSource(client, "off").blockRef(5);
  };

  it.each(["number", "hash", "parentHash"])(
    "%s: is needed, and anything else an error with its name",
    async (member) => {
      for (const value of [undefined, null, ...WRONG]) await expect(refOf({ [member]: value })).rejects.toThrow(member);
    },
  );

  it("settledHeight: absent or null means that the block settles itself", async () => {
    for (const settledHeight of [undefined, null])
      expect(await refOf({ settledHeight })).toMatchObject({ number: 5, settledHeight: null });
    expect(await refOf({})).toMatchObject({ settledHeight: 3 });
    for (const value of WRONG) await expect(refOf({ settledHeight: value })).rejects.toThrow("settledHeight");
  });
});

describe("an error for the block at a height", () => {
  const refOf = async (code: number, message: string) => {
    const answered = ({ id }: { readonly id: number }) => ({ jsonrpc: "2.0", id, error: { code, message } });
    await using node = await startScriptedNode(([call]) => ({ body: answered(call as ScriptedCall) }));
    const signal = new AbortController().signal;
    const limits = { requestTimeoutMs: 1_000, maxConcurrency: 1, maxBatchSize: 1 };
    await using client = createNodeClient({ url: node.url, headers: {}, signal, ...limits });
    return await createEvmSource(client, "off").blockRef(5);
  };

  it.each([
    "cannot query unfinalized data",
    "unknown block",
    "header not found",
    "block #5 not found",
    "missing trie node",
    "history has been pruned for this block",
    "pruned history unavailable",
  ])("means that the node has no such block: %s", async (message) => {
    expect(await refOf(-32000, message)).toBeNull();
  });

  it.each<[number, string]>([
    [-32603, "Internal error"],
    [-32000, "database closed"],
    [-32000, "request timed out"],
    [-32601, "method not found"],
    [-32000, ""],
  ])("is the node's failure, and says nothing about the block: %i %s", async (code, message) => {
    await expect(refOf(code, message)).rejects.toMatchObject({
      name: "NodeUnavailable",
      message: "the node refuses eth_getBlockByNumber",
    });
  });
});
