import { getAddress } from "viem";
import { sampled } from "../support/full.ts";
import type { FactRow } from "../support/oracle/fact-row.ts";
import type { Api } from "./api.ts";
import { chainIdRules } from "./chain-id.ts";
import { SPEC } from "./contract.ts";
import { everyRouteRules } from "./every-route.ts";
import { factsOf, listedInternals, type RecordedFacts, shownAddress, shownInternal } from "./recorded-facts.ts";
import { type Rule, rule } from "./rule.ts";

/** How many contracts of a chain `npm test` compares. */
const CONTRACTS = 20;
const CHAIN_IDS = [760011, 760012] as const;
const CURRENCIES = ["usd", "eur", "aud", "cad", "chf", "clp", "cny", "czk", "dkk", "gbp", "hkd", "huf", "jpy", "nzd"];

const pathOf = (chainId: string | number, address: string) =>
  `/v1/chains/${chainId}/contracts/${address}/transactions:getDeployment`;
/** Created by CREATE2 in a contract, destroyed in the same transaction, created again in the next, and destroyed again. */
const TWICE = "0x4faab96c58773472801912cfc9b4e6da495c2b9b";
const PATH = pathOf(760011, TWICE);

interface Side {
  readonly address: string;
}

interface Body {
  readonly erc20Transfers: readonly (Sides & {
    logIndex: number;
    value: string;
    erc20Token: Side & { name: string };
  })[];
  readonly erc721Transfers: readonly unknown[];
  readonly erc1155Transfers: readonly unknown[];
  readonly internalTransactions: readonly (Sides & { readonly internalTxType: string })[];
  readonly networkTokenDetails: { readonly networkToken: { readonly symbol: string } };
  readonly nativeTransaction: Sides & {
    readonly txHash: string;
    readonly baseFeePerGas: string;
    readonly method: { readonly callType: string; readonly methodHash: string; readonly methodName?: string };
  };
  readonly teleporterMessageInfo?: unknown;
}

interface Sides {
  readonly from: Side;
  readonly to: Side;
}

/** With addresses in place of descriptors. */
function bare<Item extends Sides>({ from, to, ...rest }: Item) {
  return { ...rest, from: from.address, to: to.address };
}

const get = (api: Api, chainId: number, address: string) => api.body<Body>(pathOf(chainId, address));

/** The action with that label, and the contracts that it created, in order. */
function madeBy(label: string, facts: RecordedFacts) {
  const action = facts.actions.get(label);
  if (!action) throw new Error(`no action ${label}`);
  const created = facts.evm_deployments.filter(({ tx_hash }) => tx_hash === action.txID);
  return { txID: action.txID, addresses: created.map(({ address }) => String(address)) };
}

/** The rows of the transaction among these rows. */
const of = (rows: readonly FactRow[], txHash: unknown) => rows.filter(({ tx_hash }) => tx_hash === txHash);

/** Properties of the transaction of E6 that are not columns of its row. */
const NOT_IN_ROW = new Set(["from", "to", "method", "baseFeePerGas"]);
const SHOWN = Object.entries(SPEC.components.schemas["NativeTransaction"]?.properties ?? {}).filter(
  ([name]) => !NOT_IN_ROW.has(name),
);

