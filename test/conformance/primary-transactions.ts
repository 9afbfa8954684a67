import { formatAddress } from "../../core/formats/bech32.ts";
import { decodeCb58 } from "../../core/formats/cb58.ts";
import type { OracleTransaction } from "../support/oracle/primary-oracle.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { blockchainRules, CHAIN_NAMES, networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";

type Chain = "P" | "X" | "C";

const pathOf = (blockchainId: string, network = "fuji"): string =>
  `/v1/networks/${network}/blockchains/${blockchainId}/transactions`;
const P = pathOf("p-chain");
const X = pathOf("x-chain");
const C = pathOf("c-chain");
const PATHS = { P, X, C } as const;

// biome-ignore lint/suspicious/noExplicitAny: answers, held against the contract before they are read
type Body = Record<string, any>;
interface Transaction extends Body {
  readonly txHash: string;
  readonly txType: string;
}
interface Page {
  readonly nextPageToken?: string;
  readonly transactions: readonly Transaction[];
}

/** Every item of a list, read with the largest page size. */
async function all(api: Api, path: string, query = ""): Promise<Transaction[]> {
  const found: Transaction[] = [];
  for (let token = ""; ; ) {
    const page = await api.body<Page>(`${path}?pageSize=100${query}${token}`);
    found.push(...page.transactions);
    if (!page.nextPageToken) return found;
    token = `&pageToken=${page.nextPageToken}`;
  }
}

const hashes = (transactions: readonly { readonly txHash: string }[]): string[] =>
  transactions.map(({ txHash }) => txHash);

/** Newest first. */
const expected = (api: Api, chain: Chain, matches: (tx: OracleTransaction) => boolean = () => true): string[] =>
  hashes(api.primary[chain].filter(matches).toReversed());

const owns = (owner: string) => (tx: OracleTransaction) => tx.owners.has(owner);
/** An owner with many transactions on each chain. */
const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";
const OTHER = "custom1n00p549qkx67aqelx2mvle8nxme3efqkuzxlzu";

const LIST: ListRoute = {
  id: "E5",
  path: C,
  spellings: [pathOf("yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp", "testnet"), pathOf(CHAIN_NAMES.C[1])],
  others: {
    chain: X,
    addresses: `${C}?addresses=${OTHER}`,
    sortOrder: `${C}?sortOrder=asc`,
    txTypes: `${C}?addresses=${OTHER}&txTypes=ImportTx`,
  },
  items: "transactions",
  key: ({ txHash }) => String(txHash),
  expected: (api) => expected(api, "C"),
};

