import { setTimeout as sleep } from "node:timers/promises";
import { graphql } from "graphql";
import { formatId } from "../../core/formats/id-text.ts";
import { answerTookTooLong } from "../../core/http/answer-time.ts";
import { cancelWork, createWork } from "../../core/work/work.ts";
import type { MessageSource } from "../../signatures/protocol/protocol.ts";
import { createSubgraph as createSignaturesSubgraph } from "../../subgraphs/signatures/subgraph.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import {
  type ProtocolAnswers,
  type ProtocolServer,
  RECORDED_MESSAGE,
  RECORDED_PROGRESS,
  RECORDED_RESULT,
  startProtocolServer,
  writeEvent,
} from "../support/signatures/protocol-server.ts";
import { type Served, serveGateway, serveGraph, serveSignaturesSubgraph } from "./served.ts";
import { overSse, overWebSocket } from "./subscribe.ts";

type Indexed = Awaited<ReturnType<typeof indexedAlphaNetwork>>;

let database: Indexed;
let served: Served;
/** The URL of the server that plays the signature service in a test. */
let serviceUrl: string | null = null;

beforeAll(async () => {
  database = await indexedAlphaNetwork();
  served = await serveGraph({ database, config: database.config }, undefined, () => serviceUrl);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

async function play(answers?: ProtocolAnswers) {
  const server = await startProtocolServer(answers);
  serviceUrl = server.url;
  return server;
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

async function ask(query: string, url = served.url): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
  return (await response.json()) as Answer;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 1_000 && !isSo(); i++) await sleep(5);
  expect(isSo()).toBe(true);
}

const MESSAGE = `message: "${RECORDED_MESSAGE.unsignedMessage}"`;
const TX_HASH = "2DeHa7Qb6sufPkmQcFWG2uCd4pBPv9WB6dkzroiMQhd1NSRtof";
const PRIMARY = "11111111111111111111111111111111LpoYY";

describe("the aggregation of signatures in the graph", () => {
  it("returns what the service sent, joined with subnet, chain and validators", async () => {
    await using _service = await play();
    const { data, errors } = await ask(`{ aggregateSignatures(network: TESTNET, ${MESSAGE}) {
      signedMessage aggregateWeight signingSubnetId signingSubnet { subnetId isL1 } pChainHeight totalWeight requiredWeight signedWeight
      signers { publicKey weight nodeIds nodes { nodeId network } } others { weight nodeIds reason detail errorCode }
      collectedFrom connectMs collectMs
      message { network messageId messageIdCb58 unsignedMessage justification sourceChainId signingSubnetId } } }`);
    expect(errors).toBeUndefined();
    const { signers, others, totalWeight, requiredWeight, signedWeight } = RECORDED_RESULT;
    expect(data?.["aggregateSignatures"]).toEqual({
      signedMessage: RECORDED_RESULT.signedMessage,
      aggregateWeight: RECORDED_RESULT.aggregateWeight,
      signingSubnetId: PRIMARY,
      signingSubnet: { subnetId: PRIMARY, isL1: false },
      pChainHeight: "2",
      totalWeight,
      requiredWeight,
      signedWeight,
      signers: signers.map(({ publicKey, weight, nodeIds }) => ({
        publicKey: `0x${publicKey}`,
        weight,
        nodeIds,
        nodes: nodeIds.map((nodeId) => ({ nodeId, network: "FUJI" })),
      })),
      others: others.map(({ weight, nodeIds }) => ({
        weight,
        nodeIds,
        reason: "NOT_NEEDED",
        detail: null,
        errorCode: null,
      })),
      collectedFrom: "VALIDATORS",
      connectMs: 12.5,
      collectMs: 30,
      message: {
        network: "FUJI",
        messageId: `0x${RECORDED_MESSAGE.messageId}`,
        messageIdCb58: formatId(RECORDED_MESSAGE.messageId),
        unsignedMessage: `0x${RECORDED_MESSAGE.unsignedMessage}`,
        justification: "0x",
        sourceChainId: formatId(RECORDED_MESSAGE.sourceChainId),
        signingSubnetId: PRIMARY,
      },
    });
  });

  it("has the defaults of the contract if an argument is null, and passes heights above 2^53 exactly", async () => {
    await using service = await play();
    const nulls = "signingSubnetId: null, quorumPercentage: null, quorumPercentageBuffer: null, pChainHeight: null";
    await ask(`{ aggregateTransactionSignatures(network: FUJI, txHash: "${TX_HASH}", ${nulls}) { signedMessage } }`);
    await ask(`{ aggregateSignatures(network: FUJI, ${MESSAGE}, pChainHeight: "9007199254740993") { signedMessage } }`);
    const defaults = { signingSubnetId: null, quorumPercentage: 67, quorumPercentageBuffer: 0, pChainHeight: "0" };
    expect(service.inputs).toEqual([
      { source: { kind: "transaction", network: "fuji", txHash: TX_HASH }, ...defaults },
      expect.objectContaining({ pChainHeight: "9007199254740993" }),
    ]);
  });

  it("describes the messages of a page of transactions in one call, and gives each an error of its own", async () => {
    const page =
      '{ primaryNetworkTransactions(network: FUJI, blockchainId: "p-chain", first: 3) { transactions: nodes { txHash';
    const hashes = async () => {
      const { data } = await ask(`${page} } } }`);
      const found = data?.["primaryNetworkTransactions"] as { readonly transactions: readonly { txHash: string }[] };
      return found.transactions.map(({ txHash }) => txHash);
    };
    const [first = "", second = "", third = ""] = await hashes();
    await using service = await play({
      describe: (source) => {
        const { txHash } = source as Extract<MessageSource, { kind: "transaction" }>;
        if (txHash === first) return { failure: { code: "UNAVAILABLE", message: "not indexed yet" } };
        return { message: txHash === second ? RECORDED_MESSAGE : null };
      },
    });
    const { data, errors } = await ask(`${page} signableMessage { messageId } } } }`);
    expect(service.described).toEqual([
      [first, second, third].map((txHash) => ({ kind: "transaction", network: "fuji", txHash })),
    ]);
    expect(data?.["primaryNetworkTransactions"]).toEqual({
      transactions: [
        { txHash: first, signableMessage: null },
        { txHash: second, signableMessage: { messageId: `0x${RECORDED_MESSAGE.messageId}` } },
        { txHash: third, signableMessage: null },
      ],
    });
    expect(errors).toMatchObject([{ message: "not indexed yet", extensions: { code: "UNAVAILABLE" } }]);
  });

  it("aggregates the message of an interchain event", async () => {
    await using service = await play({ describe: () => ({ message: { ...RECORDED_MESSAGE, justification: "aa" } }) });
    const id = "0x22ee82b15cc0f890963a3932a2050349f5de17da5d6edd09b5e89bf51bfd2377";
    const { data, errors } = await ask(`{ icmEvents(messageId: "${id}", first: 1) { events: nodes { chainId logIndex
      signableMessage { sourceBlockchain { blockchainId } aggregateSignatures(quorumPercentage: 50) { signedMessage } } } } }`);
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      icmEvents: {
        events: [{ signableMessage: { aggregateSignatures: { signedMessage: RECORDED_RESULT.signedMessage } } }],
      },
    });
    expect(service.described).toEqual([
      [{ kind: "log", chainId: "760011", blockNumber: expect.stringMatching(/^\d+$/), logIndex: expect.any(Number) }],
    ]);
    const { unsignedMessage: message, signingSubnetId } = RECORDED_MESSAGE;
    expect(service.inputs).toMatchObject([
      {
        source: { kind: "message", network: "fuji", message, justification: "aa" },
        signingSubnetId,
        quorumPercentage: 50,
      },
    ]);
  });

  it.each(["INVALID_PARAMETER", "NOT_FOUND", "UPSTREAM_FAILED", "UNAVAILABLE"])("passes %s on", async (code) => {
    await using _service = await play();
    const { errors } = await ask(
      `{ aggregateTransactionSignatures(network: FUJI, txHash: "${code}") { signedMessage } }`,
    );
    expect(errors).toMatchObject([{ message: `${code} of the service`, extensions: { code } }]);
  });

  it("answers UNAVAILABLE while the service does not run", async () => {
    serviceUrl = null;
    const { errors } = await ask(`{ aggregateSignatures(network: FUJI, ${MESSAGE}) { signedMessage } }`);
    expect(errors).toMatchObject([
      { message: "the signature service does not run, try again later", extensions: { code: "UNAVAILABLE" } },
    ]);
  });
});

