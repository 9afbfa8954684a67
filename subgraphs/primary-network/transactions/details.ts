/** Fields that only few types of transactions have, from the JSON column. IDs and addresses are `0x` hex. */
export interface Details {
  readonly subnetOwner?: Owner;
  readonly l1Manager?: { readonly blockchainId: string; readonly address: string };
  readonly l1Validators?: readonly L1Validator[];
  /** Potential reward for the first cycle of an auto-renewed validator. */
  readonly estimatedReward?: string;
  readonly evmInputs?: readonly Account[];
  readonly evmOutputs?: readonly Account[];
}

export interface Owner {
  readonly locktime: string;
  readonly threshold: number;
  readonly addresses: readonly string[];
}

/** State of an L1 validator after the transaction. */
export interface L1Validator {
  readonly validationId: string;
  readonly nodeId: string;
  readonly subnetId: string;
  readonly weight: string;
  readonly remainingBalance: string;
  readonly balanceChange?: string;
  readonly publicKey: string;
  readonly proofOfPossession: string;
}

/** A C-Chain account that an atomic transaction debits or credits. */
export interface Account {
  readonly address: string;
  readonly assetId: string;
  readonly amount: string;
}

const NO_DETAILS: Details = {};
/** Members that contain bytes. The column stores them as hex without `0x`. */
const BYTES = new Set([
  "validationId",
  "nodeId",
  "subnetId",
  "publicKey",
  "proofOfPossession",
  "blockchainId",
  "address",
  "assetId",
]);

/** Parses the JSON column `details`. */
export function parseDetails(text: string | null): Details {
  if (text === null || text === "{}") return NO_DETAILS;
  return JSON.parse(text, (name, value: unknown) => {
    if (typeof value === "string") return BYTES.has(name) ? `0x${value}` : value;
    return name === "addresses" ? (value as string[]).map((address) => `0x${address}`) : value;
  }) as Details;
}
