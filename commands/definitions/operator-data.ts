import { DATE_FORMATS, TYPES } from "../../exporter/command/arguments.ts";
import { type Command, command, LIST, TEXT } from "../program/command.ts";

const ANY_TIME = "may run; every running process uses the change within five seconds.";
const SECOND = "a second. If Moraine does not run, the embedded database is started and stopped again.";

const RULES = {
  "per-minute": {
    ...TEXT,
    describe: "rate limit in compute units per minute; none: no limit. Default of a new key: none",
  },
  "per-day": { ...TEXT, describe: "the same per day (UTC)" },
  network: {
    ...LIST,
    describe: "network that the key gives access to; can be repeated; all: every network. Default of a new key: all",
  },
  scope: {
    ...LIST,
    describe: "scope of the key, which the setting keyRequirements may require; can be repeated; none: no scope",
  },
} as const;
const KEY_NAME = { type: "string", demandOption: true, describe: "name of the key, as keys list prints it" } as const;

const keys = () => import("../keys.ts");
const abis = () => import("../abi.ts");
const prices = () => import("../prices.ts");

const KEY_COMMANDS: readonly Command[] = [
  command({
    name: "keys create",
    summary: "create an API key and print it",
    details: "It is stored as a hash, so it cannot be printed again.",
    service: ANY_TIME,
    duration: SECOND,
    options: {
      label: { ...TEXT, demandOption: true, describe: "what you call the key, such as the customer's name" },
      ...RULES,
    },
    examples: ["keys create --label wallet --per-minute 6000", "keys create --label explorer --network mainnet"],
    run: async ({ label, ...rules }, flags) => (await keys()).createKey(label, rules, flags),
  }),
  command({
    name: "keys list",
    summary: "print the name, label, state, date, limits, networks and scopes of every key",
    service: "may run",
    duration: SECOND,
    examples: ["keys list"],
    run: async (_values, flags) => (await keys()).listKeys(flags),
  }),
  command({
    name: "keys limit",
    summary: "replace limits, networks or scopes of a key",
    service: ANY_TIME,
    duration: SECOND,
    placed: { name: KEY_NAME },
    options: RULES,
    examples: ["keys limit k_4f1c --per-minute none"],
    run: async ({ name, ...rules }, flags) => (await keys()).limitKey(name, rules, flags),
  }),
  command({
    name: "keys revoke",
    summary: "make a key invalid",
    service: ANY_TIME,
    duration: SECOND,
    placed: { name: KEY_NAME },
    examples: ["keys revoke k_4f1c"],
    run: async ({ name }, flags) => (await keys()).revokeKey(name, flags),
  }),
];

const ABI_COMMANDS: readonly Command[] = [
  command({
    name: "abi add",
    summary: "add the ABI of a contract, by which calls, logs and errors are decoded",
    details: "Blocks of the past are decoded by it too.",
    service: ANY_TIME,
    duration: SECOND,
    placed: {
      chain: { type: "string", demandOption: true, describe: "EVM chain id; all: all chains" },
      address: {
        type: "string",
        demandOption: true,
        describe: "address of the contract, or, for a proxy, also that of its implementation; any: all contracts",
      },
      source: {
        type: "string",
        demandOption: true,
        describe:
          "file or URL of a JSON document: an ABI, or an object with the member abi or output.abi, such as artefacts of Hardhat and Foundry and answers of Sourcify",
      },
    },
    examples: [
      "abi add 43114 0x… build/Vault.json",
      "abi add 43114 0x… 'https://sourcify.dev/server/v2/contract/43114/0x…?fields=abi'",
      "abi add all any erc4626.json",
    ],
    run: async (values, flags) => (await abis()).addContractAbi(values, flags),
  }),
  command({
    name: "abi list",
    summary: "print the id, chain, contract, number of entries, source and date of every ABI",
    service: "may run",
    duration: SECOND,
    examples: ["abi list"],
    run: async (_values, flags) => (await abis()).listContractAbis(flags),
  }),
  command({
    name: "abi remove",
    summary: "remove an ABI",
    service: ANY_TIME,
    duration: SECOND,
    placed: { id: { type: "string", demandOption: true, describe: "id, as abi list prints it" } },
    examples: ["abi remove 3"],
    run: async ({ id }, flags) => (await abis()).removeContractAbi(id, flags),
  }),
];