const SUBSCRIPTION = `subscription { signatureProgress(network: FUJI, ${MESSAGE}) {
  state signedWeight refusedWeight signingSubnet { isL1 } aggregation { signedMessage } } }`;
const PROGRESS = { state: "COLLECTING", signedWeight: "0", refusedWeight: "0", signingSubnet: { isL1: false } };

describe.each([
  ["graphql-ws", overWebSocket],
  ["SSE", overSse],
])("signatureProgress over %s", (_, connect) => {
  async function all(query = SUBSCRIPTION, url = served.url): Promise<Answer[]> {
    const events: Answer[] = [];
    for await (const event of connect<Answer>(url, query)) events.push(event);
    return events;
  }

  it("sends the progress, then the result, and completes", async () => {
    await using service = await play();
    expect(await all()).toEqual([
      { data: { signatureProgress: { ...PROGRESS, aggregation: null } } },
      {
        data: {
          signatureProgress: {
            ...PROGRESS,
            state: "DONE",
            signedWeight: RECORDED_RESULT.signedWeight,
            aggregation: { signedMessage: RECORDED_RESULT.signedMessage },
          },
        },
      },
    ]);
    expect(service.open()).toBe(0);
  });

  it("ends with the failure of the service", async () => {
    await using _service = await play({
      aggregate(_input, response) {
        writeEvent(response, { type: "progress", ...RECORDED_PROGRESS, state: "FAILED" });
        writeEvent(response, { type: "failure", code: "UNAVAILABLE", message: "insufficientWeight(...)" });
        response.end();
      },
    });
    const [progress, failure, ...others] = await all();
    expect(progress?.data?.["signatureProgress"]).toMatchObject({ state: "FAILED", aggregation: null });
    expect(failure?.errors).toMatchObject([
      { message: "insufficientWeight(...)", extensions: { code: "UNAVAILABLE" } },
    ]);
    expect(others).toEqual([]);
  });

  it("ends the request at the service when the subscriber leaves", async () => {
    await using service = await play({
      aggregate: (_input, response) => writeEvent(response, { type: "progress", ...RECORDED_PROGRESS }),
    });
    for await (const event of connect<Answer>(served.url, SUBSCRIPTION)) {
      expect(event.data?.["signatureProgress"]).toMatchObject({ state: "COLLECTING" });
      expect(service.open()).toBe(1);
      break;
    }
    await until(() => service.open() === 0);
  });

  it("refuses a transaction together with a message, and neither", async () => {
    await using service = await play();
    const refused = async (args: string) => {
      const [event] = await all(`subscription { signatureProgress(network: FUJI, ${args}) { state } }`).catch(
        (errors: Answer["errors"]) => [{ errors }],
      );
      return event?.errors?.[0];
    };
    expect(await refused(`txHash: "${TX_HASH}", ${MESSAGE}`)).toMatchObject({
      message: "txHash and message must not be given together",
      extensions: { code: "INVALID_PARAMETER" },
    });
    expect(await refused("quorumPercentage: 1")).toMatchObject({
      message: "message or justification must be given, got neither",
    });
    expect(service.inputs).toEqual([]);
  });
});

