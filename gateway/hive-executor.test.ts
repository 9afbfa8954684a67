import { type ExecutionResult, parse } from "graphql";
import { createSmallSubgraphs } from "../test/federation/small-subgraphs.ts";
import { createHiveExecutor, type HiveExecutor } from "./hive-executor.ts";
import { createPassThrough } from "./pass-through.ts";

type Options = Parameters<HiveExecutor["handle"]>[0];

/** What the runtime gives to the handler of a supergraph. Counts how often the supergraph is read, and notes the fetches of plans. */
function createOptions(supergraph: string) {
  const seen = { reads: 0, schemas: 0, fetches: [] as string[] };
  const options = {
    getUnifiedGraphSDL() {
      seen.reads++;
      return supergraph;
    },
    // The handler looks for these hooks when it makes the schemas of the subgraphs.
    onDelegationStageExecuteHooks: {
      get length() {
        seen.schemas++;
        return 0;
      },
    },
    async onSubgraphExecute(name: string): Promise<ExecutionResult> {
      seen.fetches.push(name);
      return { data: { change: 1 } };
    },
  };
  return { seen, options: options as unknown as Options };
}

describe("Hive's executor", () => {
  const { supergraph, subgraphs } = createSmallSubgraphs();
  const { schema } = createPassThrough(supergraph, subgraphs);
  const change = { document: parse("mutation { change }"), operationType: "mutation", context: {} } as const;

  it("is made by the first operation that needs it, and runs operations by the supergraph", async () => {
    const { seen, options } = createOptions(supergraph);
    const { unifiedGraph, executor } = createHiveExecutor(schema, supergraph).handle(options);
    expect([unifiedGraph === schema, seen.reads]).toEqual([true, 0]);
    for (let operation = 0; operation < 2; operation++)
      expect(await executor?.(change as never)).toEqual({ data: { change: 1 } });
    expect(seen).toEqual({ reads: 1, schemas: 1, fetches: ["things", "things"] });
  });

  it("can be made before, once", async () => {
    const { seen, options } = createOptions(supergraph);
    const hive = createHiveExecutor(schema, supergraph);
    await hive.warmUp();
    const { executor } = hive.handle(options);
    await hive.warmUp();
    expect(seen).toMatchObject({ reads: 1, schemas: 1 });
    await executor?.(change as never);
    expect(seen).toMatchObject({ reads: 1, schemas: 1 });
  });
});

it("the schema that callers see defines no field of introspection", () => {
  const { supergraph, subgraphs } = createSmallSubgraphs();
  const fields = createPassThrough(supergraph, subgraphs).schema.getQueryType()?.getFields() ?? {};
  expect(Object.keys(fields)).toContain("things");
  expect(Object.keys(fields).filter((name) => name.startsWith("__"))).toEqual([]);
});
