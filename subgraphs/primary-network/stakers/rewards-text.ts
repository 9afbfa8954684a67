import { decimalText } from "../../../core/formats/decimal.ts";
import { addressTexts } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { StakerRow } from "./rows.ts";

/** A rate in millionths as percent, such as `2` or `3.5`. */
export const percentText = (millionths: number): string => decimalText(BigInt(millionths), 4);

/** Bech32 addresses of a staker's reward owners, without duplicates. */
export const rewardAddresses = (network: ServedNetwork, { rewardAddresses }: StakerRow): readonly string[] =>
  addressTexts(network, rewardAddresses);