/** Begins a query, leaves when the service has begun the aggregation, and waits until the service has noticed it. */
async function leaveEarly(service: ProtocolServer, url: string, fields: string): Promise<void> {
  const leave = new AbortController();
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query: `{ aggregateSignatures(network: FUJI, ${MESSAGE}) { ${fields} } }` });
  const answer = fetch(url, { method: "POST", headers, body, signal: leave.signal });
  answer.catch(() => {});
  await until(() => service.open() === 1);
  leave.abort();
  await expect(answer).rejects.toThrow("aborted");
  await until(() => service.open() === 0);
}

describe("a caller who leaves", () => {
  it.each([
    ["one subgraph", "signedMessage"],
    ["two subgraphs", "signedMessage signingSubnet { isL1 }"],
  ])("ends the aggregation of a query over %s", async (_, fields) => {
    await using service = await play({ aggregate: () => {} });
    await leaveEarly(service, served.url, fields);
  });

  it("ends the aggregation of a query to the subgraph on a server of its own", async () => {
    await using service = await play({ aggregate: () => {} });
    await using subgraph = await serveSignaturesSubgraph(() => serviceUrl);
    await leaveEarly(service, subgraph.url, "signedMessage");
  });
});

describe("a request whose work is cancelled for another reason", () => {
  it("ends the aggregation, and gives this reason", async () => {
    await using service = await play({ aggregate: () => {} });
    const subgraph = createSignaturesSubgraph({ serviceUrl: () => serviceUrl });
    const work = createWork();
    const answer = graphql({
      schema: subgraph.schema,
      source: `{ aggregateSignatures(network: FUJI, ${MESSAGE}) { signedMessage } }`,
      contextValue: subgraph.context({ requestId: "late", work }),
    });
    await until(() => service.open() === 1);
    cancelWork(work, answerTookTooLong());
    expect((await answer).errors).toMatchObject([{ message: "the request took longer than 120 s" }]);
    await subgraph[Symbol.asyncDispose]();
  });
});

