import type { TxFees } from "./types.ts";

/** Fees that are the same on every network, in nAVAX. */
const COMMON_FEES = {
  txFee: "1000000",
  addPrimaryNetworkValidatorFee: "0",
  addPrimaryNetworkDelegatorFee: "0",
  addSubnetValidatorFee: "1000000",
  addSubnetDelegatorFee: "1000000",
};

const FUJI: TxFees = {
  ...COMMON_FEES,
  createAssetTxFee: "10000000",
  createSubnetTxFee: "100000000",
  transformSubnetTxFee: "1000000000",
  createBlockchainTxFee: "100000000",
};

const MAINNET: TxFees = {
  ...FUJI,
  createSubnetTxFee: "1000000000",
  transformSubnetTxFee: "10000000000",
  createBlockchainTxFee: "1000000000",
};

const OTHER: TxFees = { ...FUJI, createAssetTxFee: "1000000", transformSubnetTxFee: "100000000" };

const FEES: Readonly<Record<number, TxFees>> = { 1: MAINNET, 5: FUJI };

/** The answer of a network's nodes to `info.getTxFee`. It does not contain dynamic fees. */
export const txFees = (networkId: number): TxFees => FEES[networkId] ?? OTHER;
