import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeCBlock } from "../../../indexer/primary/decode/c-blocks.ts";
import { decodeUtxo } from "../../../indexer/primary/decode/outputs.ts";
import { decodeWarpL1Message } from "../../../indexer/primary/decode/warp.ts";
import { parseCheckedHex, parseHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import { decodePGenesis } from "../../../indexer/primary/network/p-genesis.ts";
import { decodeXGenesis } from "../../../indexer/primary/network/x-genesis.ts";
import { isFullRun } from "../../../test/support/full.ts";
import { createRandomIntegers } from "../../../test/support/random.ts";
import {
  containersOf,
  describeRecordings,
  pairsOf,
  recordingFolder,
  utxoTextsOf,
} from "../../../test/support/recorded/primary-vectors.ts";
import { BadUpstreamData } from "../../errors/errors.ts";
import { decodePBlock } from "./blocks/p-blocks.ts";
import { decodeContainer, decodeProposerBlock } from "./blocks/proposer-blocks.ts";
import { decodeVertex } from "./blocks/vertices.ts";
import { decodeXBlock } from "./blocks/x-blocks.ts";
import { sha256 } from "./bytes/hashes.ts";
import { decodeAtomicTransactions } from "./transactions/atomic-transactions.ts";

interface Format {
  /** Valid bytes, one sample of each structure. */
  samples(folder: string): readonly Uint8Array[];
  /** Identity of the decoded value. Two different inputs must never have the same identity. */
  identityOf(bytes: Uint8Array): unknown;
}

/** Maximum number of damaged positions of a sample, and of samples of a format. */
const MOST_POSITIONS = isFullRun ? 768 : 96;
const MOST_SAMPLES = isFullRun ? 24 : 12;

const inside = (folder: string, chain: string) =>
  containersOf(folder, `index-${chain}-block`).map(({ bytes }) => decodeContainer(bytes).block);
const txTypes = (transactions: readonly { readonly txType: string }[]) => transactions.map(({ txType }) => txType);
const genesisOf = (folder: string) =>
  parseHex(JSON.parse(readFileSync(join(folder, "genesis-bytes.json"), "utf8")).platformGenesisBytes, "genesis");
const messages = (folder: string) =>
  pairsOf(folder, "p-blocks", "platform.getBlockByHeight", "block")
    .flatMap(({ bytes }) => decodePBlock(bytes).transactions)
    .flatMap((tx) => ("message" in tx ? [tx.message] : []));

const FORMATS: Readonly<Record<string, Format>> = {
  "P-Chain blocks": {
    samples: (folder) =>
      oneOfEach(inside(folder, "p"), (bytes) => {
        const { blockType, transactions } = decodePBlock(bytes);
        return [blockType, ...txTypes(transactions)];
      }),
    identityOf: (bytes) => decodePBlock(bytes).id,
  },
  "X-Chain blocks": {
    samples: (folder) => oneOfEach(inside(folder, "x"), (bytes) => txTypes(decodeXBlock(bytes).transactions)),
    identityOf: (bytes) => decodeXBlock(bytes).id,
  },
  "C-Chain blocks": {
    /** Only small ones, because hashing is slow. */
    samples: (folder) =>
      oneOfEach(
        inside(folder, "c").filter(({ byteLength }) => byteLength < 1_200),
        (bytes) => {
          const { transactionHashes, extraData } = decodeCBlock(bytes);
          return [transactionHashes.length, extraData.length > 0];
        },
      ),
    identityOf: (bytes) => {
      const { hash, transactionHashes } = decodeCBlock(bytes);
      return [hash, transactionHashes];
    },
  },
  "atomic transactions": {
    samples: (folder) =>
      oneOfEach(
        inside(folder, "c").map((bytes) => decodeCBlock(bytes).extraData),
        (bytes) => txTypes(decodeAtomicTransactions(bytes)),
      ).filter(({ byteLength }) => byteLength > 0),
    identityOf: (bytes) => decodeAtomicTransactions(bytes).map(({ id }) => id),
  },
  "proposers' blocks": {
    samples: (folder) =>
      oneOfEach(
        containersOf(folder, "index-p-block").flatMap(({ bytes }) => (decodeContainer(bytes).proposer ? [bytes] : [])),
        (bytes) => {
          const { proposal } = decodeProposerBlock(bytes);
          return [proposal && [proposal.nodeId !== null, proposal.epoch !== null]];
        },
      ),
    identityOf: (bytes) => {
      const { id, proposal } = decodeProposerBlock(bytes);
      return [id, proposal && Buffer.from(proposal.signature).toString("hex")];
    },
  },
  outputs: {
    samples: (folder) =>
      oneOfEach(
        utxoTextsOf(folder).map((text) => parseCheckedHex(text, "UTXO")),
        (bytes) => [decodeUtxo(bytes).output.type],
      ),
    identityOf: (bytes) =>
      JSON.stringify(decodeUtxo(bytes), (_, value) => (typeof value === "bigint" ? `${value}` : value)),
  },
  "L1 messages": {
    samples: (folder) => oneOfEach(messages(folder), (bytes) => [decodeWarpL1Message(bytes).message.type]),
    /** The id does not cover the signature around the message. */
    identityOf: (bytes) => [decodeWarpL1Message(bytes).messageId, sha256(bytes)],
  },
  geneses: {
    samples: (folder) => [genesisOf(folder)],
    identityOf: (bytes) => decodePGenesis(bytes).id,
  },
  "geneses of the X-Chain": {
    samples: (folder) => [decodePGenesis(genesisOf(folder)).chains[0]?.genesisData as Uint8Array],
    identityOf: (bytes) => [decodeXGenesis(bytes).map(({ id, alias }) => [id, alias])],
  },
};

const VERTICES: Format = {
  samples: (folder) =>
    oneOfEach(
      containersOf(folder, "index-x-vtx").map(({ bytes }) => bytes),
      (bytes) => [decodeVertex(bytes).parentIds.length, ...txTypes(decodeVertex(bytes).transactions)],
    ),
  identityOf: (bytes) => decodeVertex(bytes).id,
};

describeRecordings(
  "damaged bytes",
  (folder) => {
    it.each(Object.entries(FORMATS))("of %s are refused with the offset, or have another id", (_, format) =>
      expectRefusals(format, folder),
    );
  },
  { inShortForm: 1 },
);

describe("damaged bytes of the recording delta", () => {
  it("of X-Chain vertices are refused with the offset, or have another id", () =>
    expectRefusals(VERTICES, recordingFolder("delta")));
});

function expectRefusals(format: Format, folder: string): void {
  const numbers = createRandomIntegers(0x5eed);
  const samples = format.samples(folder).slice(0, MOST_SAMPLES);
  const wrong: string[] = [];
  for (const sample of samples) {
    const identity = outcomeOf(format, sample);
    for (const { bytes, damage, mayBeRead } of damaged(sample, numbers)) {
      const read = outcomeOf(format, bytes);
      if (read !== null && (!mayBeRead || read === identity)) wrong.push(`${damage} of ${hex(sample)}`);
    }
  }
  expect(samples.length).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
}

/** Identity of the decoded value; null if it was refused with an error of the codec. Other errors are rethrown. */
function outcomeOf({ identityOf }: Format, bytes: Uint8Array): string | null {
  try {
    return JSON.stringify(identityOf(bytes));
  } catch (error) {
    if (error instanceof BadUpstreamData && / at byte \d+: /.test(error.message)) return null;
    throw error;
  }
}

interface Damaged {
  readonly damage: string;
  readonly bytes: Uint8Array;
  /** False if the length cannot be valid: bytes are missing or left over. */
  readonly mayBeRead: boolean;
}

function* damaged(sample: Uint8Array, numbers: () => number): Iterable<Damaged> {
  yield { damage: "longer", bytes: Buffer.concat([sample, Buffer.from([numbers() & 0xff])]), mayBeRead: false };
  const all = Array.from(sample.keys());
  const positions = all.length <= MOST_POSITIONS ? all : all.filter(() => numbers() % all.length < MOST_POSITIONS);
  for (const at of positions) {
    if (at > 0) yield { damage: `only ${at} bytes`, bytes: sample.subarray(0, at), mayBeRead: false };
    yield { damage: `byte ${at} turned`, bytes: turned(sample, at, 1 + (numbers() % 255)), mayBeRead: true };
    const huge = Buffer.from(sample).fill(0xff, at, Math.min(at + 4, sample.length));
    if (!huge.equals(sample)) yield { damage: `a huge number at ${at}`, bytes: huge, mayBeRead: true };
  }
}

function turned(sample: Uint8Array, at: number, bits: number): Uint8Array {
  const bytes = Buffer.from(sample);
  bytes[at] = (bytes[at] as number) ^ bits;
  return bytes;
}

function oneOfEach(all: readonly Uint8Array[], shapeOf: (bytes: Uint8Array) => unknown): Uint8Array[] {
  const byShape = new Map(all.map((bytes) => [JSON.stringify(shapeOf(bytes)), bytes]));
  return [...byShape.values()];
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
