import type { Express, RequestHandler } from "express";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { CONFIRMED_TIME, type ConfirmedTime } from "../../../subgraphs/primary-network/balances/confirmed-time.ts";
import { SUMS_OF_OUTPUTS } from "../../../subgraphs/primary-network/balances/sums.ts";
import { idText } from "../../../subgraphs/primary-network/identifiers/ids.ts";
import { parseAddresses } from "../../../subgraphs/primary-network/networks/addresses.ts";
import { chainIdText } from "../../../subgraphs/primary-network/networks/chains.ts";
import { bytea, byteaArray, MAX_BIGINT } from "../../../subgraphs/shared/rows/text-rows.ts";
import type { PrimaryDeps } from "./primary-deps.ts";
import { prepared } from "./statement.ts";
import { createTransactionsHandler } from "./transactions.ts";
import { createValidatorsHandler } from "./validators.ts";

/** Adds handlers of E5 and E8 on the P-Chain, and of E12. */
export function addPrimaryHandlers(app: Express, deps: PrimaryDeps): void {
  const chain = "/v1/networks/:network/blockchains/:blockchainId";
  app.get(`${chain}/transactions`, createTransactionsHandler(deps));
  app.get(`${chain}/balances`, createBalancesHandler(deps));
  app.get("/v1/networks/:network/validators/:nodeId", createValidatorsHandler(deps));
}

interface Sum extends Record<string, unknown> {
  readonly bucket: string;
  readonly otherChain: PrimaryChain;
  readonly assetId: string;
  readonly amount: string;
  readonly utxoCount: number;
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
  readonly type: string;
}

function createBalancesHandler({ pool, networks }: PrimaryDeps): RequestHandler {
  const head = prepared<ConfirmedTime & Record<string, unknown>>(pool, "head", CONFIRMED_TIME);
  const sums = prepared<Sum>(pool, "sums", SUMS_OF_OUTPUTS);

  return async (request, response) => {
    const network = await networks.require(request.params["network"] === "mainnet" ? "mainnet" : "fuji");
    if (request.params["blockchainId"] !== "p-chain")
      return void response.status(501).json({ message: "only p-chain is implemented" });
    const addresses = parseAddresses(network, String(request.query["addresses"]).split(","));
    const time = request.query["blockTimestamp"] as string | undefined;
    if (time !== undefined) {
      const [last] = await head([network.networkId, "P", byteaArray(addresses), [time], ["ImportTx"]]);
      if (BigInt(time) > BigInt(last?.time ?? 0) || (last && last.isProvisional !== null))
        return void response.status(400).json({ message: "balances are not known exactly at blockTimestamp" });
    }
    const rows = await sums([
      network.networkId,
      byteaArray(addresses),
      "P",
      time ?? Math.floor(Date.now() / 1_000),
      time ?? MAX_BIGINT,
      bytea(network.avaxAssetId),
    ]);
    const balances = (bucket: string) => rows.filter((row) => row.bucket === bucket).map(balanceOf);
    const exported = (bucket: string) =>
      rows
        .filter((row) => row.bucket === bucket)
        .map((row) => ({
          ...balanceOf(row),
          sharedWithChainId: chainIdText(network, row.otherChain),
          status: "pendingExport",
        }));
    response.json({
      balances: {
        unlockedUnstaked: balances("unlockedUnstaked"),
        unlockedStaked: balances("unlockedStaked"),
        lockedPlatform: balances("lockedPlatform"),
        lockedStakeable: balances("lockedStakeable"),
        lockedStaked: balances("lockedStaked"),
        pendingStaked: balances("pendingStaked"),
        atomicMemoryUnlocked: exported("atomicMemoryUnlocked"),
        atomicMemoryLocked: exported("atomicMemoryLocked"),
      },
      chainInfo: { chainName: "p-chain", network: network.network },
    });
  };
}

function balanceOf({ assetId, name, symbol, denomination, type, amount, utxoCount }: Sum) {
  return { assetId: idText(assetId), name, symbol, denomination, type, amount, utxoCount };
}