/** The expected transaction of E6, without what others than its row have. */
function shownTransaction(row: FactRow) {
  const values = SHOWN.map(([name, { examples }]) => {
    const value = row[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
    return [name, typeof examples?.[0] === "number" ? Number(value) : value] as const;
  });
  return {
    ...Object.fromEntries(values.filter(([, value]) => value !== null)),
    from: shownAddress(row["from_address"]),
    to: shownAddress(row["to_address"]),
  };
}

function shownTransfer(row: FactRow) {
  return {
    from: shownAddress(row["from_address"]),
    to: shownAddress(row["to_address"]),
    logIndex: Number(row["log_index"]),
    value: row["value"],
    token: shownAddress(row["token_address"]),
  };
}

const CONTENT_RULES: readonly Rule[] = [
  rule("E6.1", "MUST", "returns the complete deployment transaction of every contract", async (api) => {
    for (const chainId of CHAIN_IDS) {
      const { evm_deployments, evm_transactions } = factsOf(chainId);
      const last = new Map(evm_deployments.map(({ address, tx_hash }) => [String(address), tx_hash]));
      expect(last.size).toBeGreaterThan(70);
      const oracle = chainId === 760011 ? api.c : api.l1;
      const baseFees = new Map(oracle.blocks.map(({ blockNumber, baseFee }) => [blockNumber, baseFee]));
      for (const [address, txHash] of sampled([...last], CONTRACTS)) {
        const { method, baseFeePerGas, ...transaction } = (await get(api, chainId, address)).nativeTransaction;
        const [row = {}] = of(evm_transactions, txHash);
        expect(bare(transaction)).toEqual(shownTransaction(row));
        expect(baseFeePerGas).toBe(baseFees.get(String(row["block_number"])));
      }
    }
  }),
  rule(
    "E6.2",
    "MUST",
    "returns all transfers and internal transactions of the transaction, in execution order, or empty lists",
    async (api) => {
      for (const chainId of CHAIN_IDS) {
        const facts = factsOf(chainId);
        const last = new Map(facts.evm_deployments.map(({ address, tx_hash }) => [String(address), tx_hash]));
        for (const [address, txHash] of sampled([...last], CONTRACTS)) {
          const body = await get(api, chainId, address);
          const transfers = body.erc20Transfers.map(({ erc20Token, ...transfer }) => ({
            ...bare(transfer),
            token: erc20Token.address,
          }));
          expect(transfers).toEqual(of(facts.erc20_transfers, txHash).map(shownTransfer));
          expect(body.erc721Transfers).toHaveLength(of(facts.erc721_transfers, txHash).length);
          expect(body.erc1155Transfers).toHaveLength(of(facts.erc1155_transfers, txHash).length);
          expect(body.internalTransactions.map(bare)).toEqual(of(listedInternals(facts), txHash).map(shownInternal));
        }
      }
    },
  ),
  rule("E6.3", "MUST", "finds a contract that a transaction created directly", async (api) => {
    for (const chainId of CHAIN_IDS) {
      const { txID, addresses } = madeBy("evm-deploy GLD", factsOf(chainId));
      const { nativeTransaction, erc20Transfers } = await get(api, chainId, addresses[0] ?? "");
      expect(nativeTransaction.txHash).toBe(txID);
      expect(erc20Transfers).toMatchObject([{ erc20Token: { name: "Glacier Dollar" } }]);
    }
  }),
  rule(
    "E6.4",
    "MUST",
    "finds contracts that contracts created, by CREATE and CREATE2, also in constructors",
    async (api) => {
      const labels = [
        "evm-factory CREATE of an ERC-20",
        "evm-factory CREATE2 of an ERC-20",
        "evm-proxies: minimal clone",
      ];
      for (const label of [...labels, "evm-creates: two CREATEs", "evm-creates: CREATE3", "evm-deploy NestA"]) {
        const { txID, addresses } = madeBy(label, factsOf(760011));
        expect(addresses.length).toBeGreaterThan(0);
        for (const address of addresses) {
          const { nativeTransaction, internalTransactions } = await get(api, 760011, address);
          expect(nativeTransaction.txHash).toBe(txID);
          const isByItself = nativeTransaction.to.address === shownAddress(null) && address === addresses[0];
          const created = internalTransactions.map(({ to }) => to.address);
          expect(isByItself || created.includes(getAddress(address))).toBe(true);
        }
      }
    },
  ),
  rule("E6.5", "CHOICE", "returns the last deployment of an address that was deployed twice", async (api) => {
    const again = factsOf(760011).actions.get("evm-creates: again at the same address")?.txID;
    const first = factsOf(760011).actions.get("evm-ends: in the transaction of its creation")?.txID;
    const times = factsOf(760011).evm_deployments.filter(({ address }) => address === TWICE);
    expect(times.map(({ tx_hash }) => tx_hash)).toEqual([first, again]);
    expect((await get(api, 760011, TWICE)).nativeTransaction.txHash).toBe(again);
  }),
  rule("E6.6", "CHOICE", "returns the deployment of a contract that has destroyed itself since", async (api) => {
    for (const chainId of CHAIN_IDS) {
      const { evm_internal_transactions, evm_deployments } = factsOf(chainId);
      const gone = evm_internal_transactions.filter(
        ({ opcode, is_reverted }) => opcode === "SELFDESTRUCT" && is_reverted === "false",
      );
      const created = gone.filter(({ from_address }) =>
        evm_deployments.some(({ address }) => address === from_address),
      );
      expect(created.length).toBeGreaterThan(2);
      for (const { from_address } of created) await get(api, chainId, String(from_address));
    }
  }),
  rule(
    "E6.7",
    "CHOICE",
    "a contract creation has the zero address as recipient and an empty method hash",
    async (api) => {
      const { addresses } = madeBy("evm-deploy GLD", factsOf(760011));
      const { nativeTransaction } = await get(api, 760011, addresses[0] ?? "");
      expect(nativeTransaction.to).toEqual({ address: `0x${"0".repeat(40)}` });
      expect(nativeTransaction.method).toEqual({
        callType: "CONTRACT_CREATION",
        methodHash: "",
        methodName: "Contract Created",
      });
    },
  ),
  rule(
    "E6.8",
    "MUST",
    "for a contract that a contract created, the method hash is the selector of the transaction's call",
    async (api) => {
      const { addresses, txID } = madeBy("evm-factory CREATE of an ERC-20", factsOf(760011));
      const { nativeTransaction } = await get(api, 760011, addresses[0] ?? "");
      const input = of(factsOf(760011).evm_transactions, txID)[0]?.["input"];
      expect(nativeTransaction.method).toMatchObject({ callType: "CONTRACT_CALL", methodHash: input?.slice(0, 10) });
    },
  ),
  rule("E6.9", "MUST", "describes the chain's native token, and omits unknown prices", async (api) => {
    for (const currency of ["", ...CURRENCIES.map((one) => `?currency=${one}`)]) {
      const { networkTokenDetails } = await api.body<Body>(PATH + currency);
      expect(networkTokenDetails).toEqual({ networkToken: { name: "Avalanche", symbol: "AVAX", decimals: 18 } });
    }
  }),
];

const REFUSAL_RULES: readonly Rule[] = [
  rule("E6.10", "CHOICE", "returns 404 for an address that is not a contract, with that reason", async (api) => {
    const account = String(factsOf(760011).evm_transactions[0]?.["from_address"]);
    for (const address of [account, `0x${"1".repeat(40)}`, `0x${"0".repeat(40)}`])
      expect(await api.refusal(pathOf(760011, address))).toEqual([
        404,
        `address ${getAddress(address)} is not a contract that was created on chain 760011`,
      ]);
    const { addresses } = madeBy("evm-deploy GLD", factsOf(760011));
    expect((await api.refusal(pathOf(760012, addresses[0] ?? "")))[0]).toBe(404);
  }),
  rule(
    "E6.11",
    "CHOICE",
    "returns 404 for a contract address of a receipt if the creation failed, left no code, or destroyed itself",
    async (api) => {
      const labels = [
        "evm-fails: constructor reverts",
        "evm-fails: creation that reverts with value",
        "evm-fails: creation of code starting with 0xef",
        "evm-fails: creation of too much code",
        "evm-fails: creation out of gas for its code",
        "evm-fails: creation with an invalid opcode",
        "evm-creation of nothing",
        "evm-creation of nothing with value",
        "evm-creation that destroys itself",
      ];
      for (const chainId of CHAIN_IDS)
        for (const label of labels) {
          const { actions, evm_transactions } = factsOf(chainId);
          const [row] = of(evm_transactions, actions.get(label)?.txID);
          expect(row?.["contract_address"]).toMatch(/^0x/);
          expect((await api.refusal(pathOf(chainId, String(row?.["contract_address"]))))[0]).toBe(404);
        }
    },
  ),
  rule("E6.12", "CHOICE", "returns 404 for an internal creation that was reverted or left no code", async (api) => {
    const facts = factsOf(760011);
    const named = (label: string) =>
      of(listedInternals(facts), facts.actions.get(label)?.txID)
        .filter(({ opcode }) => opcode === "CREATE")
        .flatMap(({ to_address }) => to_address ?? []);
    const undone = [...named("evm-creates: CREATE undone"), ...named("evm-creates: CREATE of nothing")];
    expect(undone).toHaveLength(2);
    for (const address of undone) expect((await api.refusal(pathOf(760011, address)))[0]).toBe(404);
  }),
  rule("E6.13", "CHOICE", "accepts an address in any letter case, even with a wrong checksum", async (api) => {
    const { text } = await api.get(PATH);
    const mixed = [...TWICE.slice(2)].map((digit, at) => (at % 2 ? digit.toUpperCase() : digit)).join("");
    for (const same of [getAddress(TWICE), `0x${TWICE.slice(2).toUpperCase()}`, `0x${mixed}`])
      expect((await api.get(pathOf(760011, same))).text).toBe(text);
  }),
  rule("E6.14", "CHOICE", "refuses an invalid address with 400", async (api) => {
    for (const bad of ["0x12", TWICE.slice(2), `${TWICE}0`, "fuji1abc", "a%2Fb", "%00"])
      expect(await api.refusal(pathOf(760011, bad))).toEqual([
        400,
        expect.stringMatching(/^address must be 0x and 40 hex digits, got "/),
      ]);
  }),
  rule("E6.15", "MUST", "refuses an unknown currency with 400", async (api) => {
    for (const bad of ["btc", "USD", "us", "usd,eur", "null", "0"])
      expect(await api.refusal(`${PATH}?currency=${bad}`)).toEqual([
        400,
        `currency must be one of ${CURRENCIES.join(", ")}, got "${bad}"`,
      ]);
  }),
];

export const DEPLOYMENT_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...REFUSAL_RULES,
  ...chainIdRules("E6", (chainId) => pathOf(chainId, TWICE)),
  ...everyRouteRules({
    id: "E6",
    path: PATH,
    units: 20,
    statements: 3,
    parameter: { name: "currency", good: "eur", bad: "btc" },
  }),
];
