import { createHash } from "node:crypto";
import { createAdmission } from "../../core/limits/admission/admission.ts";
import type { Gate } from "../../core/limits/admission/gate.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { testConfig } from "../support/config.ts";
import { serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

/** 340,000 characters are kept, and 300 are added for each document. */
const DOCUMENTS = 400;
const PADDING = `#${"x".repeat(700)}`;
/** Texts are kept under 1,000 hashes. */
const HASHES = 1_100;
const AT_ONCE = 20;

/** A gateway that counts the documents that it reads because it does not know them, by caller. */
async function serve() {
  const { supergraph, subgraphs } = createSmallSubgraphs();
  const logger = createLogger("silent");
  const config = testConfig({ trustProxy: true });
  const admission = createAdmission(config, logger);
  const read = new Map<string, number>();
  const enter: Gate["enter"] = (work) => {
    read.set(work.caller, (read.get(work.caller) ?? 0) + 1);
    return admission.document.enter(work);
  };
  const options = { admission: { ...admission, document: { ...admission.document, enter } } };
  const gateway = await serveGateway(subgraphs, logger, supergraph, config, options);
  const ask = async (caller: string, body: object): Promise<unknown> => {
    const headers = { "content-type": "application/json", "x-forwarded-for": caller };
    const response = await fetch(gateway.url, { method: "POST", headers, body: JSON.stringify(body) });
    return response.json();
  };
  return { ...gateway, ask, read: (caller: string) => read.get(caller) ?? 0 };
}

type Gateway = Awaited<ReturnType<typeof serve>>;

/** Sends many operations from B. */
async function flood({ ask }: Gateway, count: number, bodyOf: (at: number) => object): Promise<void> {
  let sent = 0;
  const send = async () => {
    while (sent < count) await ask(B, bodyOf(sent++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
}

const A = "192.0.2.1";
const B = "192.0.2.2";
const COUNT = "{ count }";
const ANSWER = { data: { count: 2 } };
const persisted = (query: string) => ({
  persistedQuery: { version: 1, sha256Hash: createHash("sha256").update(query).digest("hex") },
});

describe("the documents of a caller", () => {
  it("are kept while another caller sends any number of different ones", async () => {
    await using gateway = await serve();
    // One of them is used once, and one twice.
    await gateway.ask(A, { query: "{ once: count }" });
    for (let request = 0; request < 2; request++) expect(await gateway.ask(A, { query: COUNT })).toEqual(ANSWER);
    expect(gateway.read(A)).toBe(2);
    await flood(gateway, DOCUMENTS, (at) => ({ query: `{ a${at}: count } ${PADDING}` }));
    expect(gateway.read(B)).toBe(DOCUMENTS);
    expect(await gateway.ask(A, { query: COUNT })).toEqual(ANSWER);
    await gateway.ask(A, { query: "{ once: count }" });
    expect(gateway.read(A)).toBe(2);
  });

  it("are kept under their hashes while another caller sends any number of different ones", async () => {
    await using gateway = await serve();
    await gateway.ask(A, { query: COUNT, extensions: persisted(COUNT) });
    await flood(gateway, HASHES, (at) => {
      const query = `not a document ${at}`;
      return { query, extensions: persisted(query) };
    });
    expect(await gateway.ask(A, { extensions: persisted(COUNT) })).toEqual(ANSWER);
  });
});
