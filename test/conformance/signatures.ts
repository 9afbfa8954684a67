import { formatId, parseIdText } from "../../core/formats/id-text.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { encodeUnsignedMessage } from "../../signatures/codec/unsigned-message.ts";
import { pChainMessage } from "../../signatures/derive/p-chain-message.ts";
import { judge } from "../support/oracle/warp-oracle.ts";
import type { ValidatorsAnswer } from "../support/recorded/warp-vectors.ts";
import { encodeLogData } from "../support/signatures/log-data.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { postJson, postText } from "./export-requests.ts";
import { type Rule, rule } from "./rule.ts";

const PATH = "/v1/signatureAggregator/fuji/aggregateSignatures";
const PRIMARY = "11111111111111111111111111111111LpoYY";
/** A subnet whose only validator with a BLS key has 450 of the weight 490, and a transaction about it. */
const SUBNET = "2emFV75wXcbs4Rnv3e4BgUKQW5u7vuteTj5qhgNCNMt87Q1bDg";
const TX_HASH = "Jt9XWxhNzZS3Q4ECMt1emhtCz8Hp3sHdgjA668ME6RshJeZro";
/** A subnet whose validators with a BLS key have 51 of the weight 111. */
const SUBNET_WITHOUT_QUORUM = "hLbHdDjfd1Rzyq9FhAnRMcfLsxhjXozZYrmrvodXnDk6kSSJ6";
const SUBNET_HEX = parseIdText(SUBNET);
const HEAD = 408;
const MEMBERS = "message, justification, signingSubnetId, quorumPercentage, quorumPercentageBuffer, pChainHeight";

const recording = openRecording(ALPHA);
const NETWORK_ID = recording.manifest.networkID;

/** A message that the recorded C-Chain sent, as hex without `0x`. */
const MESSAGE = (() => {
  const rpcPath = recording.manifest.chains.find(({ alias }) => alias === "C")?.rpcPath ?? "";
  const answer = recording.calls(rpcPath, "warp_getMessage").find(({ kind }) => kind === "result");
  return String(JSON.parse(answer?.text ?? "null")).slice("0x".length);
})();

type Members = Readonly<Record<string, unknown>>;

const withMessage = (members: Members = {}) => postJson({ message: MESSAGE, ...members });
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Checks an answer with other code than the service's, against the validators that the recorded node returned. */
function expectSigned(body: unknown, subnetID: string, quorum: number): void {
  expect(body).toEqual({ signedMessage: expect.stringMatching(/^([0-9a-f]{2})+$/) });
  const { signedMessage } = body as { readonly signedMessage: string };
  const validators = recording.answer("/ext/bc/P", "platform.getValidatorsAt", { subnetID, height: HEAD })?.text;
  const judgement = judge(
    Buffer.from(signedMessage, "hex"),
    JSON.parse(validators ?? "null") as ValidatorsAnswer,
    quorum,
  );
  expect(judgement).toMatchObject({ isValid: true });
}

async function signed(api: Api, path: string, init?: RequestInit): Promise<unknown> {
  const { status, body } = await api.get(path, init);
  expect([status, body]).toEqual([path.startsWith("/hosted") ? 201 : 200, expect.anything()]);
  return body;
}

function refusals(id: string, title: string, cases: readonly (readonly [members: unknown, message: string])[]): Rule {
  return rule(id, "CHOICE", title, async (api) => {
    for (const [members, message] of cases)
      for (const prefix of ["", "/hosted"])
        expect([members, ...(await api.refusal(prefix + PATH, postJson(members)))]).toEqual([members, 400, message]);
  });
}

const NOT_RUNNING = [503, "the signature service does not run, try again later"];

