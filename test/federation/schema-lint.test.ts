import { readFileSync } from "node:fs";
import graphql from "@graphql-eslint/eslint-plugin";
import { Linter } from "eslint";
import { printSchema } from "graphql";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";

const schema = printSchema(createPlanner(committedSupergraph(), []).publicSchema);

/** What the rules `schema-recommended` of GraphQL ESLint report and stays, by rule. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // The names of the REST specification, and keys of entities, which every subgraph and the REST operations name.
  "no-typename-prefix": [
    "AtomicMemory.atomicMemoryLocked",
    "AtomicMemory.atomicMemoryUnlocked",
    "Blockchain.blockchainId",
    "Blockchain.blockchainName",
    "Chain.chainId",
    "Chain.chainLogoUri",
    "Chain.chainName",
    "Method.methodHash",
    "Method.methodName",
    "Node.nodeId",
    "Operation.operationId",
    "Operation.operationStatus",
    "Operation.operationType",
    "Subnet.subnetId",
    "Subnet.subnetOwnershipInfo",
    "Validator.validatorHealth",
  ],
  // The printed schema has the definitions of directives, but not where they are used.
  "no-unreachable-types": ["semanticNonNull"],
  // The composition leaves out descriptions of directives.
  "require-description": ["semanticNonNull"],
};

/** Entities have the field `id`. Pages, amounts and other parts of an entity have none. */
const ONLY_FOR_ENTITIES = "strict-id-in-types";

describe("GraphQL ESLint with the rules schema-recommended", () => {
  const { rules } = graphql.configs["flat/schema-recommended"];
  const messages = new Linter().verify(
    schema,
    [
      {
        files: ["**/*.graphql"],
        languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema } } },
        plugins: { "@graphql-eslint": graphql },
        rules,
      },
    ] as unknown as Linter.Config[],
    "schema.graphql",
  );
  const reports = messages.map(({ ruleId, message }) => ({ rule: String(ruleId).split("/")[1] ?? "", message }));

  it("reports nothing but what is allowed", () => {
    const found = new Map<string, string[]>();
    for (const { rule, message } of reports)
      if (rule !== ONLY_FOR_ENTITIES) found.set(rule, [...(found.get(rule) ?? []), subjectOf(message)].sort());
    expect(Object.fromEntries(found)).toEqual(ALLOWED);
  });

  it("misses the field id only in types that are no entities", () => {
    const entities = new Set(
      [...readFileSync("gateway/supergraph.graphql", "utf8").matchAll(/^type (\w+).*\bkey: /gm)].map(
        ([, name]) => name,
      ),
    );
    const missing = reports.filter(({ rule }) => rule === ONLY_FOR_ENTITIES).map(({ message }) => subjectOf(message));
    expect(entities.size).toBeGreaterThan(20);
    expect(missing.length).toBeGreaterThan(20);
    expect(missing.filter((name) => entities.has(name))).toEqual([]);
  });
});

/** The names in a message, such as `Chain.chainId`. */
function subjectOf(message: string): string {
  const [first = "", second] = [...message.matchAll(/["`](\w+)["`]/g)].map(([, name]) => name);
  return second ? `${second}.${first}` : first;
}
