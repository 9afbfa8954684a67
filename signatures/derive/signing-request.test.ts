import { Failure } from "../../core/errors/errors.ts";
import { decodePBlock } from "../../core/formats/codec/blocks/p-blocks.ts";
import { type PTransaction, type PTransactionOf } from "../../core/formats/codec/transactions/p-transactions.ts";
import { formatId, parseIdText } from "../../core/formats/id-text.ts";
import { parseCheckedHex } from "../../indexer/primary/fetch/checked-hex.ts";
import { decodePTransaction } from "../../test/support/codec/decode-transactions.ts";
import { describeRecordings, pairsOf } from "../../test/support/recorded/primary-vectors.ts";
import { bytesOf, readSignatures, warpVector, warpVectors } from "../../test/support/recorded/warp-vectors.ts";
import { parseJustification, validationIdOf } from "../codec/justification.ts";
import { MalformedMessage } from "../codec/malformed-message.ts";
import { P_CHAIN_ID, parseUnsignedMessage } from "../codec/unsigned-message.ts";
import { deriveMessage } from "./p-chain-message.ts";
import { type PChainIndex, requestOfJustification, requestOfTransaction } from "./signing-request.ts";
import { originIn } from "./validation-origin.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const transactionOf = (name: string): PTransaction =>
  decodePTransaction(parseCheckedHex(warpVector(name).transaction?.hex, name));

interface Row {
  readonly vector: string;
  readonly txID?: string;
  readonly unsignedMessage?: string;
  readonly justification?: string;
  readonly signingSubnet?: string;
}

const isConversion = (one: PTransaction): one is PTransactionOf<"ConvertSubnetToL1Tx"> =>
  one.txType === "ConvertSubnetToL1Tx";

/** What an index of these transactions knows. */
function indexOf(transactions: readonly PTransaction[], subnets: ReadonlyMap<string, string>): PChainIndex {
  return {
    subnetOfChain: async (chainId) => subnets.get(chainId) ?? null,
    transactionOfValidation: async (validationId) =>
      transactions.find((one) => originIn(one, validationId) !== null) ?? null,
    conversionOfSubnet: async (subnetId) =>
      transactions.filter(isConversion).find((one) => one.subnetId === subnetId) ?? null,
  };
}

/** The index of the recorded network. Its chains are those that sent recorded messages, signed by their own subnet. */
function recordedIndex(): PChainIndex {
  const sources = ["c-chain-message", "l1-message"].map(warpVector);
  const subnets = sources.map(({ sourceChainID, signingSubnet }) => [sourceChainID, signingSubnet].map(parseIdText));
  const transactions = warpVectors().flatMap(({ name, transaction }) =>
    transaction?.hex ? [transactionOf(name)] : [],
  );
  return indexOf(transactions, new Map(subnets as [string, string][]));
}

const rows = (): readonly Row[] => readSignatures<{ rows: readonly Row[] }>("e2-mapping").rows;