const MESSAGE_RULES: readonly Rule[] = [
  rule(
    "E1.1",
    "MUST",
    "returns the signed message as hex without 0x, which the recorded validators verify",
    async (api) => {
      const body = await signed(api, PATH, withMessage());
      expectSigned(body, PRIMARY, 67);
      expect(body).toMatchObject({ signedMessage: expect.stringMatching(`^${MESSAGE}`) });
    },
  ),
  rule("E1.2", "MUST", "returns 201 in the hosted dialect", async (api) => {
    expectSigned(await signed(api, `/hosted${PATH}`, withMessage()), PRIMARY, 67);
  }),
  rule("E1.3", "MUST", "takes every member, ids in CB58 and hex, and the data of a log", async (api) => {
    const data = `0x${hexOf(encodeLogData(Buffer.from(MESSAGE, "hex")))}`;
    for (const signingSubnetId of [PRIMARY, "00".repeat(32), `0x${"00".repeat(32)}`]) {
      const members = { signingSubnetId, justification: "0xff", pChainHeight: HEAD };
      for (const message of [MESSAGE, `0x${MESSAGE}`, data]) {
        const body = await signed(api, PATH, postJson({ ...members, message, quorumPercentage: 100 }));
        expectSigned(body, PRIMARY, 100);
        expect(body).toMatchObject({ signedMessage: expect.stringMatching(`^${MESSAGE}`) });
      }
    }
    expectSigned(
      await signed(api, PATH, withMessage({ quorumPercentage: 80, quorumPercentageBuffer: 20 })),
      PRIMARY,
      80,
    );
  }),
  rule("E1.4", "CHOICE", "takes the quorum 0 for the default, 67", async (api) => {
    expectSigned(await signed(api, PATH, withMessage({ quorumPercentage: 0 })), PRIMARY, 67);
  }),
  refusals("E1.5", "refuses a body without message and justification with 400", [
    [{}, "message or justification must be given, got neither"],
    [{ message: "", justification: "0x" }, "message or justification must be given, got neither"],
    [
      { quorumPercentage: 60, quorumPercentageBuffer: 60, signingSubnetId: "x" },
      "message or justification must be given, got neither",
    ],
  ]),
  refusals("E1.6", "refuses percentages outside of 0 to 100, and sums above 100, with 400", [
    [{ quorumPercentage: 101, pChainHeight: -1 }, "quorumPercentage must be an integer from 0 to 100, got 101"],
    [{ message: MESSAGE, quorumPercentage: 101 }, "quorumPercentage must be an integer from 0 to 100, got 101"],
    [{ message: MESSAGE, quorumPercentage: -1 }, "quorumPercentage must be an integer from 0 to 100, got -1"],
    [
      { message: MESSAGE, quorumPercentageBuffer: 101 },
      "quorumPercentageBuffer must be an integer from 0 to 100, got 101",
    ],
    [
      { message: MESSAGE, quorumPercentage: 80, quorumPercentageBuffer: 21 },
      "quorumPercentage and quorumPercentageBuffer must be at most 100 together, got 80 and 21",
    ],
    [
      { message: MESSAGE, quorumPercentageBuffer: 40 },
      "quorumPercentage and quorumPercentageBuffer must be at most 100 together, got 67 (the default) and 40",
    ],
  ]),
  refusals("E1.7", "refuses members of another type, null and unknown members with 400", [
    [{ message: 5 }, "message must be a string, got 5"],
    [{ message: null }, "message must be a string, got null"],
    [{ message: MESSAGE, signingSubnetId: 1 }, "signingSubnetId must be a string, got 1"],
    [{ message: MESSAGE, quorumPercentage: "67" }, 'quorumPercentage must be an integer from 0 to 100, got "67"'],
    [{ message: MESSAGE, quorumPercentage: 66.5 }, "quorumPercentage must be an integer from 0 to 100, got 66.5"],
    ...[-1, 1.5, 2 ** 53, "1"].map(
      (pChainHeight) =>
        [
          { message: MESSAGE, pChainHeight },
          `pChainHeight must be a non-negative integer of at most 53 bits, got ${JSON.stringify(pChainHeight)}`,
        ] as const,
    ),
    [{ message: MESSAGE, network: "fuji" }, `network is not a member; the members of the body are ${MEMBERS}`],
  ]),
  rule("E1.8", "CHOICE", "refuses a body that is not one JSON object with 400", async (api) => {
    const refused = (body: string) => api.refusal(PATH, postText(body));
    expect(await refused("")).toEqual([400, "the body must be an object, got an empty body"]);
    expect(await refused("[]")).toEqual([400, "the body must be an object, got []"]);
    expect(await refused("{")).toEqual([400, "the body must be JSON: unexpected EOF"]);
    expect(await refused('{"message":"00","pChainHeight":9007199254740993}')).toEqual([
      400,
      "pChainHeight must be a non-negative integer of at most 53 bits, got 9007199254740993",
    ]);
    expect(await refused('{"message":"00","message":"01"}')).toEqual([
      400,
      'message must be given once, got also "01"',
    ]);
  }),
  rule("E1.9", "MUST", "refuses messages that are malformed or of another network with 400", async (api) => {
    const refused = (members: Members) => api.refusal(PATH, postJson(members));
    const other = hexOf(
      encodeUnsignedMessage({ networkId: 1, sourceChainId: "11".repeat(32), payload: Buffer.alloc(0) }),
    );
    for (const [members, text] of [
      [{ message: "0xzz" }, /^message must .*hex.*0xzz/],
      [{ message: "abc" }, /^message must .*hex.*abc/],
      [{ message: "00".repeat(65_537) }, /^message must have at most 65536 bytes, got 65537/],
      [{ message: "0000" }, /^message /],
      [{ message: `${MESSAGE}00` }, /^message /],
      [{ justification: "0x1" }, /^justification must .*hex.*0x1/],
      [{ justification: "00" }, /^justification /],
      [{ message: other }, /^message .*network/],
      [{ message: MESSAGE, signingSubnetId: "x" }, /^signingSubnetId must .*got "x"/],
      [{ message: MESSAGE, pChainHeight: HEAD + 1 }, /^pChainHeight must be at most 408,.*got 409$/],
    ] as const)
      expect([members, ...(await refused(members))]).toEqual([members, 400, expect.stringMatching(text)]);
  }),
  rule("E1.10", "MUST", "returns 503 if the signature service does not run", (api) =>
    api.withoutSignatures(async () => {
      for (const prefix of ["", "/hosted"])
        expect(await api.refusal(prefix + PATH, withMessage())).toEqual(NOT_RUNNING);
    }),
  ),
  rule("E1.11", "MUST", "refuses an unknown network with 400, and one that is not served with 404", async (api) => {
    const refused = (network: string) => api.refusal(PATH.replace("fuji", network), withMessage());
    expect(await refused("local")).toEqual([400, 'network must be one of mainnet, fuji, testnet, got "local"']);
    expect(await refused("mainnet")).toEqual([404, 'network "mainnet" is not served; served networks: fuji']);
    expectSigned(await signed(api, PATH.replace("fuji", "testnet"), withMessage()), PRIMARY, 67);
  }),
  rule("E1.12", "MUST", "returns 404 for an unknown source chain and an unknown signing subnet", async (api) => {
    const sourceChainId = "11".repeat(32);
    const message = hexOf(encodeUnsignedMessage({ networkId: NETWORK_ID, sourceChainId, payload: Buffer.alloc(0) }));
    for (const prefix of ["", "/hosted"]) {
      const path = prefix + PATH;
      const id = formatId(sourceChainId);
      expect(await api.refusal(path, postJson({ message }))).toEqual([404, expect.stringContaining(id)]);
      const unknown = withMessage({ signingSubnetId: id });
      expect(await api.refusal(path, unknown)).toEqual([404, expect.stringMatching(`^signingSubnetId ${id} `)]);
    }
  }),
  rule("E1.13", "CHOICE", "returns 400 with the code if validators refuse the message for good", async (api) => {
    const weight = { validationId: "11".repeat(32), nonce: 2n ** 64n - 1n, weight: 0n };
    const message = hexOf(pChainMessage(NETWORK_ID, { type: "L1ValidatorWeight", ...weight }));
    const [status, text] = await api.refusal(PATH, postJson({ message }));
    expect([status, text]).toEqual([400, expect.stringMatching(/code 15: .*signature weight is insufficient: 67\*/)]);
  }),
  rule(
    "E1.14",
    "MUST",
    "returns 503 with the weights if validators with a BLS key cannot meet the quorum",
    async (api) => {
      for (const prefix of ["", "/hosted"])
        expect(await api.refusal(prefix + PATH, withMessage({ signingSubnetId: SUBNET_WITHOUT_QUORUM }))).toEqual([
          503,
          expect.stringMatching(/threshold of stake.*weight of 111.*have 51/),
        ]);
    },
  ),
  rule("E1.15", "CHOICE", "derives the message from a justification alone", async (api) => {
    const body = await signed(api, PATH, postJson({ justification: SUBNET_HEX }));
    expectSigned(body, SUBNET, 67);
  }),
];

