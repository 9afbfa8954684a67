import { decodePBlock } from "../../../core/formats/codec/blocks/p-blocks.ts";
import { conversionValidationId } from "../../../core/formats/codec/bytes/hashes.ts";
import type { PTransaction, PTransactionOf } from "../../../core/formats/codec/transactions/p-transactions.ts";
import { formatId, formatNodeId, parseIdText } from "../../../core/formats/id-text.ts";
import {
  describeRecordings,
  pairsOf,
  parseExactly,
  resultsIn,
  snapshotsOf,
} from "../../../test/support/recorded/primary-vectors.ts";
import { decodeWarpL1Message, type WarpL1Message } from "./warp.ts";

type Registered = Extract<WarpL1Message["message"], { type: "RegisterL1Validator" }>;

interface L1ValidatorJson {
  readonly subnetID: string;
  readonly nodeID: string;
  readonly publicKey: string;
  readonly weight: string;
  readonly minNonce: string;
}

describeRecordings("L1 messages", (folder) => {
  let transactions: PTransaction[];
  /** L1 validators in the snapshots, newest last. */
  let validators: Map<string, L1ValidatorJson>;
  const ofType = <Type extends PTransaction["txType"]>(txType: Type) =>
    transactions.filter((one): one is PTransactionOf<Type> => one.txType === txType);

  beforeAll(() => {
    transactions = pairsOf(folder, "p-blocks", "platform.getBlockByHeight", "block").flatMap(
      ({ bytes }) => decodePBlock(bytes).transactions,
    );
    const answers = snapshotsOf(folder).flatMap((file) => resultsIn(folder, file, "platform.getL1Validator"));
    validators = new Map(
      answers.map(({ params, text }) => [String(params["validationID"]), parseExactly(text) as L1ValidatorJson]),
    );
  });

  it("E16 register validators with the node's ids, keys and weights", () => {
    const registered = ofType("RegisterL1ValidatorTx").map(({ message }) => decodeWarpL1Message(message));
    const known = registered.filter(({ messageId }) => validators.has(formatId(messageId)));
    expect(known.length).toBeGreaterThan(0);
    for (const { message, messageId } of known) {
      const { subnetId, nodeId, blsPublicKey } = message as Registered;
      const { subnetID, nodeID, publicKey } = validators.get(formatId(messageId)) as L1ValidatorJson;
      expect([formatId(subnetId), formatNodeId(nodeId), `0x${blsPublicKey}`]).toEqual([subnetID, nodeID, publicKey]);
    }
  });

  it("E16 change weights of registered or converted validations; the last weight is the node's", () => {
    const expected = [
      ...ofType("RegisterL1ValidatorTx").map(({ message }) => decodeWarpL1Message(message).messageId),
      ...ofType("ConvertSubnetToL1Tx").flatMap(({ subnetId, validators: all }) =>
        all.map((_, index) => conversionValidationId(subnetId, index)),
      ),
    ];
    const last = new Map<string, WarpL1Message["message"]>();
    for (const { message } of ofType("SetL1ValidatorWeightTx").map((one) => decodeWarpL1Message(one.message))) {
      if (message.type !== "L1ValidatorWeight") throw new Error(`${message.type} changes no weight`);
      expect(expected).toContain(message.validationId);
      last.set(message.validationId, message);
    }
    for (const [validationId, message] of last) {
      const known = validators.get(formatId(validationId));
      if (message.type !== "L1ValidatorWeight" || message.weight === 0n) continue;
      expect([known?.weight, known?.minNonce]).toEqual([String(message.weight), String(message.nonce + 1n)]);
    }
    expect(expected.filter((id) => validators.has(formatId(id))).length).toBe(validators.size);
  });

  it("come from the validator manager's chain and contract", () => {
    const managers = ofType("ConvertSubnetToL1Tx").map(({ chainId, address }) => `${chainId} ${address}`);
    const messages = [...ofType("RegisterL1ValidatorTx"), ...ofType("SetL1ValidatorWeightTx")];
    for (const { message, networkId } of messages) {
      const warp = decodeWarpL1Message(message);
      expect(managers).toContain(`${warp.sourceChainId} ${warp.sourceAddress}`);
      expect(warp.networkId).toBe(networkId);
    }
    expect(parseIdText(formatId(messages[0]?.id as string))).toBe(messages[0]?.id);
  });
});