describe("E2 requests of accepted transactions", () => {
  const derivable = rows().filter(({ unsignedMessage }) => unsignedMessage);

  it("are recorded for each type that has a message", () => {
    expect(derivable).toHaveLength(8);
    expect([...new Set(derivable.map(({ vector }) => transactionOf(vector).txType))].sort()).toEqual([
      "ConvertSubnetToL1Tx",
      "RegisterL1ValidatorTx",
      "SetL1ValidatorWeightTx",
    ]);
  });

  it.each(derivable)("are those that the validators signed: $vector", async ({ vector, txID, ...row }) => {
    const transaction = transactionOf(vector);
    expect(formatId(transaction.id)).toBe(txID);
    const request = await requestOfTransaction(transaction, recordedIndex());
    const ours = {
      unsignedMessage: hex(request.unsignedBytes),
      justification: hex(request.justification),
      signingSubnet: formatId(request.signingSubnetId),
    };
    const { unsignedMessage, justification, signingSubnet } = warpVector(vector);
    expect(ours).toEqual({ unsignedMessage, justification, signingSubnet });
    expect(row).toMatchObject(ours);
  });

  it("are refused for a transaction after which the validator stays registered", async () => {
    const transaction = transactionOf("p-registration-of-disabled-validator");
    expect([transaction.txType, deriveMessage(transaction)]).toEqual(["DisableL1ValidatorTx", null]);
    await expect(requestOfTransaction(transaction, recordedIndex())).rejects.toThrow(
      new Failure(
        "INVALID_PARAMETER",
        `transaction ${formatId(transaction.id)} has the type DisableL1ValidatorTx, which has no message to sign: the validator stays registered with its weight`,
      ),
    );
  });

  it("are not found if the index lacks the manager's chain or the creation of the validation", async () => {
    const subnetOfChain = async () => P_CHAIN_ID;
    const removal = transactionOf("p-removal-of-registered-validator");
    const without = indexOf([transactionOf("p-conversion")], new Map());
    await expect(requestOfTransaction(removal, { ...without, subnetOfChain })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await expect(requestOfTransaction(transactionOf("p-conversion"), without)).rejects.toThrow(
      "chain 2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC of the validator manager is not a chain of this network",
    );
  });

  it("are an error if the message in a transaction is not the manager's", () => {
    const weight = transactionOf("p-weight-nonce-0") as PTransactionOf<"SetL1ValidatorWeightTx">;
    const register = transactionOf("p-registration") as PTransactionOf<"RegisterL1ValidatorTx">;
    const exchanged = { ...weight, message: register.message };
    expect(() => deriveMessage(exchanged)).toThrow(
      new MalformedMessage("the message in the transaction is RegisterL1Validator, not L1ValidatorWeight"),
    );
    for (const length of [0, 1, 41, 200, weight.message.length - 1])
      expect(() => deriveMessage({ ...weight, message: weight.message.subarray(0, length) })).toThrow(MalformedMessage);
  });
});

describe("E1 requests of a justification without a message", () => {
  it("have the message that the recorded justification justifies, and are signed by the manager's subnet", async () => {
    const given = warpVectors().filter(({ name, justification }) => justification !== "" && !name.includes("never"));
    expect(given.length).toBeGreaterThanOrEqual(4);
    for (const { justification, networkID, unsignedMessage, signingSubnet } of given) {
      const parsed = parseJustification(bytesOf(justification));
      const request = await requestOfJustification({ networkId: networkID, justification: parsed }, recordedIndex());
      expect([hex(request.unsignedBytes), formatId(request.signingSubnetId)]).toEqual([unsignedMessage, signingSubnet]);
      expect(parseJustification(request.justification)).toEqual(parsed);
    }
  });

  it("are not found if the subnet is not an L1", async () => {
    const justification = { type: "subnet", subnetId: "ab".repeat(32) } as const;
    await expect(requestOfJustification({ networkId: 1, justification }, recordedIndex())).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
});

describeRecordings("E2 requests", (folder) => {
  it("follow from every transaction about L1 validators, removals with the id that the manager removed", async () => {
    const all = pairsOf(folder, "p-blocks", "platform.getBlockByHeight", "block").flatMap(
      ({ bytes }) => decodePBlock(bytes).transactions,
    );
    const managers = all.filter(isConversion).map(({ chainId, subnetId }) => [chainId, subnetId] as const);
    const index = indexOf(all, new Map(managers));
    const types: string[] = [];
    for (const transaction of all) {
      const derived = deriveMessage(transaction);
      if (!derived) {
        await expect(requestOfTransaction(transaction, index)).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
        continue;
      }
      const { unsignedBytes, justification, signingSubnetId } = await requestOfTransaction(transaction, index);
      expect(parseUnsignedMessage(unsignedBytes)).toMatchObject({ sourceChainId: P_CHAIN_ID });
      expect(managers.map(([, subnetId]) => subnetId)).toContain(signingSubnetId);
      if (derived.removedValidationId !== null) {
        const origin = parseJustification(justification);
        expect(origin.type !== "subnet" && validationIdOf(origin)).toBe(derived.removedValidationId);
      }
      types.push(derived.l1Message.type);
    }
    expect(new Set(types)).toEqual(new Set(["SubnetToL1Conversion", "L1ValidatorRegistration", "L1ValidatorWeight"]));
  });
});
