import { readFile } from "node:fs/promises";
import {
  buildClientSchema,
  type ExecutionResult,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printSchema,
} from "graphql";
import { ConfigError } from "../../core/config/config.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";
import { parseOperationList } from "../../gateway/operation/operation-list.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { schemaVersion } from "../../gateway/schemas/schema-version.ts";
import { request, requestQuery } from "../../gateway/sources/source.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import type { Outcome } from "../program/command.ts";
import { changesBetween, linesOf } from "./changes.ts";
import { schemaOf } from "./release-changes.ts";
import { lastRelease } from "./releases.ts";
import { type Usage, unusedIsDangerous, usageOf } from "./usage.ts";

/** What messages call the server of `--against`. */
const SERVER = "the server";
/** The command ends with its process. */
const NEVER = new AbortController().signal;

interface Sources {
  /** File with an SDL, its URL if that ends with `.graphql`, or URL of a GraphQL endpoint. Default: the last release. */
  readonly against: string | undefined;
  /** File of operations. Default: everything counts as used. */
  readonly usage: string | undefined;
}

/** `moraine schema check`: what the schema of this version changes for callers of another one. */
export async function checkSchema({ against, usage: usageFile }: Sources): Promise<Outcome> {
  const { publicSchema } = createPlanner(committedSupergraph(), []);
  const release = lastRelease();
  const before = against === undefined ? schemaOf(release.publicSdl) : await schemaFrom(against);
  const usage = usageFile === undefined ? null : await usageFrom(usageFile, before);
  // Without directives, which introspection does not return.
  const after = schemaOf(printSchema(publicSchema));
  const changes = await changesBetween(before, after, usage ? [unusedIsDangerous(usage)] : []);
  const version = schemaVersion(publicSchema);
  const text = [
    `schema ${version} compared with ${against === undefined ? release.version : quoted(against)}:`,
    ...linesOf(changes),
    ...(usage?.invalid ?? []).map(
      (id) => `operation ${quoted(id)} is not valid for the compared schema, and was left out`,
    ),
  ].join("\n");
  const data = { version, ...changes, invalidOperations: usage?.invalid ?? [] };
  return { text, data, exitCode: changes.breaking.length > 0 ? 1 : 0 };
}

async function schemaFrom(source: string): Promise<GraphQLSchema> {
  try {
    // Without directives, as `after`.
    const schema = await schemaWithDirectives(source);
    if (schema.getType("join__Graph"))
      throw new Error("it is a supergraph: compare with /schema/api.graphql of the service");
    return schemaOf(printSchema(schema));
  } catch (error) {
    throw new ConfigError(`--against is ${quoted(source)}, which has no schema of callers: ${messageOf(error)}`);
  }
}

async function schemaWithDirectives(source: string): Promise<GraphQLSchema> {
  if (!/^https?:\/\//.test(source)) return schemaOf(await readFile(source, "utf8"));
  if (new URL(source).pathname.endsWith(".graphql")) return schemaOf(await textAt(source));
  return introspected(source);
}

async function introspected(url: string): Promise<GraphQLSchema> {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });
  const { status, answer } = await requestQuery(SERVER, url, { query }, NEVER);
  if (status !== 200) throw new Error(`${SERVER} answers with HTTP ${status}`);
  const { data, errors } = Object(answer) as ExecutionResult;
  if (!data) throw new Error(errors?.[0]?.message ?? `${SERVER} returns no data`);
  return buildClientSchema(data as unknown as IntrospectionQuery);
}

async function textAt(url: string): Promise<string> {
  const { status, text } = await request(SERVER, url, {}, NEVER);
  if (status !== 200) throw new Error(`${SERVER} answers with HTTP ${status}`);
  return text;
}

async function usageFrom(file: string, schema: GraphQLSchema): Promise<Usage> {
  try {
    return usageOf(schema, parseOperationList(await readFile(file, "utf8")));
  } catch (error) {
    throw new ConfigError(`--usage is ${quoted(file)}: ${messageOf(error)}`);
  }
}
