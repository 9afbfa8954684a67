import { BadRequestError, NotFoundError, ServiceUnavailableError } from "@avalanche-sdk/chainkit/models/errors";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { judge } from "../support/oracle/warp-oracle.ts";
import { type ServedSignatures, serveSignatures } from "../support/signatures/served-signatures.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { createOfficialClient } from "./official-client.ts";

const recording = openRecording(ALPHA);
/** A SetL1ValidatorWeightTx, and the subnet that signs its message. */
const TX_HASH = "iPNdUkyP8Zcp2wwzhngxeH54VP7oP1U5meXjnpR4eyJqrUaGL";
const SUBNET = "2wZnmGBoRa8PpSceBw86aepyUgGWjYXp887jsksnk9aQkpWXkZ";
const PRIMARY = "11111111111111111111111111111111LpoYY";

let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let service: ServedSignatures;
let stack: Stack;
let isRunning = true;
beforeAll(async () => {
  database = await indexedAlphaNetwork();
  service = await serveSignatures(database.url, database.config);
  const signatureServiceUrl = () => (isRunning ? service.url : null);
  stack = await startStack({ database, config: database.config, signatureServiceUrl });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const { signatureAggregator } = createOfficialClient().data;

const atHosted = () => ({ serverURL: `${stack.url}/hosted` });

function judged(signedMessage: string, subnetID: string) {
  const answer = recording.answer("/ext/bc/P", "platform.getValidatorsAt", { subnetID, height: 408 });
  return judge(Buffer.from(signedMessage, "hex"), JSON.parse(answer?.text ?? "null"), 67);
}

/** A message that the recorded L1 sent. */
function messageOfL1(): string {
  const rpcPath = recording.manifest.chains.find(({ alias }) => alias === "l1")?.rpcPath ?? "";
  const answer = recording.calls(rpcPath, "warp_getMessage").find(({ kind }) => kind === "result");
  return JSON.parse(answer?.text ?? "null");
}

describe("the official client @avalanche-sdk/chainkit at /hosted", () => {
  it("E1 aggregates signatures of a message", async () => {
    const own = { message: messageOfL1() };
    const all = {
      ...own,
      signingSubnetId: SUBNET,
      quorumPercentage: 67,
      quorumPercentageBuffer: 10,
      pChainHeight: 408,
    };
    for (const signatureAggregatorRequest of [own, all]) {
      const { signedMessage } = await signatureAggregator.aggregate({ signatureAggregatorRequest }, atHosted());
      expect(judged(signedMessage, SUBNET)).toMatchObject({ isValid: true });
    }
  });

  it("E2 aggregates signatures of the message of a transaction", async () => {
    const { signedMessage } = await signatureAggregator.get({ txHash: TX_HASH }, atHosted());
    expect(judged(signedMessage, SUBNET)).toMatchObject({ isValid: true });
  });

  it("E1 and E2 have the errors of the client", async () => {
    const aggregate = (signatureAggregatorRequest: object) =>
      signatureAggregator.aggregate({ signatureAggregatorRequest }, atHosted());
    await expect(aggregate({})).rejects.toThrow(BadRequestError);
    await expect(aggregate({ message: "zz" })).rejects.toThrow(BadRequestError);
    await expect(signatureAggregator.get({ txHash: PRIMARY }, atHosted())).rejects.toThrow(NotFoundError);
    isRunning = false;
    await expect(aggregate({ message: messageOfL1() })).rejects.toThrow(ServiceUnavailableError);
    isRunning = true;
  });
});
