import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Recordings of real validators' signatures: recordings/signatures/README.md says what each file is. */
const FOLDER = fileURLToPath(new URL("../../../recordings/signatures", import.meta.url));

interface RecordedAggregate {
  readonly signedMessage: string;
  readonly signers: readonly number[];
  readonly signerBits: string;
  readonly signerWeight: string;
}

interface RecordedValidator {
  readonly publicKey: string;
  readonly publicKeyUncompressed: string;
  readonly weight: string;
  readonly nodeIDs: readonly string[];
}

/** The answer of `platform.getValidatorsAt`. */
export type ValidatorsAnswer = Readonly<Record<string, { readonly publicKey: string | null; readonly weight: string }>>;

/** A message, what validators answered, and the aggregates of their signatures. Hex without `0x`, ids in CB58. */
export interface WarpVector {
  readonly name: string;
  readonly networkID: number;
  readonly transaction?: { readonly type: string; readonly hex?: string; readonly logData?: string };
  readonly sourceChainID: string;
  readonly unsignedMessage: string;
  readonly messageID: string;
  readonly messageIDHex: string;
  readonly justification: string;
  readonly signingSubnet: string;
  readonly validatorSet: {
    readonly totalWeight: string;
    readonly canonical: readonly RecordedValidator[];
    readonly raw: {
      readonly getValidatorsAt: ValidatorsAnswer;
      readonly getAllValidatorsAt: {
        readonly validators: readonly Omit<RecordedValidator, "publicKeyUncompressed">[];
        readonly totalWeight: string;
      };
    };
  };
  readonly answers: readonly {
    readonly nodeID: string;
    readonly signature?: string;
    readonly outsideTheSigningSet?: boolean;
  }[];
  readonly quorum: { readonly numerator: number; readonly required: string };
  readonly all: RecordedAggregate;
  readonly minimal: RecordedAggregate;
}

const OTHERS = /^(e2-mapping|deliveries|refusals|p2p|node-|c-chain-node)/;

/** A file of the recordings, by its name without `.json`. */
export function readSignatures<Content>(name: string): Content {
  return JSON.parse(readFileSync(`${FOLDER}/${name}.json`, "utf8"));
}

/** The recorded messages with their signatures. */
export function warpVectors(): WarpVector[] {
  const names = readdirSync(FOLDER).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
  return names.filter((name) => !OTHERS.test(name)).map((name) => readSignatures<WarpVector>(name));
}

/** One of the recorded messages. */
export function warpVector(name: string): WarpVector {
  return readSignatures<WarpVector>(name);
}

/** The bytes of hex with or without `0x`. */
export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replace(/^0x/, ""), "hex");
}
