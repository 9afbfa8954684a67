import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { delimiter, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { buildSchema, graphql } from "graphql";
import { SUBGRAPHS } from "../../core/config/subgraphs.ts";
import { VERSION } from "../../core/observability/version.ts";
import { listen } from "../support/node/listen.ts";

/** A folder with `node_modules` of `@graphql-hive/cli` and `wgc`. */
const FOLDER = process.env["MORAINE_TEST_REGISTRY_CLIS"];

const has = (program: string): boolean => existsSync(join(FOLDER ?? "", "node_modules/.bin", program));

const URL_BASE = "https://moraine.example/subgraphs";
const subgraphs = SUBGRAPHS.map(({ name }) => ({
  name,
  url: `${URL_BASE}/${name}/graphql`,
  sdl: readFileSync(`subgraphs/${name}/schema.graphql`, "utf8"),
})).toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** The command of docs/operate/registries.md that calls a program. */
function commandWith(program: string): string {
  const page = readFileSync("docs/operate/registries.md", "utf8");
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const found = blocks.filter((block) => new RegExp(`^ +(\\w+=\\S+ )?${program} `, "m").test(block));
  expect(found).toHaveLength(1);
  return found.join();
}

async function run(program: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const path = [join(FOLDER ?? "", "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const env = {
    PATH: path,
    HOME: process.env["HOME"],
    VERSION,
    URL: URL_BASE,
    DISABLE_UPDATE_CHECK: "true",
    ...settings,
  };
  await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commandWith(program)], { env });
}

/** The text of an SDL without spaces and commas, which programs write in their own way. */
const compact = (sdl: string): string => sdl.replace(/[\s,]+/g, "");

