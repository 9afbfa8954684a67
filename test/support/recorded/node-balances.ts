import { formatId } from "../../../core/formats/id-text.ts";
import { decodeUtxo, type Output } from "../../../indexer/primary/decode/outputs.ts";
import { parseCheckedHex, parseHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import type { Snapshot } from "./primary-recording.ts";

export type Chain = "P" | "X" | "C";

/** Amount and number of outputs by asset. */
export type Sums = Readonly<Record<string, readonly [amount: string, utxoCount: number]>>;

/** A node's balances of addresses, which have the chain prefix. */
export interface NodeBalances {
  /** Outputs with amounts on a chain, or exported to it by another; locks are compared with this time. */
  outputs(chain: Chain, source: Chain | null, addresses: readonly string[], nowSeconds: number): NodeOutputs;
  /** True if an address shares an output of its chain with others. */
  isSharing(chain: Chain, address: string): boolean;
  /** Current and pending stakes on the P-Chain. */
  staked(addresses: readonly string[], nowSeconds: number): NodeOutputs;
}

/** Unlocked outputs, outputs that can only be staked, and locked outputs. */
export interface NodeOutputs {
  readonly free: Sums;
  readonly stakeable: Sums;
  readonly locked: Sums;
}

const SERVICES = { P: "platform", X: "avm", C: "avax" } as const;

/** The answers of one snapshot. */
export function nodeBalances(snapshot: Snapshot): NodeBalances {
  const answers = new Map(
    (["P", "X", "C"] as const).map((chain) => [chain, snapshot.answers(`${SERVICES[chain]}.getUTXOs`)]),
  );
  const stakes = snapshot.answers("platform.getStake");
  const isOf = (params: Readonly<Record<string, unknown>>, addresses: readonly string[]) =>
    String(params["addresses"]) === String(addresses);
  const outputsOf = (chain: Chain, source: Chain | null, addresses: readonly string[]) => {
    const found = (answers.get(chain) ?? []).filter(
      ({ params }) => isOf(params, addresses) && (params["sourceChain"] ?? null) === source,
    );
    if (found.length === 0)
      throw new Error(`${snapshot.name} has no outputs of ${addresses} on ${chain} from ${source}`);
    // Pages overlap, and a list over several addresses repeats outputs.
    const texts = new Set(found.flatMap(({ result }) => (result as { utxos: string[] }).utxos));
    return [...texts].map((text) => decodeUtxo(parseCheckedHex(text, "output")));
  };
  return {
    outputs: (chain, source, addresses, nowSeconds) => summed(outputsOf(chain, source, addresses), nowSeconds),
    isSharing: (chain, address) =>
      outputsOf(chain, null, [address]).some(({ output }) => "addresses" in output && output.addresses.length > 1),
    staked(addresses, nowSeconds) {
      const found = stakes.find(({ params }) => isOf(params, addresses));
      if (!found) throw new Error(`${snapshot.name} has no stake of ${addresses}`);
      const { stakedOutputs } = found.result as { stakedOutputs: string[] };
      return summed(stakedOutputs.map(decodeStaked), nowSeconds);
    },
  };
}

/** Of a staked output the node returns only asset and output. */
function decodeStaked(text: string) {
  const bytes = Buffer.from(parseHex(text, "staked output")).subarray(0, -4);
  return decodeUtxo(Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(36), bytes.subarray(2)]));
}

interface Held {
  readonly assetId: string;
  readonly output: Output;
}

function summed(all: readonly Held[], nowSeconds: number): NodeOutputs {
  const now = BigInt(nowSeconds);
  const kinds = { free: [] as Held[], stakeable: [] as Held[], locked: [] as Held[] };
  for (const { assetId, output } of all) {
    const [stakeable, inner] = output.type === "stakeable.LockOut" ? [output.locktime, output.output] : [0n, output];
    if (inner.type !== "secp256k1fx.TransferOutput") continue;
    const kind = inner.locktime > now ? "locked" : stakeable > now ? "stakeable" : "free";
    kinds[kind].push({ assetId, output: inner });
  }
  return { free: sumsOf(kinds.free), stakeable: sumsOf(kinds.stakeable), locked: sumsOf(kinds.locked) };
}

function sumsOf(held: readonly Held[]): Sums {
  const sums = new Map<string, [bigint, number]>();
  for (const { assetId, output } of held) {
    const sum = sums.get(assetId) ?? [0n, 0];
    sums.set(assetId, [sum[0] + ("amount" in output ? output.amount : 0n), sum[1] + 1]);
  }
  return Object.fromEntries([...sums].map(([id, [amount, count]]) => [formatId(id), [String(amount), count]]));
}

/** Adds sums, asset by asset. */
export function together(...all: readonly Sums[]): Sums {
  const sums: Record<string, [string, number]> = {};
  for (const [id, [amount, count]] of all.flatMap((one) => Object.entries(one))) {
    const [before, number] = sums[id] ?? ["0", 0];
    sums[id] = [String(BigInt(before) + BigInt(amount)), number + count];
  }
  return sums;
}
