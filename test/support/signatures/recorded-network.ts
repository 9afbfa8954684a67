import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const FOLDER = fileURLToPath(new URL("../../../recordings/signatures/", import.meta.url));

/** A recorded file, as parsed JSON. */
export function recorded<Content>(name: string): Content {
  return JSON.parse(readFileSync(`${FOLDER}${name}.json`, "utf8")) as Content; // the caller names the recorded form
}

/** One message that the recorded validators were asked to sign, and what each answered. */
export interface RecordedVector {
  readonly sourceChainID: string;
  readonly unsignedMessage: string;
  readonly justification: string;
  readonly signingSubnet: string;
  readonly answers: readonly {
    readonly nodeID: string;
    readonly signature?: string;
    readonly errorCode?: number;
    readonly timeout?: boolean;
  }[];
}

export const P_CHAIN = "11111111111111111111111111111111LpoYY";
export const C_CHAIN = "2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC";
export const L1_CHAIN = "2F1PHbStyZHwjJtatztLr9XqTbcwMBJgTu8Pw2rmXM74W53DNE";
const X_CHAIN = "2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed";
const L1_SUBNET = "y6K9BjXV9iQr8W5aLNggkAd27UaiMwH8PEsvomi4UTgi6yPEr";
/** The subnet of the L1 whose manager is on the C-Chain. */
export const SUBNET = "6ea50b0cc898b6988dcffe958d4fbe60f35ca28acf1ff090d9c4934de71b1de3";
/** Validation ids of that L1: three of its conversion, one registered later. */
export const CONVERSION_VALIDATORS = [
  "02084a8308a2ce7dbed9c6ca0ed0d7939ec306cacbc323802b43b8be99bd2c95",
  "cb7e529d2c356f474e2f006191f9ba84a79b62ffb3de48ccae420714c0afde20",
  "6ae0ccf011ba0eb9a7168535e703a24b0495f94083630078fa201d75763c1652",
] as const;
export const REGISTERED_VALIDATOR = "b0470031f74576ad0af999505f4e06258a83ba7b16ae7147144933a01e219402";

/** When the recorded conversations were held, in Unix seconds. */
export const RECORDED_AT = 1_795_249_831;

/** Nodes of the local network in the order of their public staking keys. `L1_WEIGHTS` has their weights in the L1. */
export const NODE_IDS = [
  "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg",
  "NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ",
  "NodeID-NFBbbJ4qCmNaCzeW7sxErhvWqvEQMnYcN",
  "NodeID-GWPcbFJZFfZreETSoWjPimr846mXEKCtu",
  "NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5",
] as const;
const NODE_1_KEY = "900c9b119b5c82d781d4b49be78c3fc7ae65f2b435b7ed9e3a8b9a03e475edff86d8a64827fec8db23a6f236afbf127d";
const L1_WEIGHTS = [null, 50, 30, 20, null];

const hashOf = (name: string): string => recorded<RecordedVector>(name).unsignedMessage.slice(-64);
const messageOf = (name: string): string => recorded<RecordedVector>(name).unsignedMessage;

/** A validator of the L1 whose manager is on the C-Chain. */
export function l1Validator(weight: number, minNonce: number, balance = 1_000_000_000) {
  const publicKey = NODE_1_KEY;
  return { subnetId: SUBNET, nodeId: NODE_IDS[0], publicKey, weight, minNonce, balance };
}

/** Conversions of the two L1s. */
export const CONVERSIONS = {
  [SUBNET]: {
    conversionId: "a36ed67f442ad47ae5ffe8e0e6ff2b0a660f417600e5371ed98e4201e36ec281",
    managerChainId: C_CHAIN,
  },
  [L1_SUBNET]: {
    conversionId: "ee9dadbaafeba120f2de1aa97038518d895a9fcd4944049415c55aa8a2a7498f",
    managerChainId: L1_CHAIN,
  },
};

const l1Registration = z.string().parse(messageOf("l1-p-registration").slice(-66, -2));

/** Validators when the recorded conversations were held: one of the conversion removed, one disabled. */
export const LAST_VALIDATORS = {
  [CONVERSION_VALIDATORS[0]]: l1Validator(60, 0),
  [CONVERSION_VALIDATORS[2]]: l1Validator(30, 0, 0),
  [l1Registration]: l1Validator(5, 0),
};

/** Configuration of simulated validators with the recorded network's BLS keys and the content of its chains. */
export function recordedNetwork() {
  return {
    seed: "recorded",
    networkId: 12_345,
    fixedTime: RECORDED_AT,
    nodes: NODE_IDS.map((nodeId, index) => ({
      nodeId,
      blsSecret: Buffer.from(`AvalancheLocalNetworkValidator0${index + 1}`).toString("hex"),
      weight: "2000000000000000",
      subnets: [P_CHAIN, ...(L1_WEIGHTS[index] ? [{ subnetId: L1_SUBNET, weight: L1_WEIGHTS[index] }] : [])],
    })),
    chains: {
      [C_CHAIN]: {
        subnetId: P_CHAIN,
        vm: "coreth" as const,
        messages: [messageOf("c-chain-message")],
        blocks: [hashOf("c-chain-block-hash")],
      },
      [L1_CHAIN]: {
        subnetId: L1_SUBNET,
        vm: "subnet-evm" as const,
        messages: [messageOf("l1-message")],
        blocks: [hashOf("l1-block-hash")],
        uptimes: { ebdbaf67fc569ac04409efc7e09d0fe39ca29f4536f1173aed151cbc5846cbfe: 593 },
      },
      [X_CHAIN]: { subnetId: P_CHAIN, vm: "none" as const },
    },
    pChain: {
      height: 17,
      timestamp: RECORDED_AT,
      conversions: CONVERSIONS,
      l1Validators: LAST_VALIDATORS,
      expiries: [REGISTERED_VALIDATOR],
    },
  };
}