const TRANSACTION_RULES: readonly Rule[] = [
  rule(
    "E2.1",
    "MUST",
    "returns the signed message of a transaction, which the validators of the L1 verify",
    async (api) => {
      expectSigned(await signed(api, `${PATH}/${TX_HASH}`), SUBNET, 67);
    },
  ),
  rule("E2.2", "MUST", "returns 201 in the hosted dialect", async (api) => {
    expectSigned(await signed(api, `/hosted${PATH}/${TX_HASH}`), SUBNET, 67);
  }),
  rule(
    "E2.3",
    "MUST",
    "refuses malformed ids and transactions without a message with 400, unknown ones with 404",
    async (api) => {
      const other = async (type: string) => {
        const { rows } = await api.pool.query("SELECT tx_hash FROM primary_transactions WHERE tx_type = $1 LIMIT 1", [
          type,
        ]);
        return formatId(rows[0].tx_hash.toString("hex"));
      };
      for (const prefix of ["", "/hosted"]) {
        const refused = (txHash: string) => api.refusal(`${prefix}${PATH}/${txHash}`);
        expect(await refused("x")).toEqual([400, expect.stringMatching(/^txHash must .*got "x"$/)]);
        expect(await refused(await other("CreateSubnetTx"))).toEqual([400, expect.stringContaining("CreateSubnetTx")]);
        expect(await refused(await other("CreateAssetTx"))).toEqual([400, expect.stringContaining("X-Chain")]);
        expect(await refused(formatId("11".repeat(32)))).toEqual([404, expect.stringMatching(/^txHash /)]);
      }
    },
  ),
  rule("E2.4", "MUST", "returns 503 if the signature service does not run", (api) =>
    api.withoutSignatures(async () => {
      for (const prefix of ["", "/hosted"])
        expect(await api.refusal(`${prefix}${PATH}/${TX_HASH}`)).toEqual(NOT_RUNNING);
    }),
  ),
];

/** All rules of E1 and E2. In the samples all validators have to sign, so that equal requests have equal answers. */
export const SIGNATURE_RULES: readonly Rule[] = [
  ...MESSAGE_RULES,
  ...everyRouteRules({
    id: "E1",
    path: PATH,
    body: JSON.stringify({ message: MESSAGE, quorumPercentage: 100 }),
    units: 20,
    statements: 10,
  }),
  ...TRANSACTION_RULES,
  ...everyRouteRules({ id: "E2", path: `${PATH}/${TX_HASH}`, units: 20, statements: 10 }),
];
