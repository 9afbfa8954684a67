import { z } from "zod";
import { graphRef, SECRET, url } from "./fields.ts";

/** Access tokens of organizations begin with it. */
const ORGANIZATION_TOKEN = "hvo1/";

const hive = z
  .strictObject({
    token: z.string().min(1).meta(SECRET).describe("Access token that may report usage."),
    target: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Target of the report, as `organization/project/target` or its id. Must be set for a token that begins with `hvo1/`, and only for such a token.",
      ),
    endpoint: url
      .default("https://app.graphql-hive.com/usage")
      .describe("URL that accepts the reports, for a Hive of your own."),
  })
  .refine(({ token, target }) => token.startsWith(ORGANIZATION_TOKEN) === (target !== undefined), {
    path: ["target"],
    error: "must be set if the token begins with hvo1/, and only then",
  });

const apollo = z.strictObject({
  key: z.string().min(1).meta(SECRET).describe("API key of the graph."),
  graphRef,
  endpoint: url
    .default("https://usage-reporting.api.apollographql.com")
    .describe("Base URL of the server that accepts the reports."),
});

/** The setting `graphql.usageReporting`. */
export const usageReporting = z.strictObject({
  hive: hive.optional().describe("Reports to GraphQL Hive. If not set, there are none."),
  apollo: apollo.optional().describe("Reports to Apollo GraphOS. If not set, there are none."),
});