const FILTER_RULES: readonly Rule[] = [
  rule("E5.1", "MUST", "refuses txTypes and timestamps without addresses with 400", async (api) => {
    for (const path of [P, X, C])
      for (const [name, value] of Object.entries({ txTypes: "BaseTx", startTimestamp: "1", endTimestamp: "9" }))
        for (const query of [`${name}=${value}`, `addresses=&l1ValidationId=&${name}=${value}`])
          expect(await api.refusal(`${path}?${query}`)).toEqual([
            400,
            `${name} is supported with addresses or l1ValidationId only, got neither`,
          ]);
  }),
  rule(
    "E5.22",
    "MUST",
    "returns 404 for an unknown chain or network, also with txTypes without addresses",
    async (api) => {
      for (const path of [pathOf("2ZW6HUePBW2dP7dBGa5stjXe1uvK9LwEgrjebDwXEyL5bDMWWS"), pathOf("p-chain", "mainnet")])
        for (const query of ["", "?txTypes=BaseTx", "?startTimestamp=1&pageSize=5", "?txTypes=BaseTx&sortOrder=asc"])
          expect([query, await api.refusal(path + query)]).toEqual([query, [404, expect.any(String)]]);
    },
  ),
  rule("E5.2", "MUST", "l1ValidationId can be combined with txTypes and timestamps", async (api) => {
    for (const [validationId, transactions] of await validations(api)) {
      const path = `&l1ValidationId=${validationId}`;
      expect(hashes(await all(api, P, path))).toEqual(hashes(transactions));
      for (const { txType, blockTimestamp: time } of transactions) {
        const only = (match: (tx: Transaction) => boolean) => hashes(transactions.filter(match));
        expect(hashes(await all(api, P, `${path}&txTypes=${txType}`))).toEqual(only((tx) => tx.txType === txType));
        const range = `${path}&startTimestamp=${time}&endTimestamp=${time + 1}`;
        expect(hashes(await all(api, P, range))).toEqual(only((tx) => tx["blockTimestamp"] === time));
      }
    }
  }),
  rule("E5.3", "CHOICE", "startTimestamp is inclusive and endTimestamp exclusive", async (api) => {
    for (const chain of ["P", "X", "C"] as const) {
      const path = PATHS[chain];
      const own = await all(api, path, `&addresses=${OTHER}`);
      const times = own.map(({ blockTimestamp }) => blockTimestamp as number);
      const first = times.at(-2) as number;
      const last = times[1] as number;
      const within = own.filter(({ blockTimestamp: time }) => time >= first && time < last);
      expect(within.length).toBeGreaterThan(2);
      for (const sortOrder of ["desc", "asc"]) {
        const query = `&addresses=${OTHER}&startTimestamp=${first}&endTimestamp=${last}&sortOrder=${sortOrder}`;
        const found = hashes(await all(api, path, query));
        expect(sortOrder === "asc" ? found.toReversed() : found).toEqual(hashes(within));
      }
      expect(await all(api, path, `&addresses=${OTHER}&startTimestamp=${first}&endTimestamp=${first}`)).toEqual([]);
      expect(await all(api, path, `&addresses=${OTHER}&startTimestamp=${2n ** 70n}`)).toEqual([]);
      expect(hashes(await all(api, path, `&addresses=${OTHER}&endTimestamp=${2n ** 70n}`))).toEqual(hashes(own));
    }
  }),
  rule("E5.4", "MUST", "txTypes filters by type and can be repeated", async (api) => {
    for (const chain of ["P", "X", "C"] as const)
      for (const types of [
        ["ImportTx"],
        ["ExportTx", "BaseTx"],
        ["ImportTx", "ExportTx", "ImportTx"],
        ["AdvanceTimeTx"],
      ]) {
        const query = `&addresses=${OTHER}${types.map((type) => `&txTypes=${type}`).join("")}`;
        const matches = (tx: OracleTransaction) => owns(OTHER)(tx) && types.includes(tx.txType);
        expect(hashes(await all(api, PATHS[chain], query))).toEqual(expected(api, chain, matches));
      }
    expect(await all(api, P, `&addresses=${OTHER}&txTypes=UNKNOWN`)).toEqual([]);
  }),
  rule("E5.5", "MUST", "refuses an unknown txType with 400", async (api) => {
    for (const bad of ["basetx", "BaseTx,ImportTx", "AddAutoRenewedValidatorTx", "0"])
      expect(await api.refusal(`${P}?addresses=${OWNER}&txTypes=BaseTx&txTypes=${bad}`)).toEqual([
        400,
        expect.stringMatching(`^txTypes must be one of AddValidatorTx, .+, got "${bad}"$`),
      ]);
  }),
  rule("E5.6", "MUST", "refuses a timestamp that is not a non-negative integer with 400", async (api) => {
    for (const name of ["startTimestamp", "endTimestamp"])
      for (const bad of ["-1", "1.5", "1e9", "now", "0x10"])
        expect(await api.refusal(`${P}?addresses=${OWNER}&${name}=${bad}`)).toEqual([
          400,
          expect.stringMatching(`^${name} must be a non-negative integer, got "`),
        ]);
  }),
  rule(
    "E5.7",
    "CHOICE",
    "l1ValidationId is CB58 or hex, works on the P-Chain only, and combines with addresses",
    async (api) => {
      const [[validationId, transactions] = ["", []]] = await validations(api);
      const hex = transactions[0]?.["l1ValidatorDetails"].find((one: Body) => one["validationId"] === validationId);
      expect(hashes(await all(api, P, `&l1ValidationId=${hex.validationIdHex}`))).toEqual(hashes(transactions));
      const ownersOf = new Map(api.primary.P.map(({ txHash, owners }) => [txHash, owners]));
      for (const owner of new Set(transactions.flatMap(({ txHash }) => [...(ownersOf.get(txHash) ?? [])])))
        expect(hashes(await all(api, P, `&l1ValidationId=${validationId}&addresses=${owner}`))).toEqual(
          hashes(transactions.filter(({ txHash }) => ownersOf.get(txHash)?.has(owner))),
        );
      expect(await all(api, P, `&l1ValidationId=${P_ID}`)).toEqual([]);
      for (const bad of ["x", hex.validationIdHex.slice(0, -1), `${validationId}1`])
        expect(await api.refusal(`${P}?l1ValidationId=${bad}`)).toEqual([
          400,
          `l1ValidationId must be a 32-byte id, as CB58 or hex, got "${bad}"`,
        ]);
      for (const path of [X, C])
        expect(await api.refusal(`${path}?l1ValidationId=${validationId}`)).toEqual([
          400,
          "l1ValidationId is for the P-Chain only, got it with another chain",
        ]);
    },
  ),
];

