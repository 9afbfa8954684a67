import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadIdentityFile } from "../../../signatures/p2p/identity/identity-file.ts";
import type { SignatureAnswer } from "../../../signatures/p2p/request-signatures.ts";
import { TIMINGS, type Timings } from "../../../signatures/p2p/timings.ts";
import { createSignatureTransport, type TransportOptions } from "../../../signatures/p2p/transport.ts";
import { createLogLines } from "../log-lines.ts";
import { createManualClock } from "./manual-clock.ts";
import { type NodeKeys, parseNodeKeys, TEST_NETWORK, type TestNode } from "./test-node.ts";

/** Certificates of the client and of some nodes, made once for a test file. */
export interface TestKeys {
  readonly client: NodeKeys;
  readonly nodes: readonly NodeKeys[];
}

export async function createTestKeys(nodes: number, unixSeconds: number): Promise<TestKeys> {
  const create = async () => {
    const directory = mkdtempSync(join(tmpdir(), "moraine-p2p-"));
    try {
      return parseNodeKeys(await loadIdentityFile(directory), unixSeconds);
    } finally {
      rmSync(directory, { recursive: true });
    }
  };
  const [client, ...others] = await Promise.all(Array.from({ length: nodes + 1 }, create));
  if (!client) throw new Error("no keys were made");
  return { client, nodes: others };
}

export type TestTransport = ReturnType<typeof createTestTransport>;

/** A transport whose clock stands still, with the addresses of the nodes. */
export function createTestTransport(
  { client }: TestKeys,
  unixSeconds: number,
  nodes: readonly Pick<TestNode, "nodeId" | "host" | "port">[],
  { timings, ...options }: Partial<Omit<TransportOptions, "timings">> & { readonly timings?: Partial<Timings> } = {},
) {
  const clock = createManualClock(unixSeconds);
  const { logger, lines } = createLogLines("info");
  const transport = createSignatureTransport({
    networkId: TEST_NETWORK,
    identity: client.identity,
    clientVersion: () => ({ name: "avalanchego", major: 1, minor: 14, patch: 2 }),
    allowPrivateAddresses: true,
    logger,
    clock,
    random: () => 0,
    timings: { ...TIMINGS, ...timings },
    ...options,
  });
  transport.addAddresses("node", nodes);
  return { transport, clock, lines };
}

/** Waits for a condition. Fails by the time limit of the test. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(2);
}

export async function collect(answers: AsyncIterable<SignatureAnswer>): Promise<SignatureAnswer[]> {
  const all: SignatureAnswer[] = [];
  for await (const answer of answers) all.push(answer);
  return all;
}