describe("the signatures subgraph on a server of its own", () => {
  it("sends progress, and ends a request whose subscriber leaves", async () => {
    await using service = await play({
      aggregate: (_input, response) => writeEvent(response, { type: "progress", ...RECORDED_PROGRESS }),
    });
    await using subgraph = await serveSignaturesSubgraph(() => serviceUrl);
    const query = `subscription { signatureProgress(network: FUJI, ${MESSAGE}) { state } }`;
    for await (const event of overWebSocket<Answer>(subgraph.url, query)) {
      expect(event).toEqual({ data: { signatureProgress: { state: "COLLECTING" } } });
      break;
    }
    await until(() => service.open() === 0);
  });

  it("sends the service the request id of the gateway's client", async () => {
    const ids: unknown[] = [];
    await using _service = await play({
      aggregate(_input, response) {
        ids.push(response.req.headers["x-request-id"]);
        writeEvent(response, { type: "progress", ...RECORDED_PROGRESS });
      },
    });
    await using subgraph = await serveSignaturesSubgraph(() => serviceUrl);
    await using gateway = await serveGateway([{ name: "signatures", url: subgraph.url }]);
    const query = `subscription { signatureProgress(network: FUJI, ${MESSAGE}) { state } }`;
    const events = overSse<Answer>(gateway.url, query, { "x-request-id": "of-a-client" });
    await events.next();
    await events.return(undefined);
    expect(ids).toEqual(["of-a-client"]);
  });

  it("ends running aggregations with UNAVAILABLE when it is disposed", async () => {
    await using service = await play({ aggregate: () => {} });
    const subgraph = createSignaturesSubgraph({ serviceUrl: () => serviceUrl });
    const answer = graphql({
      schema: subgraph.schema,
      source: `{ aggregateSignatures(network: FUJI, ${MESSAGE}) { signedMessage } }`,
      contextValue: subgraph.context({ work: createWork(), requestId: "shutdown" }),
    });
    await until(() => service.open() === 1);
    await subgraph[Symbol.asyncDispose]();
    expect((await answer).errors).toMatchObject([{ message: "the service is shutting down" }]);
    await until(() => service.open() === 0);
  });
});
