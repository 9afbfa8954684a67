import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";

/** A chain with the prefix of its addresses. */
export interface ChainText {
  readonly chain: "P" | "X";
  readonly prefix: string;
}

import type { TransactionEncoding } from "../../../core/formats/codec/transactions/encoding.ts";

type Members = Readonly<Record<string, unknown>>;
type Write = (value: never, inside: ChainText & { readonly owner: Members }) => unknown;

const FX_IDS: Readonly<Record<string, string>> = {
  secp256k1fx: "spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ",
  nftfx: "qd2U4HDWUvMrVUeTcCHp6xH3Qpnn1XbU5MDdnBoiifFqvgXwT",
  propertyfx: "rXJsCSEYXg2TehWxCEEGj6JU2PWKTkd6cBdNLjoe2SpsKD9cy",
  stakeable: "spdxUxVJQbX85MGxMHbKw1sHxMnSqJ3QBzDyDYEP3h6TLuxqQ",
};
const FXS = ["secp256k1fx", "nftfx", "propertyfx"];

const id: Write = (hex: string) => formatId(hex);
const hex: Write = (digits: string) => `0x${digits}`;

/** The node's format of values that are not simply a number, a text, a list or an object. */
const WRITERS: Readonly<Record<string, Write>> = {
  id,
  txId: id,
  subnetId: id,
  chainId: id,
  vmId: id,
  assetId: id,
  blockchainId: id,
  validationId: id,
  sourceChain: id,
  destinationChain: id,
  parentId: id,
  merkleRoot: id,
  fxIds: (ids: readonly string[]) => ids.map(formatId),
  memo: hex,
  payload: hex,
  address: hex,
  publicKey: hex,
  message: (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`,
  genesisData: (bytes: Uint8Array) => Buffer.from(bytes).toString("base64"),
  signatures: (signatures: readonly string[]) => signatures.map((signature) => `0x${signature}`),
  nodeId: (digits: string, { owner }) =>
    "balance" in owner || "period" in owner ? `0x${digits}` : formatNodeId(digits),
  proofOfPossession: (digits: string, { owner }) =>
    "txType" in owner ? [...Buffer.from(digits, "hex")].map(String) : `0x${digits}`,
  addresses: (addresses: readonly string[], { chain, prefix, owner }) =>
    addresses.map((address) => ("locktime" in owner ? formatAddress({ chain, prefix, address }) : formatId(address))),
};

/** A decoded transaction in the node's JSON, with numbers as decimal text. */
export function nodeJsonOf(transaction: object, chain: ChainText): unknown {
  const {
    id,
    size: _,
    bytes: __,
    credentials,
    ...unsigned
  } = transaction as TransactionEncoding & { credentials: Members[] };
  return {
    unsignedTx: written(unsigned, chain),
    credentials: credentials.map((credential) => {
      const plain = written(credential, chain);
      return chain.chain === "X" ? { fxID: fxIdOf(credential), credential: plain } : plain;
    }),
    id: formatId(id),
  };
}

function written(value: unknown, chain: ChainText): unknown {
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map((element) => written(element, chain));
  if (typeof value !== "object" || value === null) return value;
  const owner = value as Members;
  const members = Object.entries(owner)
    .filter(([name]) => name !== "type" && name !== "txType")
    .map(([name, member]) => {
      const write = WRITERS[name];
      return [nodeName(name), write ? write(member as never, { ...chain, owner }) : written(member, chain)];
    });
  return { ...Object.fromEntries(members), ...fxIdIn(owner) };
}

const nodeName = (name: string): string => name.replace(/Id(s?)$/, "ID$1");

/** A node writes the name of the extension next to an input, an output, an operation or an initial state. */
function fxIdIn(owner: Members): { fxID?: string } {
  if (typeof owner["fxIndex"] === "number") return { fxID: FX_IDS[FXS[owner["fxIndex"]] as string] as string };
  const inside = owner["operation"] ?? owner["output"] ?? owner["input"];
  return "assetId" in owner && inside ? { fxID: fxIdOf(inside as Members) } : {};
}

const fxIdOf = ({ type }: Members): string => FX_IDS[String(type).split(".")[0] as string] as string;
