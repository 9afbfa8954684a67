import { once } from "node:events";
import { type Listener, listen } from "../../test/support/node/listen.ts";
import {
  type ProtocolAnswers,
  RECORDED_MESSAGE,
  RECORDED_PROGRESS,
  RECORDED_RESULT,
  startProtocolServer,
  writeEvent,
} from "../../test/support/signatures/protocol-server.ts";
import { createSignatureService, type SignatureService } from "./client.ts";
import type { AggregationInput, MessageSource } from "./protocol.ts";

const SOURCE: MessageSource = { kind: "message", network: "fuji", message: "00", justification: null };
const INPUT: AggregationInput = {
  source: SOURCE,
  signingSubnetId: null,
  quorumPercentage: 67,
  quorumPercentageBuffer: 0,
  pChainHeight: "0",
};

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

function clientOf(url: string | null): SignatureService {
  const service = createSignatureService({ url: () => url });
  open.unshift(service);
  return service;
}

async function serve(answers: ProtocolAnswers = {}) {
  const server = await startProtocolServer(answers);
  open.push(server);
  return { server, service: clientOf(server.url) };
}

const aggregating = (lines: string, isEnded = true): ProtocolAnswers => ({
  aggregate(_input, response) {
    response.write(lines);
    if (isEnded) response.end();
    else response.write(" ", () => response.destroy());
  },
});

async function stepsOf(service: SignatureService, signal = new AbortController().signal) {
  const steps = [];
  for await (const step of service.aggregate(INPUT, signal)) steps.push(step);
  return steps;
}

const failing = (code: string, message: string) => ({ code, message });

describe("the client of the signature service", () => {
  it("sends the input, and yields progress and result", async () => {
    const { server, service } = await serve();
    expect(await stepsOf(service)).toEqual([
      { type: "progress", ...RECORDED_PROGRESS },
      { type: "result", ...RECORDED_RESULT },
    ]);
    expect(server.inputs).toEqual([INPUT]);
  });

  it("describes sources in one request and in their order", async () => {
    const failure = { code: "NOT_FOUND", message: "no such transaction" };
    const { server, service } = await serve({
      describe: ({ kind }) => (kind === "message" ? { message: RECORDED_MESSAGE } : { failure }),
    });
    const sources: MessageSource[] = [{ kind: "transaction", network: "fuji", txHash: "x" }, SOURCE];
    expect(await service.describe(sources)).toEqual([{ failure }, { message: RECORDED_MESSAGE }]);
    expect(server.described).toEqual([sources]);
  });

  it("throws a failure of the service with its code and message", async () => {
    const line = JSON.stringify({ type: "failure", code: "NOT_FOUND", message: "the chain is unknown" });
    const { service } = await serve(aggregating(`${line}\n`));
    await expect(stepsOf(service)).rejects.toMatchObject(failing("NOT_FOUND", "the chain is unknown"));
  });

  it("reads lines and characters that are split between chunks", async () => {
    const failure = `${JSON.stringify({ type: "failure", code: "UNAVAILABLE", message: "later: é" })}\n`;
    const { service } = await serve({
      async aggregate(_input, response) {
        for (const byte of Buffer.from(failure)) {
          response.write(Buffer.of(byte));
          await new Promise((done) => setImmediate(done));
        }
        response.end();
      },
    });
    await expect(stepsOf(service)).rejects.toMatchObject(failing("UNAVAILABLE", "later: é"));
  });

  it("throws UNAVAILABLE if the service does not run, refuses connections, breaks off or has no result", async () => {
    const gone = await listen(() => {});
    await gone[Symbol.asyncDispose]();
    const does = async (service: SignatureService, message: string) =>
      await expect(stepsOf(service)).rejects.toMatchObject(failing("UNAVAILABLE", `${message}, try again later`));
    await does(clientOf(null), "the signature service does not run");
    await does(clientOf(gone.url), "the signature service does not answer");
    await expect(clientOf(null).describe([SOURCE])).rejects.toMatchObject({ code: "UNAVAILABLE" });
    const progress = `${JSON.stringify({ type: "progress", ...RECORDED_PROGRESS })}\n`;
    await does((await serve(aggregating(progress, false))).service, "the connection to the signature service broke");
    const ended = "the signature service ended its answer before it had a result";
    await does((await serve(aggregating(progress))).service, ended);
  });

  it("throws UPSTREAM_FAILED for an answer that is not of the protocol", async () => {
    for (const line of ["{", "null", '{"type":"other"}', '{"type":"failure","code":"NO_SUCH_CODE","message":""}'])
      await expect(stepsOf((await serve(aggregating(`${line}\n`))).service)).rejects.toMatchObject({
        code: "UPSTREAM_FAILED",
        message: expect.stringMatching(/^the answer of the signature service is invalid: it has the /),
      });
    const answering = async (status: number, body: string): Promise<Listener> => {
      const server = await listen((_request, response) => response.writeHead(status).end(body));
      open.push(server);
      return server;
    };
    for (const body of ["", "[", "{}", "[]"])
      await expect(clientOf((await answering(200, body)).url).describe([SOURCE])).rejects.toMatchObject(
        failing("UPSTREAM_FAILED", "the answer of the signature service is invalid: it must describe 1 messages"),
      );
    await expect(stepsOf(clientOf((await answering(500, "no")).url))).rejects.toMatchObject(
      failing("UPSTREAM_FAILED", "the signature service answered HTTP 500"),
    );
    const refused = await answering(400, JSON.stringify({ code: "INVALID_PARAMETER", message: "message must be hex" }));
    await expect(stepsOf(clientOf(refused.url))).rejects.toMatchObject(
      failing("INVALID_PARAMETER", "message must be hex"),
    );
  });

  it.each(["aborts the signal", "stops reading"])("ends the request if the caller %s", async (how) => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const { service } = await serve({
      aggregate(_input, response) {
        closed = once(response, "close");
        writeEvent(response, { type: "progress", ...RECORDED_PROGRESS });
      },
    });
    const steps = service.aggregate(INPUT, controller.signal)[Symbol.asyncIterator]();
    expect((await steps.next()).value).toMatchObject({ type: "progress" });
    if (how === "stops reading") await steps.return?.();
    else {
      const next = steps.next();
      controller.abort(new Error("enough"));
      await expect(next).rejects.toThrow("enough");
    }
    await closed;
  });
});