interface Call {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

/** A registry that answers each request and keeps it. */
async function startRegistry(answer: (call: Call, response: ServerResponse) => void | Promise<void>) {
  const calls: Call[] = [];
  const server = await listen(async (request: IncomingMessage, response) => {
    const bytes = await buffer(request);
    const { "content-encoding": coding, authorization, "x-api-key": key } = request.headers;
    const body = coding === "br" ? brotliDecompressSync(bytes) : coding === "gzip" ? gunzipSync(bytes) : bytes;
    const call = { path: request.url, authorization: authorization ?? String(key), body };
    calls.push(call);
    await answer(call, response);
  });
  return { ...server, calls };
}

const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

/** The part of the Platform API of Apollo by which a subgraph is published, also by Rover. */
const PLATFORM_API = buildSchema(`
  type Query { frontendUrlRoot: String! graph(id: ID!): Graph }
  type Mutation { graph(id: ID!): GraphMutation }
  type Graph { id: ID! variants: [GraphVariant!]! variant(name: String!): GraphVariant }
  type GraphVariant { name: String! subgraphs: [GraphVariantSubgraph!] }
  type GraphVariantSubgraph { name: String! }
  input PartialSchemaInput { sdl: String hash: String }
  input GitContextInput { branch: String commit: ID committer: String message: String remoteUrl: String }
  type GraphMutation {
    publishSubgraph(
      activePartialSchema: PartialSchemaInput!
      gitContext: GitContextInput
      graphVariant: String!
      name: String!
      revision: String!
      url: String
    ): CompositionAndUpsertResult
  }
  type CompositionAndUpsertResult {
    wasCreated: Boolean!
    wasUpdated: Boolean!
    updatedGateway: Boolean!
    errors: [SchemaCompositionError]!
    compositionConfig: CompositionConfig
    launchCliCopy: String
    launchUrl: String
  }
  type CompositionConfig { schemaHash: String! }
  type SchemaCompositionError { message: String! code: String }`);

/** The arguments of `publishSubgraph`. */
interface Published {
  readonly name: string;
  readonly url: string;
  readonly revision: string;
  readonly graphVariant: string;
  readonly activePartialSchema: { readonly sdl: string };
  readonly gitContext?: { readonly commit: string };
}

/** Each program is started up to twelve times. */
const TIMEOUT_MS = 240_000;

const describeWithPrograms = FOLDER ? describe : describe.skip;

describeWithPrograms(
  "the commands of docs/operate/registries.md (skipped unless MORAINE_TEST_REGISTRY_CLIS names the folder of the programs)",
  () => {
    it(
      "check each subgraph by Hive's program, and publish its SDL, URL and version",
      async () => {
        const valid = { valid: true, initial: false, changes: null };
        await using registry = await startRegistry(({ body }, response) => {
          const isCheck = String(body).includes("schemaCheck(");
          json(response, {
            data: isCheck
              ? { schemaCheck: { __typename: "SchemaCheckSuccess", ...valid, warnings: null, schemaCheck: null } }
              : {
                  schemaPublish: {
                    __typename: "SchemaPublishSuccess",
                    ...valid,
                    successMessage: null,
                    linkToWebsite: null,
                  },
                },
          });
        });
        await run("hive", {
          HIVE_TOKEN: "hvo1/token",
          HIVE_TARGET: "org/project/target",
          HIVE_REGISTRY: `${registry.url}/graphql`,
        });
        expect(registry.calls.map(({ authorization }) => authorization)).toEqual(
          subgraphs.flatMap(() => ["Bearer hvo1/token", "Bearer hvo1/token"]),
        );
        const inputs = registry.calls.map(({ body }) => JSON.parse(String(body)).variables.input);
        const target = { bySelector: { organizationSlug: "org", projectSlug: "project", targetSlug: "target" } };
        const given = inputs.map(({ sdl, schema, meta, ...input }) => ({
          ...input,
          sdl: compact(sdl ?? schema.sdl),
          ...(meta && { author: meta.author, commit: meta.commit }),
        }));
        expect(given).toMatchObject(
          subgraphs.flatMap(({ name, url, sdl }) => {
            const common = { service: name, author: "moraine", commit: VERSION, target, sdl: compact(sdl) };
            return [common, { ...common, url }];
          }),
        );
      },
      TIMEOUT_MS,
    );

    const platformApi = [
      { by: "the Platform API of Apollo", program: "jq", runs: it },
      { by: "Rover (skipped unless the folder has it)", program: "rover", runs: has("rover") ? it : it.skip },
    ];
    for (const { by, program, runs } of platformApi)
      runs(
        `publish the SDL, URL and version of each subgraph by ${by}`,
        async () => {
          const published: object[] = [];
          const variant = { name: "main", subgraphs: [{ name: "another" }] };
          const rootValue = {
            frontendUrlRoot: "https://studio.example",
            graph: ({ id }: { readonly id: string }) => ({
              variants: [variant],
              variant,
              publishSubgraph({
                name,
                url,
                revision,
                graphVariant,
                activePartialSchema: { sdl },
                gitContext,
              }: Published) {
                // Rover gives the version as the commit.
                published.push({
                  graph: `${id}@${graphVariant}`,
                  name,
                  url,
                  sdl,
                  version: revision || gitContext?.commit,
                });
                return { wasCreated: true, wasUpdated: true, updatedGateway: true, errors: [] };
              },
            }),
          };
          await using registry = await startRegistry(async ({ body }, response) => {
            const { query, variables } = JSON.parse(String(body));
            json(
              response,
              await graphql({ schema: PLATFORM_API, source: query, variableValues: variables, rootValue }),
            );
          });
          await run(program, {
            APOLLO_KEY: "service:moraine:key",
            APOLLO_GRAPH_REF: "moraine@main",
            APOLLO_API_URL: registry.url,
            APOLLO_REGISTRY_URL: registry.url,
            APOLLO_TELEMETRY_DISABLED: "1",
          });
          expect(new Set(registry.calls.map(({ authorization }) => authorization))).toEqual(
            new Set(["service:moraine:key"]),
          );
          expect(published).toEqual(
            subgraphs.map((subgraph) => ({ graph: "moraine@main", ...subgraph, version: VERSION })),
          );
        },
        TIMEOUT_MS,
      );

    it(
      "publish the SDL and URL of each subgraph by Cosmo's program",
      async () => {
        // A message whose first field is an empty message: the status OK.
        const OK = Buffer.from([0x0a, 0]);
        await using registry = await startRegistry((_call, response) => {
          response.writeHead(200, { "content-type": "application/proto" }).end(OK);
        });
        await run("wgc", { COSMO_API_KEY: "key", COSMO_API_URL: registry.url });
        const published = registry.calls.filter(({ path }) => path?.endsWith("/PublishFederatedSubgraph"));
        expect(published.map(({ authorization }) => authorization)).toEqual(subgraphs.map(() => "Bearer key"));
        const missing = subgraphs.flatMap(({ name, url, sdl }, at) =>
          [name, url, sdl].filter((text) => !published[at]?.body.includes(text)),
        );
        expect(missing).toEqual([]);
      },
      TIMEOUT_MS,
    );
  },
);
