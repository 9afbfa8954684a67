import { RECORDED_RESULT } from "../support/signatures/protocol-server.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { postJson, postText } from "./export-requests.ts";
import { type Rule, rule } from "./rule.ts";

const PATH = "/v1/signatureAggregator/fuji/aggregateSignatures";
const TX_HASH = "2DeHa7Qb6sufPkmQcFWG2uCd4pBPv9WB6dkzroiMQhd1NSRtof";
const MESSAGE = RECORDED_RESULT.message.unsignedMessage;
const SIGNED = { signedMessage: RECORDED_RESULT.signedMessage };
const MEMBERS = "message, justification, signingSubnetId, quorumPercentage, quorumPercentageBuffer, pChainHeight";

type Members = Readonly<Record<string, unknown>>;

const withMessage = (members: Members = {}) => postJson({ message: MESSAGE, ...members });

const DEFAULTS = { signingSubnetId: null, quorumPercentage: 67, quorumPercentageBuffer: 0, pChainHeight: "0" };
const source = { kind: "message", network: "fuji", message: MESSAGE, justification: null };

/** What the service was asked for last. */
const lastInput = ({ signatures }: Api) => signatures.inputs.at(-1);

function refusals(id: string, title: string, cases: readonly (readonly [members: unknown, message: string])[]): Rule {
  return rule(id, "CHOICE", title, async (api) => {
    for (const [members, message] of cases)
      for (const prefix of ["", "/hosted"])
        expect([members, ...(await api.refusal(prefix + PATH, postJson(members)))]).toEqual([members, 400, message]);
  });
}

/** The server of the protocol fails with the code that a request has in place of a subnet or transaction. */
const FAILURES = { INVALID_PARAMETER: 400, NOT_FOUND: 404, UPSTREAM_FAILED: 502, UNAVAILABLE: 503 } as const;

const NOT_RUNNING = [503, "the signature service does not run, try again later"];

const MESSAGE_RULES: readonly Rule[] = [
  rule("E1.1", "MUST", "returns the signed message as hex without 0x", async (api) => {
    const { status, body } = await api.get(PATH, withMessage());
    expect([status, body]).toEqual([200, SIGNED]);
    expect(lastInput(api)).toEqual({ source, ...DEFAULTS });
  }),
  rule("E1.2", "MUST", "returns 201 in the hosted dialect, with the same body", async (api) => {
    const { status, body } = await api.get(`/hosted${PATH}`, withMessage());
    expect([status, body]).toEqual([201, SIGNED]);
  }),
  rule("E1.3", "MUST", "passes every member to the signature service", async (api) => {
    const members = { quorumPercentage: 1, quorumPercentageBuffer: 99, signingSubnetId: "0x11" };
    const justification = "0x22";
    await api.get(PATH, withMessage({ ...members, justification, pChainHeight: Number.MAX_SAFE_INTEGER }));
    expect(lastInput(api)).toEqual({
      source: { ...source, justification },
      ...members,
      pChainHeight: "9007199254740991",
    });
    await api.get(PATH, postJson({ justification }));
    expect(lastInput(api)).toEqual({ source: { ...source, message: null, justification }, ...DEFAULTS });
  }),
  rule("E1.4", "CHOICE", "takes the quorum 0 for the default, 67", async (api) => {
    await api.get(PATH, withMessage({ quorumPercentage: 0 }));
    expect(lastInput(api)).toEqual({ source, ...DEFAULTS });
  }),
  refusals("E1.5", "refuses a body without message and justification with 400", [
    [{}, "message or justification must be given, got neither"],
    [{ message: "", justification: "" }, "message or justification must be given, got neither"],
    [{ quorumPercentage: 50 }, "message or justification must be given, got neither"],
  ]),
  refusals("E1.6", "refuses percentages outside of 0 to 100, and sums above 100, with 400", [
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
    [{ message: MESSAGE, quorumPercentage: "67" }, 'quorumPercentage must be an integer of at most 32 bits, got "67"'],
    [{ message: MESSAGE, quorumPercentage: 66.5 }, "quorumPercentage must be an integer of at most 32 bits, got 66.5"],
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
    expect(await refused('{"message":"00","message":"01"}')).toEqual([
      400,
      'message must be given once, got also "01"',
    ]);
  }),
  rule("E1.9", "MUST", "returns the failures of the signature service with their status and message", async (api) => {
    for (const [signingSubnetId, status] of Object.entries(FAILURES))
      for (const prefix of ["", "/hosted"])
        expect(await api.refusal(prefix + PATH, withMessage({ signingSubnetId }))).toEqual([
          status,
          `${signingSubnetId} of the service`,
        ]);
  }),
  rule("E1.10", "MUST", "returns 503 if the signature service does not run", (api) =>
    api.withoutSignatures(async () => {
      for (const prefix of ["", "/hosted"])
        expect(await api.refusal(prefix + PATH, withMessage())).toEqual(NOT_RUNNING);
    }),
  ),
  rule("E1.11", "MUST", "refuses an unknown network with 400", async (api) => {
    const path = PATH.replace("fuji", "local");
    expect(await api.refusal(path, withMessage())).toEqual([
      400,
      'network must be one of mainnet, fuji, testnet, got "local"',
    ]);
  }),
];

const TRANSACTION_RULES: readonly Rule[] = [
  rule("E2.1", "MUST", "returns the signed message of a transaction as hex without 0x", async (api) => {
    expect(await api.body(`${PATH}/${TX_HASH}`)).toEqual(SIGNED);
    const transaction = { kind: "transaction", network: "fuji", txHash: TX_HASH };
    expect(lastInput(api)).toEqual({ source: transaction, ...DEFAULTS });
  }),
  rule("E2.2", "MUST", "returns 201 in the hosted dialect, with the same body", async (api) => {
    const { status, body } = await api.get(`/hosted${PATH}/${TX_HASH}`);
    expect([status, body]).toEqual([201, SIGNED]);
  }),
  rule("E2.3", "MUST", "returns the failures of the signature service with their status and message", async (api) => {
    for (const [txHash, status] of Object.entries(FAILURES))
      for (const prefix of ["", "/hosted"])
        expect(await api.refusal(`${prefix}${PATH}/${txHash}`)).toEqual([status, `${txHash} of the service`]);
  }),
  rule("E2.4", "MUST", "returns 503 if the signature service does not run", (api) =>
    api.withoutSignatures(async () => {
      for (const prefix of ["", "/hosted"])
        expect(await api.refusal(`${prefix}${PATH}/${TX_HASH}`)).toEqual(NOT_RUNNING);
    }),
  ),
];

/** All rules of E1 and E2. */
export const SIGNATURE_RULES: readonly Rule[] = [
  ...MESSAGE_RULES,
  ...everyRouteRules({
    id: "E1",
    path: PATH,
    body: JSON.stringify({ message: MESSAGE }),
    units: 20,
    statements: 0,
  }),
  ...TRANSACTION_RULES,
  ...everyRouteRules({ id: "E2", path: `${PATH}/${TX_HASH}`, units: 20, statements: 0 }),
];
