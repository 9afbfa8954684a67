import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from "graphql";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { startDemoStack } from "./demo-stack.ts";
import { readKnownValues } from "./known-values.ts";
import { reportText } from "./report.ts";
import { attack } from "./run.ts";
import { measureUnreadSockets } from "./unread-sockets.ts";

const USAGE = `npm run attack -- [--requests 100000] [--seed 1]   sends generated hostile requests to the demo, which runs in this process
npm run attack -- --url http://127.0.0.1:4000      sends them to a running Moraine
npm run attack -- --seed 1 --only 1234             sends request 1234 alone, and prints its whole answer if that breaks a rule
npm run attack -- --sockets                        prints the memory that connections of clients that read nothing cost

Checks that every answer has the documented form. For each rule that is broken, prints a line for curl for up to three requests.
Exits with 1 if a rule is broken.`;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "10000" },
    seed: { type: "string" },
    only: { type: "string" },
    url: { type: "string" },
    sockets: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

async function run(): Promise<number> {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed);
  const from = values.only === undefined ? 0 : Number(values.only);
  const to = values.only === undefined ? Number(values.requests) : from + 1;
  if (![seed, from, to].every(Number.isSafeInteger))
    throw new Error("--requests, --seed and --only must be whole numbers");
  await using own = values.url === undefined ? await startDemoStack() : null;
  const url = own?.url ?? String(values.url).replace(/\/$/, "");
  const schema = own ? ownSchema() : await schemaOf(url);
  const known = await readKnownValues(url);
  console.log(`seed ${seed}: requests ${from} to ${to - 1} to ${url}`);
  const memory = own ? [memoryText()] : [];
  const startedAt = performance.now();
  const report = await attack({ url, schema, known, seed, from, to, onProgress: printProgress });
  const seconds = (performance.now() - startedAt) / 1_000;
  if (own) memory.push(memoryText());
  console.log(reportText(report, { url, seed, seconds, memory, printsAll: values.only !== undefined }));
  return report.violations.length > 0 ? 1 : 0;
}

const PROGRESS_STEP = 10_000;

function printProgress(sent: number): void {
  if (sent % PROGRESS_STEP === 0) console.log(`${sent} sent, ${memoryText(false)}`);
}

/** Memory of this process: the heap after garbage collection, and everything. */
function memoryText(collects = true): string {
  setFlagsFromString("--expose-gc");
  if (collects) (runInNewContext("gc") as () => void)();
  const { heapUsed, rss } = process.memoryUsage();
  return `heap ${Math.round(heapUsed / 1e6)} MB, resident ${Math.round(rss / 1e6)} MB`;
}

const ownSchema = (): GraphQLSchema => createPlanner(committedSupergraph(), []).publicSchema;

async function schemaOf(url: string): Promise<GraphQLSchema> {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  const { data } = (await response.json()) as { readonly data: Parameters<typeof buildClientSchema>[0] };
  return buildClientSchema(data);
}

if (values.help) console.log(USAGE);
else if (values.sockets) await measureUnreadSockets();
else process.exitCode = await run();
