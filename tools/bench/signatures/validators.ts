import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseNodeId } from "../../../core/formats/id-text.ts";
import { createPartitionsOf } from "../../../indexer/shared/partitions.ts";
import { tryBecomeWriter } from "../../../indexer/shared/writer.ts";
import { encodePayload } from "../../../signatures/codec/payload.ts";
import { encodeUnsignedMessage, P_CHAIN_ID } from "../../../signatures/codec/unsigned-message.ts";
import { inSession } from "../database.ts";

/** Simulated validators in processes of their own, which have seen some messages. Disposing them ends the processes. */
export interface Validators extends AsyncDisposable {
  /** Base URL of a node that knows the addresses of some of them. */
  readonly nodeUrl: string;
  /** The addresses of all, as in the settings. */
  readonly peers: readonly Peer[];
  /** Unsigned messages in hex. All validators sign them. */
  readonly messages: readonly string[];
  /** Processor time that the processes have used, in milliseconds. Linux only. */
  cpuMs(): number;
}

export interface Peer {
  readonly nodeId: string;
  readonly host: string;
  readonly port: number;
}

export interface Population {
  readonly networkId: number;
  readonly count: number;
  readonly messages: number;
}

interface Member {
  readonly nodeId: string;
  readonly ip: string;
  readonly port: number;
  readonly publicKey: string;
  readonly weight: string;
}

const SCRIPT = fileURLToPath(new URL("../../../signatures/validator-sim/main.ts", import.meta.url));
const CHAIN_ID = "c0".repeat(32);
const PAYLOAD_BYTES = 200;

/**
 * Number of processes that the validators are divided among. A process signs one message after another, 0.4 to 0.6 ms each, while
 * real validators sign at the same time.
 */
const PROCESSES = 2;

interface Simulator extends AsyncDisposable {
  readonly url: string;
  readonly nodes: readonly Member[];
  cpuMs(): number;
}

/** Starts validators of a primary network, and stores their set as if the P-Chain had been indexed. */
export async function startValidators(url: string, { networkId, count, messages }: Population): Promise<Validators> {
  const sent = Array.from({ length: messages }, (_, index) => message(networkId, index));
  // Weights differ, as those of real validators.
  const nodes = Array.from({ length: count }, (_, index) => ({ weight: String(1_000 + (index % 100)) }));
  const parts = Array.from({ length: PROCESSES }, (_, part) =>
    nodes.filter((_node, index) => index % PROCESSES === part),
  );
  const simulators = await Promise.all(
    parts.map((some, part) => startSimulator(networkId, `bench ${part}`, some, sent)),
  );
  const members = simulators.flatMap((simulator) => simulator.nodes);
  await storeSet(url, networkId, members);
  return {
    nodeUrl: simulators[0]!.url, // there are two
    peers: members.map(({ nodeId, ip, port }) => ({ nodeId, host: ip, port })),
    messages: sent,
    cpuMs: () => simulators.reduce((sum, simulator) => sum + simulator.cpuMs(), 0),
    async [Symbol.asyncDispose]() {
      await Promise.all(simulators.map((simulator) => simulator[Symbol.asyncDispose]()));
    },
  };
}

async function startSimulator(
  networkId: number,
  seed: string,
  nodes: readonly { readonly weight: string }[],
  messages: readonly string[],
): Promise<Simulator> {
  const config = {
    seed,
    networkId,
    // Nobody checks the proofs of their addresses, and each takes 10 ms.
    addressProof: "point",
    nodes,
    chains: { [CHAIN_ID]: { subnetId: P_CHAIN_ID, vm: "coreth", messages } },
  };
  const child = spawn(process.execPath, [...process.execArgv, SCRIPT], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(`${JSON.stringify(config)}\n`);
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const population = JSON.parse(line) as { readonly url: string; readonly nodes: readonly Member[] };
  return {
    url: population.url,
    nodes: population.nodes,
    cpuMs: () => cpuMsOf(child),
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

function message(networkId: number, index: number): string {
  const content = Buffer.alloc(PAYLOAD_BYTES);
  content.writeUInt32BE(index);
  const payload = encodePayload({ type: "AddressedCall", sourceAddress: Buffer.alloc(20), payload: content });
  return Buffer.from(encodeUnsignedMessage({ networkId, sourceChainId: CHAIN_ID, payload })).toString("hex");
}

const HEIGHT = 1;
const NEVER = "9223372036854775807";

const SET = `INSERT INTO validator_weights (network_id, subnet_id, entry_id, block_number, until_block, weight, node_id, bls_public_key)
  SELECT $1, $2, node_id, 0, ${NEVER}, weight, node_id, public_key
  FROM unnest($3::bytea[], $4::numeric[], $5::bytea[]) AS member(node_id, weight, public_key)`;

const CHAIN = `INSERT INTO blockchains (network_id, blockchain_id, blockchain_seq, subnet_id, create_block_number,
    create_timestamp, vm_id, name, genesis_data)
  VALUES ($1, $2, 0, $3, 0, 0, $2, 'C-Chain', '')`;

const HEAD = `INSERT INTO primary_heads (network_id, chain, journal_seq, block_number, block_hash, container_id, block_timestamp,
    tx_count, rows_version)
  VALUES ($1, 'P', ${HEIGHT}, ${HEIGHT}, '', '', 0, 0, 0)`;

async function storeSet(url: string, networkId: number, members: readonly Member[]): Promise<void> {
  const writer = await tryBecomeWriter(url, "bench of signatures");
  if (!writer) throw new Error("the bench's database has another writer");
  await createPartitionsOf(writer, ["validator_weights", "blockchains"], networkId);
  await writer[Symbol.asyncDispose]();
  const subnetId = Buffer.from(P_CHAIN_ID, "hex");
  const nodeIds = members.map(({ nodeId }) => Buffer.from(parseNodeId(nodeId) ?? "", "hex"));
  const weights = members.map(({ weight }) => weight);
  const keys = members.map(({ publicKey }) => Buffer.from(publicKey, "hex"));
  await inSession(url, async (client) => {
    await client.query(SET, [networkId, subnetId, nodeIds, weights, keys]);
    await client.query(CHAIN, [networkId, Buffer.from(CHAIN_ID, "hex"), subnetId]);
    await client.query(HEAD, [networkId]);
    await client.query("ANALYZE validator_weights");
  });
}

const TICKS_PER_SECOND = 100;
/** Position of the fields for user and system time, after the name of the command. */
const TIMES_AT = 11;

function cpuMsOf({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user, system] = fields.slice(TIMES_AT).map(Number);
  return (((user ?? 0) + (system ?? 0)) * 1_000) / TICKS_PER_SECOND;
}