const P_ID = "11111111111111111111111111111111LpoYY";

/** L1 validations with the transactions that name them, newest first. */
async function validations(api: Api): Promise<[string, Transaction[]][]> {
  const of = new Map<string, Transaction[]>();
  for (const tx of await all(api, P))
    for (const { validationId } of tx["l1ValidatorDetails"] ?? [])
      of.set(validationId, [...(of.get(validationId) ?? []), tx]);
  expect(of.size).toBeGreaterThan(4);
  return [...of].sort(([, one], [, other]) => other.length - one.length).slice(0, 4);
}

const ADDRESS_RULES: readonly Rule[] = [
  rule("E5.8", "MUST", "addresses filters by owners of consumed or created outputs", async (api) => {
    for (const chain of ["P", "X", "C"] as const)
      for (const owner of [OWNER, OTHER])
        expect(hashes(await all(api, PATHS[chain], `&addresses=${owner}`))).toEqual(expected(api, chain, owns(owner)));
  }),
  rule(
    "E5.9",
    "MUST",
    "accepts addresses separated by commas, and lists a transaction of several of them once",
    async (api) => {
      for (const chain of ["P", "X", "C"] as const) {
        const either = (tx: OracleTransaction) => owns(OWNER)(tx) || owns(OTHER)(tx);
        const found = await all(api, PATHS[chain], `&addresses=${OWNER}%2C${OTHER}`);
        expect(hashes(found)).toEqual(expected(api, chain, either));
      }
    },
  ),
  rule("E5.10", "MUST", "accepts addresses with P-, X- or C- on any chain", async (api) => {
    const { text } = await api.get(`${P}?addresses=${OWNER},${OTHER}`);
    const spellings = [
      `P-${OWNER},X-${OTHER}`,
      `C-${OTHER},${OWNER}`,
      `${OWNER.toUpperCase()},%20P-${OTHER}%20`,
      `${OTHER},${OWNER},${OWNER},P-${OWNER}`,
    ];
    for (const same of spellings) expect((await api.get(`${P}?addresses=${same}`)).text).toBe(text);
  }),
  rule("E5.11", "MUST", "accepts EVM addresses on the C-Chain, in any letter case", async (api) => {
    const accounts = new Set(api.primary.C.flatMap(({ owners }) => [...owners].filter((one) => one.startsWith("0x"))));
    expect(accounts.size).toBeGreaterThan(2);
    for (const account of accounts) {
      const listed = expected(api, "C", owns(account));
      expect(hashes(await all(api, C, `&addresses=${account}`))).toEqual(listed);
      expect(hashes(await all(api, C, `&addresses=0x${account.slice(2).toUpperCase()}`))).toEqual(listed);
    }
    const [account] = accounts;
    for (const path of [P, X])
      expect(await api.refusal(`${path}?addresses=${OWNER},${account}`)).toEqual([
        400,
        `addresses may have 0x addresses on the C-Chain only, got "${account}"`,
      ]);
  }),
  rule(
    "E5.12",
    "MUST",
    "refuses an invalid address or one of another network with 400 and names it in the message",
    async (api) => {
      const foreign = "fuji1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zcjl8pk";
      for (const bad of ["x", "custom1", foreign, `Q-${OWNER}`, `-${OWNER}`, `${OWNER.slice(0, -1)}x`, "", "0x12"])
        for (const list of [`${OWNER},${bad}`, `${bad},${OWNER}`])
          expect(await api.refusal(`${P}?addresses=${list}`)).toEqual([
            400,
            expect.stringMatching(/^addresses must be Bech32 addresses of fuji \(custom1…, [^.]+, got /),
          ]);
      expect((await api.refusal(`${P}?addresses=,`))[0]).toBe(400);
    },
  ),
  rule("E5.13", "CHOICE", "returns an empty list for an address without transactions", async (api) => {
    const nobody = formatAddress({ chain: null, prefix: "custom", address: "00".repeat(20) });
    for (const path of [P, X, C]) expect(await all(api, path, `&addresses=${nobody}`)).toEqual([]);
    expect(await all(api, C, `&addresses=0x${"00".repeat(20)}`)).toEqual([]);
  }),
  rule(
    "E5.14",
    "MUST",
    "sortOrder sets the direction, newest first by default; refuses other values with 400",
    async (api) => {
      const found = hashes(await all(api, X));
      expect(found).toEqual(expected(api, "X"));
      expect(hashes(await all(api, X, "&sortOrder=desc"))).toEqual(found);
      expect(hashes(await all(api, X, "&sortOrder=asc"))).toEqual(found.toReversed());
      expect(await api.refusal(`${X}?sortOrder=ASC`)).toEqual([400, 'sortOrder must be one of asc, desc, got "ASC"']);
    },
  ),
  rule(
    "E5.15",
    "CHOICE",
    "a page ends before its outputs exceed 2,000 and has at least one transaction",
    async (api) => {
      const listed = expected(api, "C");
      for (const [counts, sizes] of [
        [[1_000, 800], [listed.length]],
        [
          [1_000, 1_001],
          [1, listed.length - 1],
        ],
        [
          [2_500, 5],
          [1, listed.length - 1],
        ],
        [
          [5, 2_500],
          [1, 1, listed.length - 2],
        ],
      ] as const) {
        await using _ = await withOutputs(api, listed.slice(0, 2), counts);
        const pages: string[][] = [];
        for (let token = ""; ; ) {
          const page = await api.body<Page>(`${C}?pageSize=100${token}`);
          pages.push(hashes(page.transactions));
          if (!page.nextPageToken) break;
          token = `&pageToken=${page.nextPageToken}`;
        }
        expect([counts, pages.map(({ length }) => length)]).toEqual([counts, sizes]);
        expect(pages.flat()).toEqual(listed);
      }
    },
  ),
];

/** Until it is disposed, C-Chain transactions consume this number of outputs, of which only one exists. */
async function withOutputs(
  { pool }: Api,
  txHashes: readonly string[],
  counts: readonly number[],
): Promise<AsyncDisposable> {
  const ids = txHashes.map((txHash) => Buffer.from(decodeCb58(txHash) as Uint8Array));
  const { rows } = await pool.query<{ tx_hash: Buffer; consumed: Buffer[] }>(
    "SELECT tx_hash, consumed_utxo_ids AS consumed FROM primary_transactions WHERE tx_hash = ANY ($1)",
    [ids],
  );
  const put = (txHash: Buffer, consumed: readonly Buffer[]) =>
    pool.query("UPDATE primary_transactions SET consumed_utxo_ids = $2 WHERE tx_hash = $1", [txHash, consumed]);
  for (const [index, id] of ids.entries()) await put(id, Array(counts[index]).fill(Buffer.alloc(32)));
  return {
    async [Symbol.asyncDispose]() {
      for (const { tx_hash, consumed } of rows) await put(tx_hash, consumed);
    },
  };
}

const STAKES = ["AddPermissionlessValidatorTx", "AddPermissionlessDelegatorTx"];
const VALIDATIONS = ["AddPermissionlessValidatorTx", "AddSubnetValidatorTx"];
const ABOUT_L1 = [
  "ConvertSubnetToL1Tx",
  "RegisterL1ValidatorTx",
  "SetL1ValidatorWeightTx",
  "DisableL1ValidatorTx",
  "IncreaseL1ValidatorBalanceTx",
];

/** P-Chain types that always have a field. No other type has it. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  startTimestamp: [...STAKES, "AddSubnetValidatorTx", "RewardValidatorTx"],
  endTimestamp: [...STAKES, "AddSubnetValidatorTx", "RewardValidatorTx"],
  delegationFeePercent: ["AddPermissionlessValidatorTx"],
  estimatedReward: STAKES,
  rewardAddresses: STAKES,
  nodeId: [...STAKES, ...VALIDATIONS, "RemoveSubnetValidatorTx", "RewardValidatorTx"],
  subnetId: [
    ...STAKES,
    ...VALIDATIONS,
    ...ABOUT_L1,
    "RemoveSubnetValidatorTx",
    "RewardValidatorTx",
    "CreateSubnetTx",
    "CreateChainTx",
    "TransferSubnetOwnershipTx",
  ],
  stakingTxHash: ["RewardValidatorTx"],
  subnetOwnershipInfo: ["CreateSubnetTx", "TransferSubnetOwnershipTx"],
  blockchainInfo: ["CreateChainTx"],
  l1ValidatorManagerDetails: ["ConvertSubnetToL1Tx"],
  l1ValidatorDetails: ABOUT_L1,
  sourceChain: ["ImportTx", "ExportTx"],
  destinationChain: ["ImportTx", "ExportTx"],
};
/** Types that can have a field. */
const SOMETIMES: Readonly<Record<string, readonly string[]>> = {
  rewardTxHash: STAKES,
  blsCredentials: ["AddPermissionlessValidatorTx"],
};

const CONTENT_RULES: readonly Rule[] = [
  rule("E5.16", "CHOICE", "has exactly the fields of the transaction type", async (api) => {
    const transactions = await all(api, P);
    expect(new Set(transactions.map(({ txType }) => txType)).size).toBe(16);
    for (const tx of transactions) {
      const { txType } = tx;
      for (const [field, types] of Object.entries(FIELDS))
        expect([txType, field, tx[field] !== undefined]).toEqual([txType, field, types.includes(txType)]);
      for (const [field, types] of Object.entries(SOMETIMES))
        if (!types.includes(txType)) expect([txType, field, tx[field]]).toEqual([txType, field, undefined]);
      expect(tx["amountStaked"].length > 0).toBe(STAKES.includes(txType));
    }
    for (const [field, types] of Object.entries(SOMETIMES))
      for (const type of types) expect(transactions.some((tx) => tx.txType === type && tx[field])).toBe(true);
  }),
  rule(
    "E5.17",
    "MUST",
    "returns the lists of outputs and amounts for every transaction, even if empty",
    async (api) => {
      const lists = [
        "consumedUtxos",
        "emittedUtxos",
        "value",
        "amountBurned",
        "amountStaked",
        "amountL1ValidatorBalanceBurned",
      ];
      for (const path of [P, X, C])
        for (const tx of await all(api, path)) for (const name of lists) expect(Array.isArray(tx[name])).toBe(true);
    },
  ),
  rule(
    "E5.18",
    "MUST",
    "names the consumer of a spent output and has no such fields for an unspent one",
    async (api) => {
      const consumers = new Map<string, Body>();
      const lists = await Promise.all([P, X, C].map((path) => all(api, path)));
      for (const tx of lists.flat()) for (const { utxoId } of tx["consumedUtxos"]) consumers.set(utxoId, tx);
      let spent = 0;
      for (const utxo of lists.flat().flatMap((tx) => tx["emittedUtxos"] as Body[])) {
        const by = consumers.get(utxo["utxoId"]);
        expect([utxo["consumingTxHash"], utxo["consumingBlockNumber"], utxo["consumingBlockTimestamp"]]).toEqual([
          by?.["txHash"],
          by?.["blockNumber"],
          by?.["blockTimestamp"],
        ]);
        spent += by ? 1 : 0;
      }
      expect(spent).toBeGreaterThan(500);
    },
  ),
  rule(
    "E5.19",
    "CHOICE",
    "a reward output has the block of the decision and the ID of the staking transaction",
    async (api) => {
      const rewarded = (await all(api, P)).filter(({ txType }) => txType === "RewardValidatorTx");
      const outputs = rewarded.flatMap((tx) =>
        (tx["emittedUtxos"] as Body[]).filter(({ rewardType }) => rewardType).map((utxo) => [tx, utxo] as const),
      );
      for (const [tx, utxo] of outputs) {
        expect(utxo).toMatchObject({ txHash: tx["stakingTxHash"], utxoType: "TRANSFER", staked: false });
        expect(Number(utxo["blockNumber"])).toBe(Number(tx["blockNumber"]) + 1);
      }
      expect(new Set(outputs.map(([, { rewardType }]) => rewardType))).toEqual(
        new Set(["VALIDATOR", "DELEGATOR", "VALIDATOR_FEE"]),
      );
    },
  ),
  rule("E5.20", "CHOICE", "value is the total of created outputs and credited C-Chain accounts", async (api) => {
    const sum = (list: readonly Body[]) => list.reduce((total, { amount }) => total + BigInt(amount), 0n);
    for (const tx of await all(api, C)) {
      const consumed = sum(tx["consumedUtxos"]);
      const value = sum(tx["value"]);
      const burned = sum(tx["amountBurned"]);
      if (tx.txType === "ImportTx") expect(consumed).toBe(value + burned);
      else expect(value).toBe(sum(tx["emittedUtxos"]));
      expect(value).toBeGreaterThan(0n);
    }
  }),
  rule("E5.21", "CHOICE", "names AVAX and other assets, including NFTs", async (api) => {
    const assets = new Map<string, Body>();
    for (const path of [P, X, C])
      for (const { emittedUtxos } of await all(api, path))
        for (const { asset } of emittedUtxos) assets.set(asset.assetId, asset);
    expect([...assets.values()].filter(({ name }) => name === "").length).toBe(0);
    expect(new Set([...assets.values()].map(({ type }) => type))).toEqual(new Set(["secp256k1", "nft"]));
    expect([...assets.values()].find(({ symbol }) => symbol === "AVAX")).toMatchObject({
      name: "Avalanche",
      denomination: 9,
      type: "secp256k1",
    });
  }),
];

/** Exactly 65 and 33 bytes in base64. */
function expectCredential(credential: Body): void {
  expect(Object.keys(credential).sort()).toEqual(["publicKey", "signature"]);
  const sizes = ["signature", "publicKey"].map((name) => Buffer.from(credential[name], "base64").byteLength);
  expect(sizes).toEqual([65, 33]);
}

const DIALECT_RULES: readonly Rule[] = [
  rule("E5.D5", "CHOICE", "X-Chain transactions have their own shape in the hosted dialect", async (api) => {
    const transactions = await all(api, `/hosted${X}`);
    expect(hashes(transactions)).toEqual(expected(api, "X"));
    for (const tx of transactions) {
      expect(tx["chainFormat"]).toBe("linear");
      expect([typeof tx["blockHeight"], typeof tx["timestamp"], typeof tx["memo"]]).toEqual([
        "number",
        "number",
        "string",
      ]);
      expect([tx["blockNumber"], tx["blockTimestamp"], tx["value"], tx["vertices"]]).toEqual(Array(4).fill(undefined));
      for (const utxo of [...tx["consumedUtxos"], ...tx["emittedUtxos"]]) {
        expect([typeof utxo.outputIndex, typeof utxo.locktime, utxo.txHash]).toEqual(["string", "number", undefined]);
        expect(utxo.credentials !== undefined).toBe(utxo.consumingTxHash !== undefined);
        for (const credential of utxo.credentials ?? []) expectCredential(credential);
      }
      for (const { credentials } of tx["consumedUtxos"]) expect(credentials.length).toBeGreaterThan(0);
      expect(tx["assetCreated"] !== undefined).toBe(tx.txType === "CreateAssetTx");
    }
    const kinds = new Set(transactions.flatMap((tx) => (tx["emittedUtxos"] as Body[]).map(({ utxoType }) => utxoType)));
    expect(kinds).toEqual(new Set(["transfer", "mint", "owned"]));
  }),
  rule("E5.D6", "CHOICE", "C-Chain transactions have their own shapes in the hosted dialect", async (api) => {
    const transactions = await all(api, `/hosted${C}`);
    expect(hashes(transactions)).toEqual(expected(api, "C"));
    const common = [
      "txHash",
      "blockHeight",
      "blockHash",
      "timestamp",
      "txType",
      "memo",
      "amountUnlocked",
      "amountCreated",
    ];
    const own: Readonly<Record<string, readonly string[]>> = {
      ImportTx: ["evmOutputs", "consumedUtxos"],
      ExportTx: ["evmInputs", "emittedUtxos"],
    };
    for (const tx of transactions)
      expect(Object.keys(tx).sort()).toEqual(
        [...common, "sourceChain", "destinationChain", ...(own[tx.txType] ?? [])].sort(),
      );
    for (const { evmInputs = [] } of transactions)
      for (const { credentials } of evmInputs) {
        expect(credentials).toHaveLength(1);
        expectCredential(credentials[0]);
      }
  }),
];

export const PRIMARY_TRANSACTION_RULES: readonly Rule[] = [
  ...FILTER_RULES,
  ...ADDRESS_RULES,
  ...CONTENT_RULES,
  ...DIALECT_RULES,
  ...paginationRules(LIST),
  ...networkRules("E5", (network) => pathOf("p-chain", network)),
  ...blockchainRules("E5", pathOf),
  ...everyRouteRules({
    id: "E5",
    path: P,
    units: 100,
    statements: 3,
    parameter: { name: "sortOrder", good: "desc", bad: "up" },
  }),
];
