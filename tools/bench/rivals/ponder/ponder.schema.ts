import { index, onchainTable, primaryKey } from "ponder";

// The tables and indexes of Moraine that a chain of ERC-20 transfers fills, without those of its activity, holders and supplies.

export const transactions = onchainTable(
  "transactions",
  (t) => ({
    hash: t.hex().notNull(),
    blockNumber: t.bigint().notNull(),
    blockIndex: t.integer().notNull(),
    blockHash: t.hex().notNull(),
    blockTimestamp: t.bigint().notNull(),
    from: t.hex().notNull(),
    to: t.hex(),
    type: t.text().notNull(),
    status: t.text().notNull(),
    nonce: t.integer().notNull(),
    value: t.bigint().notNull(),
    gasLimit: t.bigint().notNull(),
    gasUsed: t.bigint().notNull(),
    cumulativeGasUsed: t.bigint().notNull(),
    gasPrice: t.bigint().notNull(),
    maxFeePerGas: t.bigint(),
    maxPriorityFeePerGas: t.bigint(),
    input: t.hex().notNull(),
    contractAddress: t.hex(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.blockNumber, table.blockIndex] }),
    byHash: index().on(table.hash),
    bySender: index().on(table.from, table.blockNumber, table.blockIndex),
    byRecipient: index().on(table.to, table.blockNumber, table.blockIndex),
  }),
);

export const logs = onchainTable(
  "logs",
  (t) => ({
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
    blockIndex: t.integer().notNull(),
    txHash: t.hex().notNull(),
    address: t.hex().notNull(),
    topic0: t.hex(),
    topic1: t.hex(),
    topic2: t.hex(),
    topic3: t.hex(),
    data: t.hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.blockNumber, table.logIndex] }),
    byAddress: index().on(table.address, table.blockNumber, table.logIndex),
  }),
);

export const transfers = onchainTable(
  "transfers",
  (t) => ({
    blockNumber: t.bigint().notNull(),
    logIndex: t.integer().notNull(),
    blockIndex: t.integer().notNull(),
    blockTimestamp: t.bigint().notNull(),
    blockHash: t.hex().notNull(),
    txHash: t.hex().notNull(),
    from: t.hex().notNull(),
    to: t.hex().notNull(),
    token: t.hex().notNull(),
    value: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.blockNumber, table.logIndex] }),
    bySender: index().on(table.from, table.blockNumber, table.logIndex),
    byRecipient: index().on(table.to, table.blockNumber, table.logIndex),
    byToken: index().on(table.token, table.blockNumber, table.logIndex),
  }),
);

export const balances = onchainTable(
  "balances",
  (t) => ({ token: t.hex().notNull(), address: t.hex().notNull(), balance: t.bigint().notNull() }),
  (table) => ({ pk: primaryKey({ columns: [table.token, table.address] }) }),
);
