import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { decodeCb58, encodeCb58 } from "../../../core/formats/cb58.ts";
import { parseCheckedHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import {
  containersOf,
  factsOf,
  pairsOf,
  parseExactly,
  resultsIn,
  snapshotsOf,
  utxoTextsOf,
} from "../recorded/primary-vectors.ts";
import { type OfficialLibrary, readOfficially, readUtxoOfficially } from "./official-library.ts";

/**
 * A transaction in the recorded node's JSON (on the C-Chain: decoded by the official library), with the node's field
 * names.
 */
export interface OracleTransaction {
  readonly chain: "P" | "X" | "C";
  readonly txHash: string;
  readonly txType: string;
  /** The node's JSON; numbers are text. */
  readonly json: Members;
  /** Signatures in `0x` hex, a list for each credential. */
  readonly credentials: readonly (readonly string[])[];
  readonly consumed: readonly string[];
  /** Includes returned stakes and the node's reward outputs. */
  readonly emitted: readonly OracleOutput[];
  /** By asset, without zeros. */
  readonly burned: Readonly<Record<string, string>>;
  /** nAVAX. */
  readonly l1Balance: string;
  /** Null in a vertex. */
  readonly blockNumber: string | null;
  readonly blockHash: string | null;
  /** Null if it follows only from a replay: before Banff, and in vertices. */
  readonly blockTimestamp: number | null;
  /** Owners of consumed and created outputs, and C-Chain accounts in lower case. */
  readonly owners: ReadonlySet<string>;
}

export interface OracleOutput {
  readonly utxoId: string;
  readonly txHash: string;
  readonly outputIndex: number;
  readonly assetId: string;
  readonly amount: string;
  readonly locktime: string;
  readonly stakeableLocktime: string | null;
  readonly threshold: string;
  readonly addresses: readonly string[];
  readonly role: "plain" | "stake" | "exported" | "reward" | "refund";
}

export interface PrimaryOracle {
  /** In the order of the chain. */
  readonly P: readonly OracleTransaction[];
  readonly X: readonly OracleTransaction[];
  readonly C: readonly OracleTransaction[];
}

// biome-ignore lint/suspicious/noExplicitAny: answers of a node, as they come
type Members = Readonly<Record<string, any>>;
type Place = Pick<OracleTransaction, "blockNumber" | "blockHash" | "blockTimestamp">;
type Unplaced = Omit<OracleTransaction, keyof Place | "owners">;

const P_TYPES: readonly string[] = [
  "AddValidatorTx",
  "AddSubnetValidatorTx",
  "AddDelegatorTx",
  "CreateChainTx",
  "CreateSubnetTx",
  "ImportTx",
  "ExportTx",
  "AdvanceTimeTx",
  "RewardValidatorTx",
  "",
  "",
  "RemoveSubnetValidatorTx",
  "TransformSubnetTx",
  "AddPermissionlessValidatorTx",
  "AddPermissionlessDelegatorTx",
  "",
  "",
  "",
  "",
  "",
  "",
  "TransferSubnetOwnershipTx",
  "BaseTx",
  "ConvertSubnetToL1Tx",
  "RegisterL1ValidatorTx",
  "SetL1ValidatorWeightTx",
  "IncreaseL1ValidatorBalanceTx",
  "DisableL1ValidatorTx",
  "AddAutoRenewedValidatorTx",
  "SetAutoRenewedValidatorConfigTx",
  "RewardAutoRenewedValidatorTx",
];
const FIRST_P_TYPE = 12;
const X_TYPES: readonly string[] = ["BaseTx", "CreateAssetTx", "OperationTx", "ImportTx", "ExportTx"];

/**
 * Reads a recording's transactions from the node and the official library. It does not use our codec.
 */
export function readPrimaryOracle(folder: string, library: OfficialLibrary): PrimaryOracle {
  const { hrp } = factsOf(folder);
  const p = known(folder, ["p-txs", "p-genesis-txs"], "P");
  const x = known(folder, ["x-txs"], "X");
  const rewards = rewardsOf(folder, library, hrp);
  const refunds = refundsOf(folder, library, hrp);
  const C = atomic(folder, library, hrp);
  const goesOn = cyclesGoingOn(folder, p);
  const P = inBlocks(folder, "p-blocks", "platform.getBlockByHeight", p).map((tx) => ({
    ...tx,
    emitted:
      tx.txType === "RewardValidatorTx"
        ? ended(tx, p, rewards)
        : tx.txType === "RewardAutoRenewedValidatorTx"
          ? [...(goesOn(tx) ? [] : stakeOf(tx, p)), ...(rewards.get(tx.txHash) ?? [])]
          : [
              ...tx.emitted,
              ...(refunds.get(tx.txHash) ?? []).filter(({ outputIndex }) => outputIndex >= tx.emitted.length),
            ],
  }));
  const X = [...inVertices(folder, x), ...inBlocks(folder, "x-blocks", "avm.getBlockByHeight", x)];
  const emittedOutputs = [...p.values(), ...x.values(), ...P, ...X, ...C].flatMap(({ emitted }) => emitted);
  const ownersOf = new Map([...genesisOutputs(folder), ...emittedOutputs].map((one) => [one.utxoId, one.addresses]));
  const complete = (all: readonly (Unplaced & Place)[]): OracleTransaction[] =>
    all.map((tx) => ({
      ...tx,
      owners: new Set([
        ...tx.consumed.flatMap((id) => ownersOf.get(id) ?? []),
        ...tx.emitted.flatMap(({ addresses }) => addresses),
        ...accountsOf(tx.json).map(({ address }) => `0x${address}`),
      ]),
    }));
  return { P: complete(P), X: complete(X), C: complete(C) };
}

/** Every separately recorded transaction, by its id. */
function known(folder: string, files: readonly string[], chain: "P" | "X"): ReadonlyMap<string, Unplaced> {
  const method = chain === "P" ? "platform.getTx" : "avm.getTx";
  const pairs = files.flatMap((file) => pairsOf(folder, file, method, "tx"));
  return new Map(
    pairs.map(({ bytes, json }) => {
      const { unsignedTx, id, credentials } = json as Members;
      const type = Buffer.from(bytes).readUInt32BE(2);
      const txType = (chain === "P" ? P_TYPES[type - FIRST_P_TYPE] : X_TYPES[type]) ?? "";
      return [
        id as string,
        transaction({ chain, txHash: id, txType, json: unsignedTx, credentials: signaturesIn(credentials) }),
      ];
    }),
  );
}

/** On X the name of the extension is next to a credential. */
function signaturesIn(credentials: readonly Members[]): string[][] {
  return credentials.map(({ credential, signatures = credential?.signatures }) => signatures as string[]);
}

function transaction(tx: Pick<Unplaced, "chain" | "txHash" | "txType" | "json" | "credentials">): Unplaced {
  const { json, txHash } = tx;
  const inputs: Members[] = [...(json["inputs"] ?? []), ...(json["importedInputs"] ?? [])];
  const operations: Members[] = json["operations"] ?? [];
  const spent = [...inputs, ...operations.flatMap(({ inputIDs }) => inputIDs as Members[])];
  const paid = [
    ...labelled(json["outputs"], "plain"),
    ...labelled(json["stake"], "stake"),
    ...labelled(json["exportedOutputs"], "exported"),
  ];
  const free = [
    ...((json["initialStates"] ?? []) as Members[]).flatMap(({ outputs }) =>
      (outputs as Members[]).map((output) => ({ assetID: txHash, output, role: "plain" as const })),
    ),
    ...operations.flatMap(({ assetID, operation }) =>
      madeBy(operation).map((output) => ({ assetID: assetID as string, output, role: "plain" as const })),
    ),
  ];
  const l1Balance = [...((json["validators"] ?? []) as Members[]), json].reduce(
    (sum, { balance = "0" }) => sum + BigInt(balance as string),
    0n,
  );
  return {
    ...tx,
    consumed: spent.map(({ txID, outputIndex }) => utxoIdOf(txID, Number(outputIndex))),
    emitted: [...paid, ...free].map((one, index) => outputOf(txHash, index, one)),
    burned: burnedBy(inputs, paid, json, l1Balance),
    l1Balance: String(l1Balance),
  };
}

interface Labelled {
  readonly assetID: string;
  readonly output: Members;
  readonly role: OracleOutput["role"];
}

function labelled(outputs: readonly Members[] = [], role: OracleOutput["role"]): Labelled[] {
  return outputs.map(({ assetID, output }) => ({ assetID, output, role }));
}

function madeBy({ mintOutput, transferOutput, ownedOutput, outputs, output, groupID }: Members): Members[] {
  if (outputs) return (outputs as Members[]).map((owners) => ({ groupID, ...owners }));
  return [mintOutput, transferOutput, ownedOutput, output].filter((one) => one !== undefined);
}

/** The amount of an input or output, with or without a stakeable lock. */
const amountIn = ({ input, output, amount = "0" }: Members): bigint =>
  input ? amountIn(input) : output ? amountIn(output) : BigInt(amount);

function burnedBy(
  inputs: readonly Members[],
  outputs: readonly Labelled[],
  json: Members,
  l1Balance: bigint,
): Record<string, string> {
  const sums = new Map<string, bigint>();
  const count = (assetId: string, amount: bigint) => sums.set(assetId, (sums.get(assetId) ?? 0n) + amount);
  for (const input of inputs) count(input["assetID"], amountIn(input));
  for (const output of outputs) count(output.assetID, -amountIn(output));
  for (const { assetID, amount } of (json["evmInputs"] ?? []) as Members[]) count(assetID, BigInt(amount));
  for (const { assetID, amount } of (json["evmOutputs"] ?? []) as Members[]) count(assetID, -BigInt(amount));
  // Only AVAX pays for balances, and every transaction that funds one has AVAX inputs.
  if (l1Balance > 0n) count(inputs[0]?.["assetID"], -l1Balance);
  return Object.fromEntries([...sums].filter(([, sum]) => sum > 0n).map(([assetId, sum]) => [assetId, String(sum)]));
}

function outputOf(txHash: string, outputIndex: number, { assetID, output, role }: Labelled): OracleOutput {
  const inner: Members = output["output"] ?? output;
  return {
    utxoId: utxoIdOf(txHash, outputIndex),
    txHash,
    outputIndex,
    assetId: assetID,
    role,
    amount: inner["amount"] ?? "0",
    locktime: inner["locktime"],
    threshold: inner["threshold"],
    stakeableLocktime: output["output"] ? output["locktime"] : null,
    addresses: (inner["addresses"] as string[]).map((address) => address.replace(/^\w-/, "")),
  };
}

/** SHA-256 of the index in 64 bits and the transaction's id. */
export function utxoIdOf(txHash: string, outputIndex: number): string {
  const index = Buffer.alloc(8);
  index.writeBigUInt64BE(BigInt(outputIndex));
  return encodeCb58(
    createHash("sha256")
      .update(index)
      .update(decodeCb58(txHash) as Uint8Array)
      .digest(),
  );
}

/** Transactions in the order of their blocks. */
function inBlocks(
  folder: string,
  file: string,
  method: string,
  all: ReadonlyMap<string, Unplaced>,
): (Unplaced & Place)[] {
  const blocks = resultsIn(folder, file, method)
    .filter(({ params }) => params["encoding"] === "json")
    .map(({ text }) => (parseExactly(text) as Members)["block"] as Members)
    .sort((one, other) => Number(one["height"]) - Number(other["height"]));
  return blocks.flatMap(({ height, id, time, txs, tx }) =>
    // The proposed transaction comes last.
    [...((txs ?? []) as Members[]), ...(tx ? [tx as Members] : [])].map(({ id: txHash }) => ({
      ...(all.get(txHash) as Unplaced),
      blockNumber: height,
      blockHash: id,
      blockTimestamp: time === undefined ? null : Number(time),
    })),
  );
}

/** Transactions of a vertex in the vertex's order. */
function inVertices(folder: string, all: ReadonlyMap<string, Unplaced>): (Unplaced & Place)[] {
  return containersOf(folder, "index-x-vtx").flatMap(({ bytes }) =>
    transactionsOf(Buffer.from(bytes)).map((txHash) => ({
      ...(all.get(txHash) as Unplaced),
      blockNumber: null,
      blockHash: null,
      blockTimestamp: null,
    })),
  );
}

/**
 * After codec version, chain, height and epoch the parents, then the transactions. A stop vertex (version 1) has none.
 */
function transactionsOf(vertex: Buffer): string[] {
  if (vertex.readUInt16BE(0) > 0) return [];
  const parents = vertex.readUInt32BE(46);
  let at = 50 + 32 * parents;
  const count = vertex.readUInt32BE(at);
  at += 4;
  return Array.from({ length: count }, () => {
    const end = at + 4 + vertex.readUInt32BE(at);
    const hash = createHash("sha256").update(vertex.subarray(at + 4, end));
    at = end;
    return encodeCb58(hash.digest());
  });
}

/** Reward outputs by staking transaction. */
function rewardsOf(
  folder: string,
  library: OfficialLibrary,
  hrp: string,
): ReadonlyMap<string, readonly OracleOutput[]> {
  const answers = ["p-txs", "p-genesis-txs"].flatMap((file) => resultsIn(folder, file, "platform.getRewardUTXOs"));
  return new Map(
    answers.map(({ params, text }) => {
      const utxos = (JSON.parse(text) as { utxos: string[] }).utxos.map((one) => parseCheckedHex(one, "UTXO"));
      const outputs = utxos.map((bytes) =>
        officialOutput(readUtxoOfficially(library, "PVM", bytes).utxo as Members, hrp, "reward"),
      );
      return [params["txID"] as string, outputs.sort((one, other) => one.outputIndex - other.outputIndex)];
    }),
  );
}

/** Refunds of L1 validators by transaction, from the node's outputs. */
function refundsOf(
  folder: string,
  library: OfficialLibrary,
  hrp: string,
): ReadonlyMap<string, readonly OracleOutput[]> {
  const refunds = new Map<string, OracleOutput[]>();
  const ending = new Set(
    pairsOf(folder, "p-txs", "platform.getTx", "tx")
      .filter(({ bytes }) => ENDING.has(P_TYPES[Buffer.from(bytes).readUInt32BE(2) - FIRST_P_TYPE] ?? ""))
      .map(({ json }) => (json as Members)["id"] as string),
  );
  for (const bytes of utxoTextsOf(folder).map((text) => parseCheckedHex(text, "UTXO"))) {
    const txHash = encodeCb58(bytes.subarray(2, 34));
    if (!ending.has(txHash)) continue;
    const output = officialOutput(readUtxoOfficially(library, "PVM", bytes).utxo as Members, hrp, "refund");
    refunds.set(txHash, [...(refunds.get(txHash) ?? []), output]);
  }
  return refunds;
}

const ENDING = new Set(["DisableL1ValidatorTx", "SetL1ValidatorWeightTx"]);

const textOf = (hex: string): string => encodeCb58(Buffer.from(hex, "hex"));

function officialOutput(
  { txId, outputIndex, assetId, output }: Members,
  hrp: string,
  role: OracleOutput["role"],
): OracleOutput {
  const addresses = (output["addresses"] as string[]).map((address) =>
    formatAddress({ chain: null, prefix: hrp, address }),
  );
  const labelled = { assetID: textOf(assetId), output: { ...output, addresses }, role };
  return outputOf(textOf(txId), Number(outputIndex), labelled);
}

/** Outputs of the end of a stake: the returned stake, which keeps its ids, and the node's reward outputs. */
function ended(
  { json }: Unplaced,
  all: ReadonlyMap<string, Unplaced>,
  rewards: ReadonlyMap<string, readonly OracleOutput[]>,
): readonly OracleOutput[] {
  return [...stakeOf({ json }, all), ...(rewards.get(json["txID"]) ?? [])];
}

function stakeOf({ json }: Pick<Unplaced, "json">, all: ReadonlyMap<string, Unplaced>): readonly OracleOutput[] {
  return all.get(json["txID"])?.emitted.filter(({ role }) => role === "stake") ?? [];
}

/**
 * True if an auto-renewed validator continues after a cycle: it has a later one, or the node has it at the end.
 */
function cyclesGoingOn(folder: string, all: ReadonlyMap<string, Unplaced>): (tx: Unplaced) => boolean {
  const atTheEnd = resultsIn(folder, snapshotsOf(folder).at(-1) as string, "platform.getCurrentValidators");
  const staying = new Set(
    atTheEnd.flatMap(({ text }) => (JSON.parse(text).validators as Members[]).map(({ txID }) => txID as string)),
  );
  const cycles = [...all.values()].filter(({ txType }) => txType === "RewardAutoRenewedValidatorTx");
  return ({ json }) =>
    staying.has(json["txID"]) ||
    cycles.some(
      (other) => other.json["txID"] === json["txID"] && Number(other.json["timestamp"]) > Number(json["timestamp"]),
    );
}

/** Atomic transactions of the node, decoded by the official library. */
function atomic(folder: string, library: OfficialLibrary, hrp: string): (Unplaced & Place)[] {
  const heights = new Map(
    resultsIn(folder, "c-atomic", "avax.getAtomicTxStatus").map(({ params, text }) => [
      params["txID"],
      JSON.parse(text).blockHeight as string,
    ]),
  );
  const blocks = new Map(
    resultsIn(folder, "c-blocks", "eth_getBlockByNumber").map(({ text }) => {
      const { number, hash, timestamp } = JSON.parse(text) as Record<string, string>;
      return [String(Number(number)), { hash: hash as string, timestamp: Number(timestamp) }];
    }),
  );
  const answers = new Map(
    resultsIn(folder, "c-atomic", "avax.getAtomicTx").map(({ params, text }) => [params["txID"] as string, text]),
  );
  return [...answers]
    .map(([txHash, text]) => {
      const { unsigned, credentials } = readOfficially(library, "EVM", parseCheckedHex(JSON.parse(text).tx, txHash));
      const json = nodeWords(unsigned as Members, hrp);
      const blockNumber = heights.get(txHash) as string;
      const block = blocks.get(blockNumber);
      return {
        ...transaction({ chain: "C", txHash, txType: json["txType"], json, credentials: prefixed(credentials) }),
        blockNumber,
        blockHash: block?.hash ?? null,
        blockTimestamp: block?.timestamp ?? null,
      };
    })
    .sort((one, other) => Number(one.blockNumber) - Number(other.blockNumber));
}

const prefixed = (credentials: unknown): string[][] =>
  signaturesIn(credentials as Members[]).map((signatures) => signatures.map((one) => `0x${one}`));

/** The library's fields under the names of the node's JSON. */
function nodeWords(value: unknown, hrp: string): Members {
  return JSON.parse(JSON.stringify(value), (name, member: unknown) => {
    if (/^(txId|assetId|sourceChain|destinationChain)$/.test(name)) return textOf(member as string);
    if (name === "addresses")
      return (member as string[]).map((address) => formatAddress({ chain: null, prefix: hrp, address }));
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(
      Object.entries(member).map(([key, inner]) => [key.replace("txId", "txID").replace("assetId", "assetID"), inner]),
    );
  }) as Members;
}

const accountsOf = ({ evmInputs = [], evmOutputs = [] }: Members): Members[] => [...evmInputs, ...evmOutputs];

/** The initial outputs of the P-Chain from the genesis file: by position, without stakes. */
function genesisOutputs(folder: string): Pick<OracleOutput, "utxoId" | "addresses">[] {
  const genesis: Members = JSON.parse(gunzipSync(readFileSync(join(folder, "genesis.json.gz"))).toString());
  const staked = new Set(genesis["initialStakedFunds"] as string[]);
  const unlocked = (genesis["allocations"] as Members[])
    .filter(({ avaxAddr }) => !staked.has(avaxAddr))
    .flatMap(({ avaxAddr, unlockSchedule }) =>
      (unlockSchedule as Members[]).filter(({ amount }) => amount > 0).map(() => String(avaxAddr).replace(/^\w-/, "")),
    );
  return unlocked.map((address, index) => ({
    utxoId: utxoIdOf("11111111111111111111111111111111LpoYY", index),
    addresses: [address],
  }));
}
