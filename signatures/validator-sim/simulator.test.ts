import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ALPHA } from "../../recordings/replay-node.ts";
import { isFullRun } from "../../test/support/full.ts";
import { joinedPeer } from "../../test/support/signatures/raw-peer.ts";
import {
  L1_CHAIN,
  NODE_IDS,
  P_CHAIN,
  RECORDED_AT,
  type RecordedVector,
  recorded,
  recordedNetwork,
  SUBNET,
} from "../../test/support/signatures/recorded-network.ts";
import { rsaIdentity } from "./identity/tls-identity.ts";
import { isStakingCertificate } from "./peer/certificate-rules.ts";
import { type Population, type Simulator, startSimulator } from "./simulator.ts";

interface Vector extends RecordedVector {
  readonly pChainHeight: number;
  readonly validatorSet: { readonly raw: { readonly getValidatorsAt: unknown; readonly getAllValidatorsAt: unknown } };
  readonly minimal: { readonly signedMessage: string };
  readonly transaction: { readonly txID: string; readonly hex: string };
}
const vector = recorded<Vector>("c-chain-message");
const conversion = recorded<Vector>("p-conversion");

let simulator: Simulator;
beforeAll(async () => {
  const network = recordedNetwork();
  const txs = { [conversion.transaction.txID]: { bytes: conversion.transaction.hex.slice(0, -8) } };
  simulator = await startSimulator({ ...network, pChain: { ...network.pChain, txs }, aggregator: "honest" });
});
afterAll(() => simulator[Symbol.asyncDispose]());

async function call(path: string, method: string, params: unknown = {}, url = simulator.population.url) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url + path, { method: "POST", body });
  return (await response.json()) as { result?: unknown; error?: { message: string } };
}
const platform = (method: string, params: unknown = {}) => call("/ext/bc/P", `platform.${method}`, params);

describe("the simulator's node", () => {
  it("gives the recorded validator set of the primary network", async () => {
    const { getValidatorsAt, getAllValidatorsAt } = vector.validatorSet.raw;
    expect((await platform("getValidatorsAt", { height: "proposed" })).result).toEqual(getValidatorsAt);
    const all = (await platform("getAllValidatorsAt", { height: 1 })).result as {
      validatorSets: Record<string, unknown>;
    };
    expect(all.validatorSets[P_CHAIN]).toEqual(getAllValidatorsAt);
  });

  it("answers what signature collection asks", async () => {
    expect((await call("/ext/info", "info.getNetworkID")).result).toEqual({ networkID: "12345" });
    expect((await call("/ext/info", "info.getNodeVersion")).result).toMatchObject({ version: "avalanchego/1.14.2" });
    const [first] = simulator.population.nodes;
    expect((await call("/ext/info", "info.peers", { nodeIDs: [first!.nodeId] })).result).toMatchObject({
      numPeers: "1",
      peers: [{ nodeID: first!.nodeId, ip: `127.0.0.1:${first!.port}` }],
    });
    expect((await platform("getHeight")).result).toEqual({ height: "17" });
    expect((await platform("validatedBy", { blockchainID: L1_CHAIN })).result).toEqual({
      subnetID: "y6K9BjXV9iQr8W5aLNggkAd27UaiMwH8PEsvomi4UTgi6yPEr",
    });
    expect((await platform("getSubnet", { subnetID: SUBNET })).result).toMatchObject({ isPermissioned: false });
    expect((await platform("getCurrentValidators", { subnetID: SUBNET })).result).toMatchObject({
      validators: [{ balance: "1000000000" }, { balance: "0" }, { balance: "1000000000" }],
    });
    const { txID, hex } = conversion.transaction;
    expect((await platform("getTx", { txID })).result).toEqual({ tx: hex, encoding: "hex" });
  });

  it("refuses unknown things with the node's errors", async () => {
    const messages = await Promise.all([
      platform("getValidatorsAt", { height: 99_999 }),
      platform("getTx", { txID: P_CHAIN }),
      platform("validatedBy", { blockchainID: SUBNET }),
      platform("getL1Validator", { validationID: SUBNET }),
    ]);
    expect(messages.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining("current P-chain height (17) < requested P-Chain height (99999)"),
      "couldn't get tx: not found",
      expect.stringContaining("problem retrieving blockchain"),
      expect.stringContaining("not found"),
    ]);
  });

  it("shows deactivated validators as one without key", async () => {
    const set = (await platform("getValidatorsAt", { height: "proposed", subnetID: SUBNET })).result;
    expect(set).toMatchObject({ "NodeID-111111111111111111116DBWJs": { publicKey: null, weight: "30" } });
  });

  const aggregate = async (body: unknown, url = simulator.population.url) => {
    const response = await fetch(`${url}/aggregate-signatures`, { method: "POST", body: JSON.stringify(body) });
    const { "signed-message": signed, error } = (await response.json()) as Record<string, string | undefined>;
    return { status: response.status, signed, error };
  };

  it("aggregates as many signatures as the quorum needs", async () => {
    const { status, signed } = await aggregate({ message: vector.unsignedMessage });
    const minimal = vector.minimal.signedMessage;
    // All weights are equal, so any four of the five may sign. What comes before the bits of the signers does not depend on that.
    expect([status, signed?.length, signed?.slice(0, -194)]).toEqual([200, minimal.length, minimal.slice(0, -194)]);
  });

  it("refuses to aggregate what validators do not sign", async () => {
    expect(await aggregate({ message: `${vector.unsignedMessage}00` })).toMatchObject({ status: 400 });
    const other = vector.unsignedMessage.replace(/6e$/, "6f");
    expect(await aggregate({ message: other })).toMatchObject({
      status: 500,
      error: expect.stringContaining("threshold"),
    });
  });

  it.each(["below-quorum", "wrong-signature", "wrong-bits", "other-message"] as const)(
    "lies with %s",
    async (aggregator) => {
      await using liar = await startSimulator({ ...recordedNetwork(), aggregator });
      const honest = await aggregate({ message: vector.unsignedMessage });
      const lie = await aggregate({ message: vector.unsignedMessage }, liar.population.url);
      expect(lie.status).toBe(200);
      expect(lie.signed).toMatch(/^000000003039/);
      expect(lie.signed).not.toBe(honest.signed);
    },
  );
});

