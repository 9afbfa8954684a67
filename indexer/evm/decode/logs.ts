import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { storedData, storedEvent, storedTopic } from "../../../core/formats/stored-logs.ts";
import { BalanceChanges } from "./balance-changes.ts";
import type { ChainRules } from "./chain-rules.ts";
import { ICM_EVENTS, icmEventRow } from "./icm.ts";
import type { DecodedLogs, LogCollection } from "./log-rows.ts";
import { proxyUpgradeRow } from "./proxy-upgrades.ts";
import type { BlockColumns, Log } from "./shared-columns.ts";
import type { Row } from "./tables.ts";
import { TOKEN_EVENTS } from "./token-events.ts";

/** The rows of a block's logs, in order. Throws `BadUpstreamData`. */
export function decodeLogs(rules: ChainRules, columns: BlockColumns, logs: readonly Log[]): DecodedLogs {
  const collection: LogCollection = {
    columns,
    rules,
    rows: {
      evm_logs: [],
      erc20_transfers: [],
      erc721_transfers: [],
      erc1155_transfers: [],
      icm_events: [],
      evm_proxy_upgrades: [],
    },
    tokens: new Set(),
    nfts: new Map(),
    balances: new BalanceChanges(),
  };
  for (const log of logs) {
    collection.rows.evm_logs.push(logRow(columns, log));
    const [topic = ""] = log.topics;
    TOKEN_EVENTS[topic]?.(collection, log);
    const icm = ICM_EVENTS[topic];
    const row = icm && icmEventRow(columns, icm, log, rules.messengers);
    if (row) collection.rows.icm_events.push(row);
    const upgrade = proxyUpgradeRow(columns, log);
    if (upgrade) collection.rows.evm_proxy_upgrades.push(upgrade);
  }
  const nftItems = [...collection.nfts.values()];
  return {
    rows: collection.rows,
    tokens: [...collection.tokens],
    nftContracts: [...new Set(nftItems.map(({ address }) => address))],
    nftItems,
    balances: collection.balances.all(),
  };
}

function logRow(columns: BlockColumns, { index, transaction, address, topics, data }: Log): Row<"evm_logs"> {
  if (topics.length > 4) throw new BadUpstreamData(`a log has ${topics.length} topics`);
  const [event, second, third, fourth] = topics;
  return {
    block_number: columns.number,
    log_index: index,
    block_index: transaction.index,
    address,
    topic0: storedEvent(event),
    topic1: storedTopic(second),
    topic2: storedTopic(third),
    topic3: storedTopic(fourth),
    data: storedData(data),
  };
}
