import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import type { IcmMessageFilter } from "./types.ts";

/** A list of messages. */
export interface IcmMessageList extends Omit<IcmMessageFilter, "chains"> {
  /** Configured chains of which the messages are; null: those of all chains. */
  readonly chains: readonly EvmChainConfig[] | null;
  readonly order: SortOrder;
}
