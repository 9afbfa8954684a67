import { compileText, schema } from "./schema.ts";

export const createSubgraph = () => ({ name: "weather", schema, compileText, context: () => ({}) });
