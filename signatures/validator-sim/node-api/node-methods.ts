import { createHash } from "node:crypto";
import { parseId } from "../../../core/formats/cb58.ts";
import { EMPTY_ID } from "../config.ts";
import { type SetMember, subnetsOf, validatorsAt } from "../population.ts";
import type { Simulation } from "../simulation.ts";
import { canonicalSetOf } from "./canonical-set.ts";

type Params = Readonly<Record<string, unknown>>;
type Method = (simulation: Simulation, params: Params) => unknown;

/** Thrown for errors of a method; nodes answer them with code -32000. */
export class MethodError extends Error {
  override readonly name = "MethodError";
}

/** The node's methods that signature collection needs, by path. */
export const METHODS: Readonly<Record<string, Readonly<Record<string, Method>>>> = {
  "/ext/info": {
    "info.getNetworkID": ({ config }) => ({ networkID: String(config.networkId) }),
    "info.getNodeVersion": ({ config }) => ({
      version: `avalanchego/${config.version.join(".")}`,
      databaseVersion: "v1.4.5",
      rpcProtocolVersion: "45",
      gitCommit: "",
      vmVersions: { platform: `v${config.version.join(".")}` },
    }),
    "info.peers": peers,
  },
  "/ext/bc/P": {
    "platform.getHeight": ({ pChain }) => ({ height: String(pChain().height) }),
    "platform.getValidatorsAt": (simulation, { subnetID = EMPTY_ID, height }) =>
      Object.fromEntries(membersAt(simulation, idOf(subnetID), height).map(memberEntry)),
    "platform.getAllValidatorsAt": (simulation, { height }) => ({ validatorSets: allSets(simulation, height) }),
    "platform.getCurrentValidators": currentValidators,
    "platform.getSubnet": subnet,
    "platform.validatedBy": validatedBy,
    "platform.getL1Validator": l1Validator,
    "platform.getTx": transaction,
  },
};

function peers({ nodes, config }: Simulation, { nodeIDs }: Params): unknown {
  const wanted = Array.isArray(nodeIDs) && nodeIDs.length > 0 ? new Set<unknown>(nodeIDs) : null;
  const found = nodes.filter(({ nodeId }) => !wanted || wanted.has(nodeId));
  return {
    numPeers: String(found.length),
    peers: found.map(({ nodeId, port, config: { subnets } }) => ({
      ip: `127.0.0.1:${port}`,
      publicIP: `127.0.0.1:${port}`,
      nodeID: nodeId,
      version: `avalanchego/${config.version.join(".")}`,
      observedUptime: "100",
      trackedSubnets: subnets.map(({ subnetId }) => subnetId).filter((subnetId) => subnetId !== EMPTY_ID),
      supportedACPs: [],
      objectedACPs: [],
      benched: [],
    })),
  };
}

function idOf(value: unknown): string {
  const id = typeof value === "string" ? parseId(value) : null;
  if (id === null) throw new MethodError("couldn't unmarshal an argument: not an id");
  return id;
}

function heightOf({ pChain }: Simulation, height: unknown): number {
  const tip = pChain().height;
  if (height === "proposed") return tip;
  const number = Number(height);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new MethodError("couldn't unmarshal an argument: not a height");
  if (number > tip)
    throw new MethodError(
      `failed to get validator set at ${number}: failed to fetch validator set at P-Chain height ${number}: current P-chain height (${tip}) < requested P-Chain height (${number})`,
    );
  return number;
}

function membersAt(simulation: Simulation, subnetId: string, height: unknown): SetMember[] {
  return validatorsAt(simulation.pChain(), simulation.nodes, subnetId, heightOf(simulation, height));
}

function memberEntry({ nodeId, publicKey, weight }: SetMember): [string, unknown] {
  return [nodeId, { publicKey: publicKey && `0x${publicKey.toString("hex")}`, weight: String(weight) }];
}

function allSets(simulation: Simulation, height: unknown): unknown {
  const subnets = [...subnetsOf(simulation.pChain(), simulation.nodes)];
  return Object.fromEntries(
    subnets.map((subnetId) => {
      const { validators, totalWeight } = canonicalSetOf(membersAt(simulation, subnetId, height));
      const entries = validators.map(({ publicKey, weight, nodeIds }) => ({
        publicKey: `0x${publicKey.toString("hex")}`,
        weight: String(weight),
        nodeIDs: nodeIds,
      }));
      return [subnetId, { validators: entries, totalWeight: String(totalWeight) }];
    }),
  );
}

function currentValidators(simulation: Simulation, { subnetID = EMPTY_ID }: Params): unknown {
  const subnetId = idOf(subnetID);
  const l1 = Object.entries(simulation.pChain().l1Validators).filter(
    ([, validator]) => validator.subnetId === subnetId,
  );
  if (l1.length > 0) return { validators: l1.map(([validationId, validator]) => l1Fields(validationId, validator)) };
  const members = membersAt(simulation, subnetId, "proposed");
  return {
    validators: members.map(({ nodeId, publicKey, weight }) => ({
      nodeID: nodeId,
      weight: String(weight),
      startTime: "0",
      endTime: "4102444800",
      connected: true,
      ...(publicKey ? { signer: { publicKey: `0x${publicKey.toString("hex")}` } } : {}),
    })),
  };
}

type L1Validator = ReturnType<Simulation["pChain"]>["l1Validators"][string];

function l1Fields(validationId: string, validator: L1Validator) {
  return {
    validationID: validationId,
    nodeID: validator.nodeId,
    publicKey: `0x${validator.publicKey.toString("hex")}`,
    weight: String(validator.weight),
    startTime: String(validator.startTime),
    minNonce: String(validator.minNonce),
    balance: String(validator.balance),
  };
}

function l1Validator({ pChain }: Simulation, { validationID }: Params): unknown {
  const id = idOf(validationID);
  const validator = pChain().l1Validators[id];
  if (!validator) throw new MethodError(`fetching L1 validator "${id}" failed: not found`);
  return { subnetID: validator.subnetId, ...l1Fields(id, validator), height: String(pChain().height) };
}

function subnet({ pChain }: Simulation, { subnetID }: Params): unknown {
  const subnetId = idOf(subnetID);
  const conversion = pChain().conversions[subnetId];
  return {
    isPermissioned: !conversion,
    controlKeys: [],
    threshold: "0",
    locktime: "0",
    subnetTransformationTxID: EMPTY_ID,
    conversionID: conversion?.conversionId ?? EMPTY_ID,
    managerChainID: conversion?.managerChainId ?? EMPTY_ID,
    managerAddress:
      conversion && conversion.managerAddress.length > 0 ? `0x${conversion.managerAddress.toString("hex")}` : null,
  };
}

function validatedBy({ config }: Simulation, { blockchainID }: Params): unknown {
  const chainId = idOf(blockchainID);
  const subnetID = chainId === EMPTY_ID ? EMPTY_ID : config.chains[chainId]?.subnetId;
  if (subnetID === undefined) throw new MethodError(`problem retrieving blockchain "${chainId}": not found`);
  return { subnetID };
}

function transaction({ pChain }: Simulation, { txID, encoding = "hex" }: Params): unknown {
  const tx = pChain().txs[idOf(txID)];
  if (!tx) throw new MethodError("couldn't get tx: not found");
  if (encoding === "json") return { tx: tx.json ?? {}, encoding };
  const checksum = encoding === "hexnc" ? Buffer.alloc(0) : sha256(tx.bytes).subarray(-4);
  return { tx: `0x${Buffer.concat([tx.bytes, checksum]).toString("hex")}`, encoding };
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
