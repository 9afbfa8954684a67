import type { ClientBase } from "pg";

/** The connections of an export that reads several databases. */
interface CellClients {
  /** The main database, which has prices and ABIs. */
  readonly main: ClientBase;
  /** The database of an EVM chain. */
  evm(chainId: number): ClientBase;
  /** The database of a primary network. */
  primary(networkId: number): ClientBase;
}

/** Where an export reads its rows: one database, or those of its chains. */
export type RowClients = ClientBase | CellClients;

/** The connection to the main database. */
export const mainClient = (clients: RowClients): ClientBase => ("main" in clients ? clients.main : clients);

/** The connection to the database of an EVM chain. */
export const evmClient = (clients: RowClients, chainId: number): ClientBase =>
  "evm" in clients ? clients.evm(chainId) : clients;

/** The connection to the database of a primary network. */
export const primaryClient = (clients: RowClients, networkId: number): ClientBase =>
  "primary" in clients ? clients.primary(networkId) : clients;