const PRICE_COMMANDS: readonly Command[] = [
  command({
    name: "prices import",
    summary: "import prices of tokens from a file",
    details: "CSV or JSON with the columns asset, time, currency and value (docs/behaviour/prices.md).",
    service: ANY_TIME,
    duration: "about a second for 100,000 prices",
    placed: { file: { type: "string", demandOption: true, describe: "file whose name ends with .csv or .json" } },
    examples: ["prices import prices.csv"],
    run: async ({ file }, flags) => (await prices()).importFile(file, flags),
  }),
  command({
    name: "prices history",
    summary: "import past prices from the API of the setting prices.url",
    service: ANY_TIME,
    duration: "seconds to minutes, by the rate limit of the API",
    options: {
      asset: { ...TEXT, demandOption: true, describe: "id of the asset at the API, such as avalanche-2" },
      from: {
        ...TEXT,
        demandOption: true,
        describe: "first time: seconds since the epoch, or a date such as 2026-01-31",
      },
      to: { ...TEXT, describe: "last time. Default: now" },
    },
    examples: ["prices history --asset avalanche-2 --from 2026-01-01"],
    run: async (values, flags) => (await prices()).importHistory(values, flags),
  }),
];

export const EXPORT: Command = command({
  name: "export",
  summary: "export transactions into a CSV file",
  details:
    "If the command is interrupted, run it again with the same options: it follows the export that it started, and downloads the rest of the file. Until then, <file>.export.json beside the file has the id of the export.",
  service: "may run, and then runs the export. Otherwise the command exports what is indexed in the database.",
  duration: "about a second for 10,000 rows",
  options: {
    type: {
      ...TEXT,
      demandOption: true,
      choices: Object.keys(TYPES),
      describe:
        "evm: transactions, internal transactions and transfers of tokens. primary-network: what enters and leaves addresses on the P-, X- and C-Chain; -simple: with fewer columns; -staking: stakes and rewards",
    },
    address: {
      ...LIST,
      demandOption: true,
      describe:
        "address whose transactions are exported: 0x and 40 hex digits, or Bech32 for a primary network; can be repeated",
    },
    chain: {
      ...LIST,
      demandOption: true,
      describe: "EVM chain id or blockchain id; p-chain, x-chain or c-chain of a primary network; can be repeated",
    },
    from: { ...TEXT, describe: "first day in UTC, as YYYY-MM-DD, inclusive. Default: the first day with data" },
    to: { ...TEXT, describe: "last day in UTC, as YYYY-MM-DD, inclusive. Default: the last day with data" },
    out: {
      ...TEXT,
      demandOption: true,
      describe: "file to write. If it exists, it is replaced. Its directory must exist",
    },
    gzip: { type: "boolean", describe: "write a gzip file" },
    "date-format": {
      ...TEXT,
      choices: Object.keys(DATE_FORMATS),
      describe: "iso-8601: 2026-01-31T23:59:59Z, the default. date-time: 2026-01-31 23:59:59. Both are in UTC",
    },
    bom: {
      type: "boolean",
      describe: "begin the file with a byte order mark, by which some spreadsheets recognise UTF-8",
    },
    "exported-address": {
      type: "boolean",
      describe: "add the column ExportedAddress: the --address for which a row is listed",
    },
    url: {
      ...TEXT,
      describe: "base URL of a running service. Default: the one that the settings describe, if it answers",
    },
    key: { ...TEXT, describe: "API key for the running service" },
  },
  examples: [
    "export --type evm --address 0x… --chain 43114 --from 2026-01-01 --to 2026-01-31 --out file.csv",
    "export --type primary-network --address P-avax1… --chain p-chain --out file.csv",
  ],
  exitCodes: { 0: "the file is complete" },
  run: async (values, flags) => (await import("../export.ts")).exportFile(values, flags),
});

/** Commands for exports, keys, prices and ABIs. */
export const DATA_COMMANDS: readonly Command[] = [EXPORT, ...KEY_COMMANDS, ...PRICE_COMMANDS, ...ABI_COMMANDS];
