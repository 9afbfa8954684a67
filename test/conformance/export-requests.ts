import type { Api } from "./api.ts";
import { type Rule, rule } from "./rule.ts";

export const EXPORT_PATH = "/v1/operations/transactions:export";

/** An account of the recorded C-Chain, and an address of the recorded primary network. */
export const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
export const ADDRESS = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";

export const EVM = "TRANSACTION_EXPORT_EVM";
export const PRIMARY = "TRANSACTION_EXPORT_PRIMARY_NETWORK";
export const STAKING = "TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING";

type Members = Readonly<Record<string, unknown>>;

/** An EVM export; `options` replaces some of its options. */
export const evmExport = (members: Members = {}, options: Members = {}): Members => ({
  type: EVM,
  options: { addresses: [WALLET], includeChains: ["760011"], ...options },
  ...members,
});

/** An export of the primary network. */
export const primaryExport = (members: Members = {}, options: Members = {}): Members => ({
  type: PRIMARY,
  options: { addresses: [ADDRESS], includeChains: ["p-chain", "x-chain", "c-chain"], ...options },
  ...members,
});

/** POSTs a body as it is. */
export const postText = (body: RequestInit["body"], headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  body: body ?? null,
  headers: { "content-type": "application/json", ...headers },
});

export const postJson = (body: unknown, headers?: Readonly<Record<string, string>>): RequestInit =>
  postText(JSON.stringify(body), headers);

/** Members in JSON text, some of them repeated. */
const TWICE = `{"type":"${EVM}","options":{"includeChains":["760011"],"addresses":["${WALLET}"],"addresses":[]}}`;

const NOT_A_DATE = "must be a date that exists, as YYYY-MM-DD, got";
const TYPES =
  "TRANSACTION_EXPORT_EVM, TRANSACTION_EXPORT_PRIMARY_NETWORK, TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE, TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING";
const OPTIONS = "addresses, cChainEvmAddresses, includeChains, compression";
const MEMBERS = "type, firstDate, lastDate, startDate, endDate, options";

type Refusal = readonly [body: unknown, message: string];

function refusals(id: string, title: string, cases: readonly Refusal[]): Rule {
  return rule(id, "CHOICE", title, async (api) => {
    for (const [body, message] of cases)
      expect([body, ...(await api.refusal(EXPORT_PATH, postJson(body)))]).toEqual([body, 400, message]);
  });
}

