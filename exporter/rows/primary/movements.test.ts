import type { Config } from "../../../core/config/config-schema.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { testConfig } from "../../../test/support/config.ts";
import { type ExportedRow, exportedRows, primaryRequest, withSource } from "../../../test/support/exported-rows.ts";
import { sampled } from "../../../test/support/full.ts";
import { servedCChain, servedNetworks } from "../../../test/support/indexed/alpha-network.ts";
import { allItems } from "../../../test/support/indexed/primary-lists.ts";
import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { describeAllRecordings } from "../../../test/support/recorded/primary-vectors.ts";
import type { LastBlock } from "../../export-source.ts";
import { addressesText } from "./network.ts";

const CHAINS = ["p-chain", "x-chain", "c-chain"] as const;
const LISTS = [
  "unlockedUnstaked",
  "unlockedStaked",
  "lockedPlatform",
  "lockedStakeable",
  "lockedStaked",
  "pendingStaked",
];
const ATOMIC = ["atomicMemoryUnlocked", "atomicMemoryLocked"];

interface Listed {
  readonly txHash: string;
  readonly txType: string;
  readonly blockNumber: string | null;
  readonly memo: string;
  readonly vertices: readonly { readonly hash: string }[] | null;
  readonly sourceChain: string | null;
  readonly destinationChain: string | null;
  readonly nodeId: string | null;
  readonly subnetId: string | null;
  readonly amountBurned: readonly AssetAmount[];
  readonly amountL1ValidatorBalanceBurned: readonly AssetAmount[];
  readonly consumedUtxos: readonly ListedUtxo[];
  readonly emittedUtxos: readonly ListedUtxo[];
  readonly evmInputs: readonly { readonly fromAddress: string }[] | null;
  readonly evmOutputs: readonly { readonly toAddress: string }[] | null;
}

interface AssetAmount {
  readonly symbol: string;
  readonly amount: string;
}

interface ListedUtxo {
  readonly utxoId: string;
  readonly txHash: string;
  readonly outputIndex: number;
  readonly addresses: readonly string[];
  readonly threshold: number;
  readonly assetId: string;
  readonly amount: string;
  readonly asset: { readonly name: string; readonly symbol: string };
  readonly createdOnChainId: string;
  readonly consumedOnChainId: string;
  readonly consumingTxHash: string | null;
  readonly consumingBlockNumber: string | null;
  readonly blockNumber: string;
  readonly platformLocktime: string | number;
  readonly stakeableLocktime: string | number | null;
  readonly staked: boolean;
  readonly utxoStartTimestamp: number | null;
  readonly utxoEndTimestamp: number | null;
  readonly rewardType: string | null;
  readonly outputKind: string;
}

const UTXO = `{ utxoId txHash outputIndex addresses threshold assetId amount asset { name symbol } createdOnChainId
  consumedOnChainId consumingTxHash consumingBlockNumber blockNumber platformLocktime stakeableLocktime staked
  utxoStartTimestamp utxoEndTimestamp rewardType outputKind }`;

/** All transactions of an address in the graph's list, oldest first. */
async function listed(opened: OpenedPrimary, chain: string, address: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let token: string | null = ""; token !== null; ) {
    const query = `{ list: primaryNetworkTransactions(network: FUJI, blockchainId: "${chain}", first: 100, after: "${token}", filter: { addresses: ["${address}"] }, orderBy: { direction: ASC }) { nextPageToken transactions: nodes { txHash txType blockNumber memo
      vertices { hash } sourceChain destinationChain nodeId subnetId amountBurned { symbol amount }
      amountL1ValidatorBalanceBurned { symbol amount }
      consumedUtxos ${UTXO} emittedUtxos ${UTXO} evmInputs { fromAddress } evmOutputs { toAddress } } } }`;
    const { list } = await opened.ask<{ list: { nextPageToken: string | null; transactions: Listed[] } }>(query);
    all.push(...list.transactions);
    token = list.nextPageToken;
  }
  return all;
}

const optional = (value: string | number | null): string => (value === null ? "" : String(value));

