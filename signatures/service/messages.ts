import { z } from "zod";
import { Failure, quoted } from "../../core/errors/errors.ts";
import type { AggregationInput, MessageSource } from "../protocol/protocol.ts";

/** Largest number of sources in one request. */
const MAX_SOURCES = 10_000;

const text = z.string();
const source: z.ZodType<MessageSource> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("message"),
    network: text,
    message: text.nullable(),
    justification: text.nullable(),
  }),
  z.object({ kind: z.literal("transaction"), network: text, txHash: text }),
  z.object({ kind: z.literal("log"), chainId: text, blockNumber: text, logIndex: z.int() }),
]);
const sources = z.array(source).max(MAX_SOURCES);
const aggregation: z.ZodType<AggregationInput> = z
  .object({
    source,
    signingSubnetId: text.nullable(),
    quorumPercentage: z.int().min(1).max(100),
    quorumPercentageBuffer: z.int().min(0).max(100),
    pChainHeight: text,
  })
  .refine(({ quorumPercentage, quorumPercentageBuffer }) => quorumPercentage + quorumPercentageBuffer <= 100, {
    message: "the sum of quorumPercentage and quorumPercentageBuffer must be at most 100",
    path: ["quorumPercentageBuffer"],
  });

/** The sources in the body of a request. Throws `INVALID_PARAMETER`. */
export function parseSources(body: Buffer): MessageSource[] {
  return parsed(sources, body);
}

/** The body of a request for an aggregate. Throws `INVALID_PARAMETER`. */
export function parseAggregation(body: Buffer): AggregationInput {
  return parsed(aggregation, body);
}

function parsed<Value>(schema: z.ZodType<Value>, body: Buffer): Value {
  const content = json(body);
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Failure("INVALID_PARAMETER", `${issue?.path.join(".") || "the body"}: ${issue?.message}`);
}

function json(body: Buffer): unknown {
  const content = body.toString("utf8");
  try {
    return JSON.parse(content);
  } catch {
    throw new Failure("INVALID_PARAMETER", `the body must be JSON, got ${quoted(content)}`);
  }
}
