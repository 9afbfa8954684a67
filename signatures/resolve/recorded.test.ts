import { formatId, parseIdText } from "../../core/formats/id-text.ts";
import { isFullRun } from "../../test/support/full.ts";
import { servedNetworks } from "../../test/support/indexed/alpha-network.ts";
import { type ReplayedPrimary, replayPrimary } from "../../test/support/indexed/replayed-primary.ts";
import { type DecodedChain, decodeChain } from "../../test/support/oracle/decoded-chain.ts";
import { readSnapshots } from "../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../test/support/recorded/primary-vectors.ts";
import { entriesOf, setOf } from "../../test/support/recorded/warp-sets.ts";
import type { ValidatorsAnswer } from "../../test/support/recorded/warp-vectors.ts";
import { onlyPool } from "../../test/support/signatures/only-pool.ts";
import { createKeyCache } from "../bls/key-cache.ts";
import { encodeUnsignedMessage, P_CHAIN_ID } from "../codec/unsigned-message.ts";
import { deriveMessage } from "../derive/p-chain-message.ts";
import { requestOfTransaction } from "../derive/signing-request.ts";
import type { AggregationInput, MessageSource } from "../protocol/protocol.ts";
import type { CanonicalSet, ValidatorEntry } from "../validator-sets/canonical-set.ts";
import { createResolver, type Resolver } from "./resolver.ts";

const network = "fuji";
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const isUnable = ({ publicKey }: ValidatorEntry): boolean => publicKey === null;
const weightOf = (entries: readonly ValidatorEntry[]): bigint => entries.reduce((sum, { weight }) => sum + weight, 0n);
/** The node ids of entries. Nodes show all inactive L1 validators as one entry with the id of zeros; in tasks, its id is empty. */
const namesOf = (entries: readonly ValidatorEntry[]): string[] =>
  [...new Set(entries.map(({ nodeId }) => nodeId.replace("NodeID-111111111111111111116DBWJs", "")))].sort();
const shown = ({ validators, totalWeight }: CanonicalSet) => ({
  totalWeight,
  validators: validators.map(({ publicKey, ...rest }) => ({ ...rest, publicKey: hex(publicKey.compressed) })),
});

// The nodes of delta are too old: their answers have no keys.
const RECORDINGS = isFullRun ? (["alpha", "gamma", "helicon", "streaming"] as const) : (["gamma"] as const);

describe.each(RECORDINGS)("signing tasks from the index of the recording %s", (recording) => {
  const folder = recordingFolder(recording);
  let database: ReplayedPrimary;
  let chain: DecodedChain;
  let resolver: Resolver;
  beforeAll(async () => {
    database = await replayPrimary(folder);
    chain = decodeChain(database.recording);
    resolver = createResolver({
      pools: onlyPool(database.pool),
      networks: servedNetworks(folder),
      evmChains: [],
      keyCache: createKeyCache(1_000),
      nowSeconds: () => 0,
    });
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it("have the message, justification and signing subnet that follow from all decoded blocks", async () => {
    const derivable = chain.transactions.filter((one) => deriveMessage(one) !== null);
    const sources = derivable.map(({ id }) => ({ kind: "transaction", network, txHash: formatId(id) }) as const);
    const expected = await Promise.all(derivable.map((one) => requestOfTransaction(one, chain.index)));
    expect(await resolver.describe(sources)).toMatchObject(
      expected.map(({ unsignedBytes, justification, signingSubnetId }) => ({
        message: { unsignedMessage: hex(unsignedBytes), justification: hex(justification), signingSubnetId },
      })),
    );
  });

  it("have the validators that the node returned at every recorded height", async () => {
    const { networkId } = database.recording.network;
    const message = encodeUnsignedMessage({ networkId, sourceChainId: P_CHAIN_ID, payload: new Uint8Array() });
    const source: MessageSource = { kind: "message", network, message: hex(message), justification: null };
    const asked = readSnapshots(folder).flatMap((one) => one.answers("platform.getValidatorsAt"));
    let compared = 0;
    for (const { params, result } of asked) {
      const { subnetID, height } = params as { subnetID: string; height: unknown };
      const answer = result as ValidatorsAnswer;
      // Height 0 is the proposed height.
      if (typeof height !== "number" || height === 0 || Object.keys(answer).length === 0) continue;
      const rest = { quorumPercentage: 67, quorumPercentageBuffer: 0 } satisfies Partial<AggregationInput>;
      const task = await resolver.resolve({
        source,
        signingSubnetId: subnetID,
        pChainHeight: String(height),
        ...rest,
      });
      expect(shown(task.set)).toEqual(shown(setOf(answer)));
      const unable = entriesOf(answer).filter(isUnable);
      expect(weightOf(task.unable)).toBe(weightOf(unable));
      expect(namesOf(task.unable)).toEqual(namesOf(unable));
      expect(task).toMatchObject({ signingSubnetId: parseIdText(subnetID), pChainHeight: BigInt(height) });
      compared++;
    }
    expect(compared).toBeGreaterThan(2);
  });
});