interface AlphaManifest {
  readonly seed: string;
  readonly networkID: number;
  readonly nodes: readonly { readonly name: string; readonly nodeID: string; readonly blsPublicKey: string }[];
}

describe("the population", () => {
  it("has the bundled network's node ids and keys, which follow from its seed", async () => {
    const { seed, networkID, nodes } = JSON.parse(readFileSync(`${ALPHA}/manifest.json`, "utf8")) as AlphaManifest; // the recording's own form
    const expected = nodes.map(({ nodeID, blsPublicKey }) => ({ nodeId: nodeID, publicKey: blsPublicKey.slice(2) }));
    await using one = await startSimulator({ seed, networkId: networkID, nodes: nodes.map(({ name }) => ({ name })) });
    expect(one.population.nodes).toMatchObject(expected);
  });

  it("shares keys, hides keys, and derives the rest from the seed", async () => {
    const config = {
      seed: "a",
      networkId: 5,
      nodes: [{ weight: 10 }, { keyOf: 0, weight: "5" }, { noKey: true, weight: 85 }],
    };
    await using one = await startSimulator(config);
    await using again = await startSimulator(config);
    const names = (population: Population) => population.nodes.map(({ nodeId, publicKey }) => [nodeId, publicKey]);
    expect(names(one.population)).toEqual(names(again.population));
    const all = (await call("/ext/bc/P", "platform.getAllValidatorsAt", { height: 1 }, one.population.url)).result;
    const [first, second] = one.population.nodes;
    expect(all).toEqual({
      validatorSets: {
        [P_CHAIN]: {
          validators: [{ publicKey: `0x${first!.publicKey}`, weight: "15", nodeIDs: [first!.nodeId, second!.nodeId] }],
          totalWeight: "100",
        },
      },
    });
  });

  (isFullRun ? it : it.skip)("can have RSA-4096 certificates that follow from the seed", async () => {
    const { certificate, nodeId } = rsaIdentity("a", "node1");
    expect(isStakingCertificate(certificate)).toBe(true);
    const nodes = [{ certificate: "rsa4096" as const }];
    await using one = await startSimulator({ seed: "a", networkId: 12_345, fixedTime: RECORDED_AT, nodes });
    expect(one.population.nodes[0]?.nodeId).toBe(nodeId);
    await using peer = await joinedPeer(one.population.nodes[0]!.port, RECORDED_AT);
    expect(peer.isClosed).toBe(false);
  });

  it("starts 100 nodes, each of which a peer can join", async () => {
    const nodes = Array.from({ length: 100 }, () => ({}));
    await using many = await startSimulator({
      seed: "many",
      networkId: 12_345,
      fixedTime: RECORDED_AT,
      addressProof: "point",
      nodes,
    });
    const { nodes: population } = many.population;
    expect(new Set(population.map(({ nodeId }) => nodeId)).size).toBe(100);
    const peers = await Promise.all([0, 50, 99].map((index) => joinedPeer(population[index]!.port, RECORDED_AT)));
    expect(many.report().filter(({ connections }) => connections === 1)).toHaveLength(3);
    await Promise.all(peers.map((peer) => peer[Symbol.asyncDispose]()));
  });
});

describe("the process", () => {
  const PROGRAM = fileURLToPath(new URL("main.ts", import.meta.url));

  it("reads its configuration, prints its population, takes changes, and ends with its standard input", async () => {
    const child = spawn(process.execPath, ["--import", "tsx", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.write(`${JSON.stringify({ ...recordedNetwork(), addressProof: "point" })}\n`);
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const population = JSON.parse(line) as Population; // the program's own output
    expect(population.nodes.map(({ nodeId }) => nodeId)).toEqual(NODE_IDS);
    const change = (path: string, body: unknown) =>
      fetch(`${population.url}/simulator/${path}`, { method: "POST", body: JSON.stringify(body) }).then((one) =>
        one.json(),
      );
    await change("faults", { node: 0, faults: [{ kind: "silent" }] });
    await change("p-chain", { height: 18 });
    expect((await call("/ext/bc/P", "platform.getHeight", {}, population.url)).result).toEqual({ height: "18" });
    expect(await change("report", {})).toMatchObject([{ requests: 0, violations: {} }, {}, {}, {}, {}]);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