/** What the file must have of an output, by the graph's fields. */
function movement(chain: string, tx: Listed, utxo: ListedUtxo, FundTransferType: string) {
  const isReward = FundTransferType === "CREDIT" && utxo.rewardType !== null;
  const accounts = [
    ...(tx.evmInputs ?? []).map(({ fromAddress }) => fromAddress),
    ...(tx.evmOutputs ?? []).map(({ toAddress }) => toAddress),
  ];
  return {
    ChainName: chain,
    TxHash: tx.txHash,
    FundTransferType,
    BlockNumber: isReward ? utxo.blockNumber : optional(tx.blockNumber),
    Memo: tx.memo,
    VertexHash: optional(tx.vertices?.[0]?.hash ?? null),
    SourceChain: optional(tx.sourceChain),
    DestinationChain: optional(tx.destinationChain),
    NodeId: optional(tx.nodeId),
    SubnetId: optional(tx.subnetId),
    TxFee: "",
    L1ValidatorBalance: "",
    UtxoId: utxo.utxoId,
    OutputTxHash: utxo.txHash,
    OutputIndex: String(utxo.outputIndex),
    OutputKind: utxo.outputKind.toLowerCase(),
    AssetId: utxo.assetId,
    AssetName: utxo.asset.name,
    AssetSymbol: utxo.asset.symbol,
    Value: utxo.amount,
    Owners: utxo.addresses.join(";"),
    Threshold: String(utxo.threshold),
    Locktime: optional(utxo.platformLocktime),
    StakeableLocktime: optional(utxo.stakeableLocktime),
    StakeStartTimestamp: optional(utxo.utxoStartTimestamp),
    StakeEndTimestamp: optional(utxo.utxoEndTimestamp),
    RewardType: optional(utxo.rewardType),
    ConsumedTxHash: optional(utxo.consumingTxHash),
    ConsumedBlockNumber: optional(utxo.consumingBlockNumber),
    EvmAccounts: accounts.join(";"),
  };
}

function creditType(tx: Listed, utxo: ListedUtxo): string | null {
  // A RewardValidatorTx lists the outputs of the stake that ends.
  if (utxo.staked) return utxo.txHash === tx.txHash ? "CREDIT_STAKING_SET" : null;
  return utxo.createdOnChainId === utxo.consumedOnChainId ? "CREDIT" : "CREDIT_ATOMIC";
}

const avaxOf = (amounts: readonly AssetAmount[]): string =>
  amounts.find(({ symbol }) => symbol === "AVAX")?.amount ?? "";

function movementsOf(chain: string, tx: Listed, isExported: (utxo: ListedUtxo) => boolean, isPayer = false) {
  const debits = tx.consumedUtxos
    .filter(isExported)
    .map((utxo) =>
      movement(chain, tx, utxo, utxo.createdOnChainId === utxo.consumedOnChainId ? "DEBIT" : "DEBIT_ATOMIC"),
    );
  const credits = tx.emittedUtxos.filter(isExported).flatMap((utxo) => {
    const type = creditType(tx, utxo);
    return type === null ? [] : movement(chain, tx, utxo, type);
  });
  const [first, ...others] = [...debits, ...credits];
  if (first === undefined) return [];
  // The amounts of the transaction are in its first row if an exported address pays them.
  if (!isPayer && debits.length === 0) return [first, ...others];
  const L1ValidatorBalance = avaxOf(tx.amountL1ValidatorBalanceBurned);
  return [{ ...first, TxFee: avaxOf(tx.amountBurned), L1ValidatorBalance }, ...others];
}

const pick = (row: ExportedRow, like: object): ExportedRow =>
  Object.fromEntries(Object.keys(like).map((name) => [name, row[name] as string]));

const TEMPLATE = movement(
  "",
  { evmInputs: null, evmOutputs: null } as Listed,
  { asset: {}, addresses: [], outputKind: "" } as never,
  "",
);

/** The stake of an auto-renewed validator ends when it exits. Until then, the graph shows the end of the present cycle. */
const hasNoEnd = (row: ExportedRow | undefined): boolean =>
  row?.["TxType"] === "AddAutoRenewedValidatorTx" &&
  row["FundTransferType"] === "CREDIT_STAKING_SET" &&
  row["StakeEndTimestamp"] === "";

type Sums = Record<string, string>;