/** Rules for each invalid member of an export's body, with the message that REST sends. */
export const EXPORT_REQUEST_RULES: readonly Rule[] = [
  refusals("E3.20", "refuses an unknown, absent or wrong type with 400", [
    [{ options: {} }, "type must be given"],
    [evmExport({ type: "EVM" }), `type must be one of ${TYPES}, got "EVM"`],
    [evmExport({ type: null }), `type must be one of ${TYPES}, got null`],
    [{ type: EVM }, "options must be given"],
    [{ type: EVM, options: [] }, "options must be an object, got []"],
  ]),
  refusals("E3.21", "refuses members and options that it does not know with 400", [
    [evmExport({ foo: 1 }), `foo is not a member; the members of the body are ${MEMBERS}`],
    [evmExport({ file: {} }), `file is not a member; the members of the body are ${MEMBERS}`],
    [
      evmExport({}, { dateFormat: "DATE_TIME" }),
      `options.dateFormat is not a member; the members of options are ${OPTIONS}`,
    ],
    [evmExport({}, { foo: 1 }), `options.foo is not a member; the members of options are ${OPTIONS}`],
    [evmExport({}, { cChainEvmAddresses: [WALLET] }), `options.cChainEvmAddresses is not an option of ${EVM}`],
  ]),
  refusals("E3.22", "refuses dates that are malformed or do not exist with 400", [
    [evmExport({ firstDate: "2023-02-30" }), `firstDate ${NOT_A_DATE} "2023-02-30"`],
    [evmExport({ lastDate: "2023-5-1" }), `lastDate ${NOT_A_DATE} "2023-5-1"`],
    [evmExport({ startDate: "2023-05-01T00:00:00Z" }), `startDate ${NOT_A_DATE} "2023-05-01T00:00:00Z"`],
    [evmExport({ endDate: "" }), `endDate ${NOT_A_DATE} ""`],
    [evmExport({ firstDate: 20230501 }), "firstDate must be a string, got 20230501"],
  ]),
  refusals("E3.23", "refuses inverted ranges, and deprecated dates that differ, with 400", [
    [
      evmExport({ firstDate: "2023-05-02", endDate: "2023-05-01" }),
      'firstDate must not be after endDate, got firstDate "2023-05-02" and endDate "2023-05-01"',
    ],
    [
      evmExport({ startDate: "2023-05-02", endDate: "2023-05-01" }),
      'startDate must not be after endDate, got startDate "2023-05-02" and endDate "2023-05-01"',
    ],
    [
      evmExport({ firstDate: "2023-05-02", startDate: "2023-05-01" }),
      'firstDate and its deprecated name startDate must be equal if both are given, got firstDate "2023-05-02" and startDate "2023-05-01"',
    ],
  ]),
  refusals("E3.24", "refuses absent and empty lists, and addresses of the wrong form, with 400", [
    [{ type: EVM, options: { includeChains: ["760011"] } }, `options.addresses is required for ${EVM}`],
    [{ type: EVM, options: { addresses: [WALLET] } }, `options.includeChains is required for ${EVM}`],
    [evmExport({}, { addresses: [] }), "options.addresses must not be empty, got []"],
    [evmExport({}, { includeChains: [] }), "options.includeChains must not be empty, got []"],
    [evmExport({}, { addresses: WALLET }), `options.addresses must be a list, got "${WALLET}"`],
    [evmExport({}, { addresses: [WALLET, 5] }), "options.addresses[1] must be a string, got 5"],
    [
      evmExport({}, { addresses: [WALLET, ADDRESS] }),
      `options.addresses[1] must be an EVM address: 0x and 40 hex digits, got "${ADDRESS}"`,
    ],
    [
      primaryExport({}, { addresses: [WALLET] }),
      `options.addresses[0] must be a Bech32 address, optionally after P-, X- or C-, got "${WALLET}"`,
    ],
    [
      { type: STAKING, options: { includeChains: ["p-chain"] } },
      `options.addresses or options.cChainEvmAddresses is required for ${STAKING}`,
    ],
    [evmExport({}, { compression: "ZIP" }), 'options.compression must be one of NONE, GZIP, got "ZIP"'],
  ]),
  refusals("E3.25", "refuses unknown chains with 400", [
    [
      evmExport({}, { includeChains: ["760011", "1"] }),
      'options.includeChains[1] must be in the list of chains, got "1"',
    ],
    [
      primaryExport({}, { includeChains: ["P"] }),
      'options.includeChains[0] must be p-chain, x-chain, c-chain, or the blockchain id of such a chain, got "P"',
    ],
    [
      primaryExport({}, { includeChains: ["2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM"] }),
      'options.includeChains[0] must be a chain of a network that is served here (fuji), got "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM"',
    ],
  ]),
  rule("E3.26", "CHOICE", "refuses a body that is not one JSON object in UTF-8 with 400", async (api) => {
    const refused = (body: RequestInit["body"]) => api.refusal(EXPORT_PATH, postText(body));
    expect(await refused("")).toEqual([400, "the body must be an object, got an empty body"]);
    expect(await refused("[]")).toEqual([400, "the body must be an object, got []"]);
    expect(await refused("{")).toEqual([400, "the body must be JSON: unexpected EOF"]);
    expect(await refused("{}{}")).toEqual([400, "the body must be JSON: invalid character '{' after top-level value"]);
    expect(await refused(Buffer.from('{"type":"\xff"}', "latin1"))).toEqual([400, "the body must be UTF-8"]);
    expect(await refused(TWICE)).toEqual([400, "options.addresses must be given once, got also []"]);
  }),
  rule(
    "E3.27",
    "CHOICE",
    "refuses a body above the limit of 1 MiB for its size, or for the number of its values, and a large body within the limits with its first error",
    async (api) => {
      const bytes = 1 << 20;
      const refused = (text: string) => api.refusal(EXPORT_PATH, postText(text));
      const list = (length: number) => JSON.stringify(evmExport({}, { addresses: ["x".repeat(length)] }));
      const full = list(bytes - list(0).length);
      expect(full).toHaveLength(bytes);
      expect(await refused(full)).toEqual([
        400,
        `options.addresses[0] must be an EVM address: 0x and 40 hex digits, got "${"x".repeat(99)}…`,
      ]);
      expect(await refused(`${full} `)).toEqual([400, "the body must be of at most 1048576 bytes"]);
      const many = evmExport(
        {},
        { addresses: Array.from({ length: 15_000 }, (_, i) => `0x${String(i).padStart(40, "0")}`) },
      );
      expect(await refused(JSON.stringify(many))).toEqual([
        400,
        "options.addresses must have at most 1000 different addresses, got 15000",
      ]);
      expect(await refused("[".repeat(bytes))).toEqual([400, "the body must have at most 25,000 values"]);
      expect(await refused("[".repeat(15_000))).toEqual([
        400,
        "the body must be JSON: invalid character '[' exceeded max depth",
      ]);
    },
  ),
  rule(
    "E3.28",
    "CHOICE",
    "refuses a body with no or another content type, or another encoding, with 400",
    async (api) => {
      const send = (headers: Readonly<Record<string, string>>) => api.refusal(EXPORT_PATH, postText("{}", headers));
      expect(await send({ "content-type": "text/plain" })).toEqual([
        400,
        'content-type must be application/json, got "text/plain"',
      ]);
      // `fetch` adds no content type for bytes.
      expect(await api.refusal(EXPORT_PATH, { method: "POST", body: Buffer.from("{}") })).toEqual([
        400,
        "content-type must be application/json, got no content-type",
      ]);
      expect(await send({ "content-encoding": "gzip" })).toEqual([
        400,
        'content-encoding must be identity, got "gzip"',
      ]);
    },
  ),
];

/** Starts an export and returns its operation. */
export async function started(
  api: Pick<Api, "get">,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body: operation } = await api.get(EXPORT_PATH, postJson(body, headers));
  expect([status, operation]).toEqual([200, expect.anything()]);
  return operation as Readonly<Record<string, unknown>>;
}
