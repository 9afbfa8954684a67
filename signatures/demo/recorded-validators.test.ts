import { formatId, parseIdText } from "../../core/formats/id-text.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { recordedContents } from "../../recordings/recorded-contents.ts";
import { openRecording, type Recording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { readValidatorKeys } from "../../recordings/validator-keys.ts";
import { sampled } from "../../test/support/full.ts";
import { indexedAlphaNetwork } from "../../test/support/indexed/alpha-network.ts";
import { judge } from "../../test/support/oracle/warp-oracle.ts";
import { createTestKeys } from "../../test/support/p2p/transport.ts";
import type { ValidatorsAnswer } from "../../test/support/recorded/warp-vectors.ts";
import { onlyPool } from "../../test/support/signatures/only-pool.ts";
import { createKeyCache } from "../bls/key-cache.ts";
import { SYSTEM_CLOCK } from "../clock.ts";
import { encodeJustification } from "../codec/justification.ts";
import { createCollector } from "../collector/collector.ts";
import { createVerifiedSignatures } from "../collector/verified-signatures.ts";
import { pChainMessage } from "../derive/p-chain-message.ts";
import { createSignatureTransport } from "../p2p/transport.ts";
import type { AggregationResult, MessageSource } from "../protocol/protocol.ts";
import { createResolver } from "../resolve/resolver.ts";
import { createSigner } from "../validator-sim/signing/signer.ts";
import { pChainHistory } from "./p-chain-history.ts";
import { recordedLedger } from "./recorded-ledger.ts";
import { startRecordedValidators } from "./recorded-validators.ts";

const HEAD = 408;
const P_CHAIN = "11111111111111111111111111111111LpoYY";
const TYPES = ["ConvertSubnetToL1Tx", "RegisterL1ValidatorTx", "SetL1ValidatorWeightTx"];

async function readContents(startedAtMs?: number) {
  await using node = await startReplayNode({ heads: startedAtMs === undefined ? "full" : { startedAtMs } });
  return { contents: recordedContents(node), arrivalsMs: node.arrivalsMs("P") };
}

/** The parsed answer of the recorded node. */
function ask<Answer>(recording: Recording, method: string, params: object): Answer {
  return JSON.parse(recording.answer("/ext/bc/P", method, params)?.text ?? "null");
}

/** Aggregates through resolver, collector, and connections to the simulated validators. */
async function startAggregator() {
  const { contents } = await readContents();
  const database = await indexedAlphaNetwork();
  const validators = await startRecordedValidators({ contents, validators: readValidatorKeys(ALPHA) });
  const { client } = await createTestKeys(0, Math.floor(Date.now() / 1_000));
  const transport = createSignatureTransport({
    networkId: contents.networkId,
    identity: client.identity,
    clientVersion: () => ({ name: "avalanchego", major: 1, minor: 14, patch: 2 }),
    allowPrivateAddresses: false,
    logger: createLogger("silent"),
  });
  transport.addAddresses("configuration", validators.addresses);
  const collector = createCollector({
    networkOf: async () => ({ transport, findAddresses: async () => {} }),
    clock: SYSTEM_CLOCK,
    verified: createVerifiedSignatures(10_000),
  });
  const { primaryNetworks: networks, evmChains } = database.config;
  const keyCache = createKeyCache(1_000);
  const nowSeconds = () => Date.now() / 1_000;
  const resolver = createResolver({ pools: onlyPool(database.pool), networks, evmChains, keyCache, nowSeconds });
  return {
    database,
    contents,
    async aggregate(source: MessageSource): Promise<AggregationResult> {
      const quorum = { quorumPercentage: 67, quorumPercentageBuffer: 0 };
      const task = await resolver.resolve({ source, signingSubnetId: null, pChainHeight: "0", ...quorum });
      return collector.collect(task, quorum, { signal: AbortSignal.timeout(20_000), onProgress: () => {} });
    },
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await validators[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe("the validators of the demo", () => {
  const recording = openRecording(ALPHA);

  it("sign every message of the recording's EVM chains and of its transactions about L1s, as the recorded sets verify", async () => {
    await using aggregator = await startAggregator();
    const { rows } = await aggregator.database.pool.query<{ tx_hash: string }>(
      "SELECT encode(tx_hash, 'hex') AS tx_hash FROM primary_transactions WHERE tx_type = ANY($1)",
      [TYPES],
    );
    expect(rows).toHaveLength(16);
    const messages = recording.manifest.chains.flatMap(({ rpcPath = "" }) =>
      recording.calls(rpcPath, "warp_getMessage").filter(({ kind }) => kind === "result"),
    );
    expect(messages).toHaveLength(38);
    const network = "fuji";
    const sources: MessageSource[] = [
      ...messages.map(
        ({ text }) => ({ kind: "message", network, message: JSON.parse(text), justification: null }) as const,
      ),
      ...rows.map(({ tx_hash }) => ({ kind: "transaction", network, txHash: formatId(tx_hash) }) as const),
    ];
    const results = await Promise.all(sources.map((source) => aggregator.aggregate(source)));
    expect(results.map(({ state, pChainHeight }) => [state, pChainHeight])).toEqual(
      sources.map(() => ["DONE", `${HEAD}`]),
    );
    for (const { signedMessage, signingSubnetId } of sampled(results, 8)) {
      const params = { subnetID: formatId(signingSubnetId), height: HEAD };
      const set = ask<ValidatorsAnswer>(recording, "platform.getValidatorsAt", params);
      expect(judge(Buffer.from(signedMessage, "hex"), set, 67)).toMatchObject({ isValid: true });
    }
  });

  it("know the L1s as the recorded node does", async () => {
    const { contents } = await readContents();
    const { state } = pChainHistory(contents.pBlocks).at(-1)!; // the recording has blocks
    const subnets = Object.entries(state.conversions).map(([subnetID, { conversionId }]) => {
      const answer = ask<{ conversionID: string }>(recording, "platform.getSubnet", { subnetID });
      return [conversionId, answer.conversionID];
    });
    expect(subnets).toHaveLength(5);
    for (const [ours, recorded] of subnets) expect(ours).toBe(recorded);
    const answers = recording.calls("/ext/bc/P", "platform.getL1Validator").filter(({ kind }) => kind === "result");
    const recorded = answers.map(({ params, text }) => {
      const { subnetID, nodeID, weight, minNonce } = JSON.parse(text);
      return [(params as { validationID: string }).validationID, subnetID, nodeID, weight, minNonce];
    });
    const ours = Object.entries(state.l1Validators).map(([id, { subnetId, nodeId, weight, minNonce }]) => [
      id,
      subnetId,
      nodeId,
      `${weight}`,
      `${minNonce}`,
    ]);
    expect(ours.sort()).toEqual(recorded.sort());
  });

  it("refuse what was never true, and what is in blocks that have not arrived", async () => {
    const { contents, arrivalsMs } = await readContents(1_000);
    const { networkId } = contents;
    const l1 = contents.chains.find(({ alias }) => alias === "l1")!; // the recording has it
    const block = { height: 389, validationId: "2NnpRhJonDUZA5vqprNsGWYXx3mVtGVjaTmKnkrGAMdm3GCi3u", weight: 25n };
    const arrivesAtMs = arrivalsMs[block.height] ?? 0;
    let nowMs = arrivesAtMs - 1;
    const { check } = createSigner(
      networkId,
      recordedLedger(contents, () => nowMs),
    );
    /** Code of the refusal; null if validators sign. */
    const codeOf = (chainId: string, message: Uint8Array, justification: Uint8Array = new Uint8Array()) => {
      try {
        check(chainId, Buffer.from(message), Buffer.from(justification));
        return null;
      } catch (error) {
        return (error as { code?: number }).code;
      }
    };
    const validationId = parseIdText(block.validationId) ?? "";
    const weight = (weight: bigint) =>
      pChainMessage(networkId, { type: "L1ValidatorWeight", validationId, nonce: 0n, weight });
    expect([block.weight, block.weight + 1n].map((one) => codeOf(P_CHAIN, weight(one)))).toEqual([16, 16]);
    nowMs = arrivesAtMs;
    expect([block.weight, block.weight + 1n].map((one) => codeOf(P_CHAIN, weight(one)))).toEqual([null, 17]);

    const isRemoved = pChainMessage(networkId, { type: "L1ValidatorRegistration", validationId, registered: false });
    const origins = [0, 1, 2].map((index) =>
      encodeJustification({ type: "conversion", subnetId: parseIdText(l1.subnetId) ?? "", index }),
    );
    expect(origins.map((origin) => codeOf(P_CHAIN, isRemoved, origin)).sort()).toEqual([10, 10, 12]);

    const sent = l1.messages[0]?.bytes ?? new Uint8Array();
    const other = Buffer.concat([sent.subarray(0, -1), Buffer.of((sent.at(-1) ?? 0) ^ 1)]);
    expect([sent, other].map((message) => codeOf(l1.blockchainId, message))).toEqual([null, 1]);
  });
});
