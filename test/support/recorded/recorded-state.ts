import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Recording } from "../../../recordings/recording.ts";
import type { RecordedChain } from "./node-chain.ts";

/** The native balance of an account after a block, as the node returned it. `amount` is null if the node returned an error. */
export interface RecordedBalance {
  readonly height: number;
  readonly address: string;
  readonly amount: bigint | null;
}

/** The result of `balanceOf` for an address after a block. `tokenId` is null for tokens without ids. */
export interface RecordedTokenBalance extends RecordedBalance {
  readonly token: string;
  readonly tokenId: string | null;
}

/** The state of a chain, as the node returned it to the recorded calls. */
export interface RecordedState {
  /** Results of `eth_getBalance`, in wei. */
  readonly balances: readonly RecordedBalance[];
  /** Results of `balanceOf`, in the token's smallest unit. */
  readonly tokenBalances: readonly RecordedTokenBalance[];
  /** Results of `ownerOf` of ERC-721 tokens; `owner` is null if the contract returned no owner. */
  readonly owners: readonly { readonly token: string; readonly tokenId: string; readonly owner: string | null }[];
  /** Addresses that had code after the last recorded block. */
  readonly withCode: ReadonlySet<string>;
}

interface Call {
  readonly path: string;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result?: string;
}

/** Reads the recorded state of a chain after its last block, at the other recorded heights, and in the snapshots. */
export function recordedState(recording: Recording, { recorded, name }: RecordedChain): RecordedState {
  const { rpcPath, height } = recorded;
  const atEnd = ["eth_getBalance", "eth_call", "eth_getCode"].flatMap((method) =>
    recording.calls(rpcPath, method).map((call) => ({
      height: heightIn(call.params, height),
      call: { path: rpcPath, method, params: call.params as unknown[], ...resultIn(call.kind, call.text) } as Call,
    })),
  );
  const inSnapshots = snapshots(recording, name).flatMap(({ height, calls }) =>
    calls.filter(({ path }) => path === rpcPath).map((call) => ({ height, call })),
  );
  const all = [...atEnd, ...inSnapshots];
  const of = (method: string) => all.filter(({ call }) => call.method === method);
  return {
    balances: of("eth_getBalance").map(({ height, call }) => ({
      height,
      address: String(call.params[0]).toLowerCase(),
      amount: call.result === undefined ? null : BigInt(call.result),
    })),
    tokenBalances: of("eth_call").flatMap(({ height, call }) => tokenBalance(height, call)),
    owners: of("eth_call").flatMap(({ call }) => owner(call)),
    withCode: new Set(
      of("eth_getCode")
        .filter(({ call }) => (call.result ?? "0x") !== "0x")
        .map(({ call }) => String(call.params[0]).toLowerCase()),
    ),
  };
}

/** Balances in the genesis: wei by address. */
export function genesisBalances({ folder }: Recording, name: "c" | "l1"): ReadonlyMap<string, bigint> {
  const text =
    name === "c"
      ? JSON.parse(gunzipSync(readFileSync(join(folder, "genesis.json.gz"))).toString()).cChainGenesis
      : readFileSync(join(folder, "l1-genesis.json"), "utf8");
  const { alloc }: { alloc: Record<string, { balance: string }> } = JSON.parse(text);
  return new Map(Object.entries(alloc).map(([address, { balance }]) => [`0x${address}`, BigInt(balance)]));
}

const heightIn = (params: unknown, end: number): number => {
  const block = (params as unknown[])[1];
  return typeof block === "string" && block.startsWith("0x") ? Number(block) : end;
};

const resultIn = (kind: string, text: string): { readonly result?: string } =>
  kind === "result" ? { result: JSON.parse(text) } : {};

function snapshots(
  recording: Recording,
  name: "c" | "l1",
): { readonly height: number; readonly calls: readonly Call[] }[] {
  const folder = join(recording.folder, "snapshots");
  return readdirSync(folder).flatMap((file) => {
    const [first = "", ...lines] = gunzipSync(readFileSync(join(folder, file)))
      .toString()
      .split("\n");
    const { heights, consistent }: { heights: Record<string, number>; consistent: boolean } = JSON.parse(first);
    const height = heights[name];
    if (height === undefined || !consistent) return [];
    const calls = lines.filter((line) => line.includes('"method":"eth_')).map((line): Call => JSON.parse(line));
    return [{ height, calls }];
  });
}

const BALANCE_OF = "0x70a08231";
const BALANCE_OF_ID = "0x00fdd58e";
const OWNER_OF = "0x6352211e";

interface ContractCall {
  readonly to: string;
  readonly selector: string;
  readonly words: readonly string[];
}

function contractCallOf({ params }: Call): ContractCall {
  const { to, data = "0x" } = params[0] as { readonly to: string; readonly data?: string };
  return { to: to.toLowerCase(), selector: data.slice(0, 10), words: data.slice(10).match(/.{64}/g) ?? [] };
}

function tokenBalance(height: number, call: Call): RecordedTokenBalance[] {
  const { to, selector, words } = contractCallOf(call);
  if (selector !== BALANCE_OF && selector !== BALANCE_OF_ID) return [];
  const amount = call.result?.length === 66 ? BigInt(call.result) : null;
  const tokenId = selector === BALANCE_OF_ID ? BigInt(`0x${words[1]}`).toString() : null;
  return [{ height, token: to, tokenId, address: `0x${words[0]?.slice(24)}`, amount }];
}

function owner(call: Call): RecordedState["owners"][number][] {
  const { to, selector, words } = contractCallOf(call);
  if (selector !== OWNER_OF) return [];
  const owner = call.result?.length === 66 ? `0x${call.result.slice(26)}` : null;
  return [{ token: to, tokenId: BigInt(`0x${words[0]}`).toString(), owner }];
}