/** Sums of credits minus debits by chain and asset; of atomic memory by the chain that exported. Zero sums are left out. */
function sumsOfRows(rows: readonly ExportedRow[]): Sums {
  const sums = new Map<string, bigint>();
  for (const row of rows) {
    const type = row["FundTransferType"] ?? "";
    const isAtomic = type.endsWith("_ATOMIC");
    const key = `${isAtomic ? "atomic" : "own"} ${isAtomic ? row["CreatedOnChain"] : row["ChainName"]} ${row["AssetId"]}`;
    const value = BigInt(row["Value"] ?? "");
    sums.set(key, (sums.get(key) ?? 0n) + (type.startsWith("CREDIT") ? value : -value));
  }
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).map(([key, sum]) => [key, String(sum)]));
}

type Balances = Record<string, readonly { readonly assetId: string; readonly amount: string }[]>;

/** The same sums by E8. */
async function sumsOfBalances(opened: OpenedPrimary, address: string): Promise<Sums> {
  const all = (lists: readonly string[]) => lists.map((list) => `${list} { assetId amount }`).join(" ");
  const fields = CHAINS.map(
    (
      chain,
      index,
    ) => `c${index}: primaryNetworkBalances(network: FUJI, blockchainId: "${chain}", addresses: ["${address}"]) {
      balances { ... on OutputBalances { ${all(LISTS)} } ... on AtomicMemory { ${all(ATOMIC)} } } }`,
  );
  const data = await opened.ask<Record<string, { balances: Balances }>>(`{ ${fields.join(" ")} }`);
  const sums = new Map<string, bigint>();
  CHAINS.forEach((chain, index) => {
    for (const [list, balances] of Object.entries(data[`c${index}`]?.balances ?? {}))
      for (const { assetId, amount } of balances) {
        const key = `${ATOMIC.includes(list) ? "atomic" : "own"} ${chain} ${assetId}`;
        sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount));
      }
  });
  return Object.fromEntries([...sums].map(([key, sum]) => [key, String(sum)]));
}

