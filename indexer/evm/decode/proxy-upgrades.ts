import type { BlockColumns, Log } from "./shared-columns.ts";
import type { Row } from "./tables.ts";

/** Events of EIP-1967 by which a proxy names the contract that it uses, by first topic (hex without `0x`). */
const EVENTS: Readonly<Record<string, "IMPLEMENTATION" | "BEACON">> = {
  /** keccak256("Upgraded(address)") */
  bc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b: "IMPLEMENTATION",
  /** keccak256("BeaconUpgraded(address)") */
  "1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e": "BEACON",
};

/** The row of a log by which a proxy, or a beacon of proxies, names its implementation or its beacon; null for other logs. */
export function proxyUpgradeRow(columns: BlockColumns, log: Log): Row<"evm_proxy_upgrades"> | null {
  const [event = "", address] = log.topics;
  const kind = EVENTS[event];
  if (kind === undefined || address === undefined || log.topics.length !== 2 || log.data !== "") return null;
  return {
    address: log.address,
    block_number: columns.number,
    log_index: log.index,
    kind,
    implementation_address: address.slice(24),
  };
}
