import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Address, createTestClient, type Hex, http, publicActions, walletActions } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";
import { freePort } from "../support/node/listen.ts";
import type { Contract } from "./contracts.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const START_TIMEOUT_MS = 10_000;

/** The accounts that anvil funds, by index. */
export const ACCOUNTS: readonly Address[] = [0, 1, 2].map(
  (addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }).address,
);

export interface AnvilOptions {
  /** Chain id. Default: 31337. */
  readonly chainId?: number;
  /** Time of the genesis block, in seconds; another time makes another genesis. */
  readonly genesisSeconds?: number;
  /** File that keeps the chain across restarts; without it each start has a new chain. */
  readonly stateFile?: string;
}

/**
 * A live node that mines only on request, a second after the block before, so the same calls give the same
 * chain.
 */
export interface Anvil extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
  /** Ends the process; later requests are refused. */
  stop(): Promise<void>;
  /** Starts it again on the same port, with other options if any are given. */
  start(options?: AnvilOptions): Promise<void>;
  /** Mines this many blocks (1); the first contains the pending transactions. */
  mine(blocks?: number): Promise<void>;
  /** Replaces the newest blocks by as many others, which contain these transactions. */
  reorganise(depth: number, calls?: readonly Call[]): Promise<void>;
  /** Removes the newest blocks. */
  rollBack(depth: number): Promise<void>;
  /** Deploys a contract in its own block. */
  deploy(contract: Contract | undefined, args?: readonly unknown[]): Promise<Address>;
  /** Sends a transaction that waits for the next block. */
  send(call: Call): Promise<Hex>;
}

/** A transaction from one of `ACCOUNTS`. Default: the first. */
export interface Call {
  readonly from?: Address;
  readonly to?: Address;
  readonly data?: Hex;
  readonly value?: bigint;
}

type Client = ReturnType<typeof createClient>;

const createClient = (url: string) =>
  createTestClient({ mode: "anvil", chain: foundry, transport: http(url, { retryCount: 0 }), pollingInterval: 10 })
    .extend(publicActions)
    .extend(walletActions);

/** Starts anvil from its npm package on a free port of 127.0.0.1. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const client = createClient(url);
  let process = await run(client, port, options);
  const stop = () => end(process);
  const mine = (blocks = 1) => client.mine({ blocks });
  const send = ({ from = ACCOUNTS[0] as Address, ...call }: Call) =>
    client.sendTransaction({ account: from, gas: 5_000_000n, ...call });
  return {
    url,
    client,
    stop,
    async start(changed = options) {
      process = await run(client, port, changed);
    },
    mine,
    async reorganise(depth, calls = []) {
      const transactions = calls.map(({ from = ACCOUNTS[0], value = 0n, ...call }, i) => [
        { from, gas: "0x4c4b40", value: `0x${value.toString(16)}`, ...call },
        Math.floor((i * depth) / calls.length),
      ]);
      await ask(client, "anvil_reorg", [depth, transactions]);
    },
    rollBack: (depth) => ask(client, "anvil_rollback", [depth]),
    async deploy(contract, args = []) {
      if (!contract) throw new Error("no such contract");
      const account = ACCOUNTS[0] as Address;
      const hash = await client.deployContract({ ...contract, args, account, gas: 20_000_000n });
      await mine();
      const { contractAddress } = await client.getTransactionReceipt({ hash });
      return contractAddress as Address;
    },
    send,
    [Symbol.asyncDispose]: stop,
  };
}

/** For methods that viem's types do not know. */
async function ask(client: Client, method: string, params: readonly unknown[]): Promise<void> {
  await (client.request as (call: { method: string; params: readonly unknown[] }) => Promise<unknown>)({
    method,
    params,
  });
}

async function run(client: Client, port: number, options: AnvilOptions): Promise<ChildProcess> {
  const { chainId = 31_337, genesisSeconds = 1_700_000_000, stateFile } = options;
  const settings = ["--port", port, "--chain-id", chainId, "--timestamp", genesisSeconds].map(String);
  const state = stateFile ? ["--state", stateFile] : [];
  const anvil = spawn(binary(), ["--no-mining", "--silent", "--accounts", "3", ...settings, ...state], {
    stdio: "ignore",
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await client.getChainId().catch(() => null))) {
    if (anvil.exitCode !== null || Date.now() > deadline) throw new Error(`anvil did not start (${anvil.exitCode})`);
    await sleep(10);
  }
  await client.setBlockTimestampInterval({ interval: 1 });
  // Its clock restarts for any loaded state.
  const { timestamp } = await client.getBlock();
  await client.setNextBlockTimestamp({ timestamp: timestamp + 1n });
  return anvil;
}

/** The package's own start script looks in the same place. */
function binary(): string {
  const require = createRequire(import.meta.url);
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const manifest = `@foundry-rs/anvil-${process.platform}-${architecture}/package.json`;
  return join(require.resolve(manifest), "..", "bin", "anvil");
}

async function end(anvil: ChildProcess): Promise<void> {
  if (anvil.exitCode !== null || anvil.signalCode !== null) return;
  anvil.kill("SIGINT");
  await once(anvil, "exit");
}