describeAllRecordings(
  "the export of a primary network",
  (folder) => {
    let opened: OpenedPrimary;
    let config: Config;
    let networkId: number;
    let hrp: string;
    let owners: string[];
    let accounts: string[];

    beforeAll(async () => {
      const evmChains = servedCChain(folder).map((chain) => ({
        ...chain,
        networkToken: { ...chain.networkToken, priceId: "avax" },
      }));
      opened = await openPrimary(folder, { evmChains });
      config = { ...testConfig(), primaryNetworks: servedNetworks(folder), evmChains };
      ({ networkId, hrp } = opened.recording.network);
      const { rows } = await opened.database.pool.query<{ owner: string }>(
        "SELECT DISTINCT '0x' || encode(owner, 'hex') AS owner FROM utxos, unnest(addresses) AS owner ORDER BY 1",
      );
      owners = rows.map(({ owner }) => owner);
      const listedAccounts = await opened.database.pool.query<{ account: string }>(
        `SELECT DISTINCT '0x' || encode(address, 'hex') AS account FROM primary_address_transactions a WHERE chain = 'C'
        AND NOT EXISTS (SELECT FROM utxos WHERE a.address = ANY (addresses)) ORDER BY 1`,
      );
      accounts = listedAccounts.rows.map(({ account }) => account);
    });
    afterAll(() => opened?.[Symbol.asyncDispose]());

    const bech32 = (owner: string): string => addressesText(hrp, `\\x${owner.slice(2)}`);
    const rowsOf = (addresses: readonly string[], more: object = {}) =>
      exportedRows(opened.database.pool, primaryRequest({ networkId, addresses, ...more }), config);

    it("has each movement of an address in the graph's lists, in their order, and only these and the genesis", async () => {
      for (const owner of sampled(owners, 4)) {
        const address = bech32(owner);
        const expected = [];
        for (const chain of CHAINS)
          for (const tx of await listed(opened, chain, address))
            expected.push(...movementsOf(chain, tx, ({ addresses }) => addresses.includes(address)));
        const rows = await rowsOf([owner]);
        const ofTransactions = rows.filter(({ TxType }) => TxType !== "");
        expect(ofTransactions.map((row) => pick(row, TEMPLATE))).toEqual(
          expected.map((row, at) => (hasNoEnd(ofTransactions[at]) ? { ...row, StakeEndTimestamp: "" } : row)),
        );
      }
    });

    it("has credits minus debits that equal the balances of every address", async () => {
      for (const owner of sampled(owners, 12)) {
        const rows = await rowsOf([owner]);
        expect({ owner, sums: sumsOfRows(rows) }).toEqual({ owner, sums: await sumsOfBalances(opened, bech32(owner)) });
      }
    });

    it("has every movement of the atomic transactions of an account", async () => {
      for (const account of sampled(accounts, 3)) {
        const expected = (await listed(opened, "c-chain", account)).flatMap((tx) =>
          movementsOf(
            "c-chain",
            tx,
            () => true,
            tx.evmInputs?.some(({ fromAddress }) => fromAddress.toLowerCase() === account),
          ),
        );
        const rows = await rowsOf([], { evmAddresses: [account] });
        expect(rows.map((row) => pick(row, TEMPLATE))).toEqual(expected);
      }
    });

    it("has the price of AVAX at the time of a movement, as the graph has it of rewards", async () => {
      const { pool } = opened.database;
      await pool.query(
        `INSERT INTO prices SELECT 'avax', 'usd', t, 10 + t % 1000 / 7.0
         FROM (SELECT created_timestamp - 1 FROM utxos UNION SELECT consumed_timestamp - 1 FROM utxos) times (t)
         WHERE t IS NOT NULL`,
      );
      const rows = await exportedRows(pool, primaryRequest({ networkId, addresses: owners }), config);
      const rewards = await allItems(opened, {
        field: "rewards",
        items: "historicalRewards",
        filter: `filter: { addresses: [${owners.map((one) => `"${bech32(one)}"`)}] },`,
        fields: "utxoId reward { historicalPrice { value } }",
      });
      const prices = new Map(
        rewards.map(({ utxoId, reward }) => [
          utxoId,
          (reward as { historicalPrice: { value: string } | null }).historicalPrice?.value ?? "",
        ]),
      );
      const ofRewards = rows.filter(
        ({ RewardType, FundTransferType }) => RewardType !== "" && FundTransferType === "CREDIT",
      );
      expect(ofRewards.map(({ UtxoId, PriceUsd }) => [UtxoId, PriceUsd])).toEqual(
        ofRewards.map(({ UtxoId }) => [UtxoId, prices.get(UtxoId)]),
      );
      expect(new Set(rows.map(({ PriceUsd }) => PriceUsd)).size).toBeGreaterThan(1);
      const priceAt = new Map(
        rows.filter(({ PriceUsd }) => PriceUsd).map(({ BlockTimestamp, PriceUsd }) => [BlockTimestamp, PriceUsd]),
      );
      const isValue = (usd = "", amount = "", price = "") =>
        Math.abs(Number(usd) - Number(amount) * Number(price)) <= 1e-6 + Number(usd) * 1e-12;
      for (const { AssetSymbol, Amount, PriceUsd, ValueUsd, TxFee, TxFeeAmount, TxFeeUsd, BlockTimestamp } of rows) {
        expect(PriceUsd !== "").toBe(AssetSymbol === "AVAX");
        if (PriceUsd) expect(isValue(ValueUsd, Amount, PriceUsd)).toBe(true);
        expect(TxFee !== "").toBe(TxFeeUsd !== "");
        expect(Number(TxFeeAmount)).toBe(Number(TxFee) / 1e9);
        expect(isValue(TxFeeUsd, TxFeeAmount, priceAt.get(BlockTimestamp))).toBe(true);
      }
    });

    it("has a movement once if several of its owners are exported, whether lists are merged or rows sorted", async () => {
      const together = await rowsOf(owners);
      const keyOf = (row: ExportedRow) => `${row["FundTransferType"]} ${row["UtxoId"]}`;
      expect(new Set(together.map(keyOf)).size).toBe(together.length);
      const few = owners.slice(0, 5);
      const isOf = ({ Owners = "" }: ExportedRow) => few.some((owner) => Owners.split(";").includes(bech32(owner)));
      expect(new Set((await rowsOf(few)).map(keyOf))).toEqual(new Set(together.filter(isOf).map(keyOf)));
    });

    it("has the same rows from every position on, and counts them by day", async () => {
      const request = primaryRequest({ networkId, addresses: owners.slice(0, 3), evmAddresses: accounts.slice(0, 2) });
      await withSource(opened.database.pool, request, config, async ({ rows, countDays }) => {
        const all = await rows();
        const byDay = new Map<string, number>();
        for (const { BlockTime = "" } of all)
          byDay.set(BlockTime.slice(0, 10), (byDay.get(BlockTime.slice(0, 10)) ?? 0) + 1);
        const days = [...byDay].sort(([one], [other]) => (one < other ? -1 : 1));
        expect(await countDays()).toEqual(days.map(([date, count]) => ({ date, rows: count })));
        const { rows: seqs } = await opened.database.pool.query<{ position: string }>(
          `SELECT chain || ':' || tx_seq AS position FROM primary_transactions
         UNION SELECT unnest('{P:-1,X:-1}'::text[]) ORDER BY 1`,
        );
        for (const { position } of sampled(seqs, 6)) {
          const [chain = "", seq = ""] = position.split(":");
          const isAfter = (row: ExportedRow) => rankOf(row) > rankOf({ ChainName: NAMES[chain] ?? "" });
          const rest = await rows({ after: position });
          const ofLaterChains = all.filter(isAfter);
          const ofChain = all.filter(({ ChainName }) => ChainName === NAMES[chain]);
          const before = await txHashesUpTo(chain, seq);
          const after = ofChain.filter(({ TxHash = "", TxType }) => TxType !== "" && !before.has(TxHash));
          expect(rest).toEqual([...after, ...ofLaterChains]);
        }
      });
    });

    it("has the rows of each day in the export of that day, and no rows above the bounds", async () => {
      const { pool } = opened.database;
      const request = primaryRequest({ networkId, addresses: owners, evmAddresses: accounts });
      await withSource(pool, request, config, async ({ source, client, bounds, rows, countDays }) => {
        const ofDays = [];
        for (const { date } of await countDays())
          ofDays.push(...(await exportedRows(pool, { ...request, firstDate: date, lastDate: date }, config)));
        const all = await rows();
        expect(ofDays.map(rowKey).sort()).toEqual(all.map(rowKey).sort());
        const half = await Promise.all(bounds.map(halfOf));
        const isBelow = (chain = "", block = "") =>
          block === "" || Number(block) <= Number(half.find((bound) => NAMES[bound.chain] === chain)?.blockNumber);
        // An import whose export is above the bounds has no owner; on the C-Chain it is of the account.
        const hasOwner = (row: ExportedRow) =>
          row["FundTransferType"] !== "DEBIT_ATOMIC" ||
          row["ChainName"] === "c-chain" ||
          isBelow(row["CreatedOnChain"], row["CreatedBlockNumber"]);
        const below = all.filter((row) => isBelow(row["ChainName"], row["BlockNumber"]) && hasOwner(row));
        const counted = await source.countDays(client, half);
        expect(counted.reduce((sum, day) => sum + day.rows, 0)).toBe(below.length);
        expect([
          await source.areBlocksStillIndexed(client, bounds),
          await source.areBlocksStillIndexed(client, half),
        ]).toEqual([true, false]);
      });
    });

    /** A bound at half the height, as if no later block were indexed. */
    async function halfOf({ chain, blockNumber, blockHash }: LastBlock): Promise<LastBlock> {
      const half = String(Math.floor(Number(blockNumber) / 2));
      const { rows } = await opened.database.pool.query<{ count: string }>(
        "SELECT count(*) FROM primary_transactions WHERE chain = $1 AND (block_number IS NULL OR block_number <= $2)",
        [chain, half],
      );
      return { chain, blockNumber: half, blockHash, transactionCount: rows[0]?.count };
    }

    /** Transactions of a chain up to a position. */
    async function txHashesUpTo(chain: string, seq: string): Promise<Set<string>> {
      const { rows } = await opened.database.pool.query<{ tx: string }>(
        "SELECT encode(tx_hash, 'hex') AS tx FROM primary_transactions WHERE chain = $1 AND tx_seq <= $2",
        [chain, seq],
      );
      return new Set(rows.map(({ tx }) => formatId(tx)));
    }
  },
  { inShortForm: 1 },
);

const rowKey = (row: ExportedRow): string =>
  [row["ChainName"], row["TxHash"], row["FundTransferType"], row["UtxoId"]].join(" ");
const NAMES: Readonly<Record<string, string>> = { P: "p-chain", X: "x-chain", C: "c-chain" };
const rankOf = ({ ChainName }: ExportedRow): number => CHAINS.indexOf(ChainName as (typeof CHAINS)[number]);
