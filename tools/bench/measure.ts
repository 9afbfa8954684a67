import { compareAnswers } from "./answers.ts";
import { CASES, type CaseName } from "./cases.ts";
import { catchingUpLines, measureCatchingUp } from "./catching-up.ts";
import { parentInput } from "./child.ts";
import { fillDatabase, type Subject } from "./database.ts";
import { compareGateways } from "./gateways/compare.ts";
import { growthLines, measureGrowth } from "./growth.ts";
import { holderLines, measureHolders } from "./holders.ts";
import { idleChainLines } from "./idle-chain.ts";
import { measureIndexing } from "./indexing.ts";
import { listLines, measureLists } from "./lists.ts";
import { manyChainsLines, measureManyChains } from "./many-chains.ts";
import { measureMemory, measureStarts, memoryLines, startLines } from "./memory.ts";
import { measureOverload, overloadLines } from "./overload.ts";
import { measurePages, pageLines } from "./pages.ts";
import { measurePonder, ponderLines } from "./ponder.ts";
import { measureSizes, sizeLines } from "./size.ts";
import { answerLines, indexingLines, type Line, printTable } from "./table.ts";
import { freeCoresLine, measureTwoChains, twoChainsLines } from "./two-chains.ts";

/** The value that the parent passes. */
export interface MeasureInput {
  readonly url: string;
  readonly cases: readonly CaseName[];
}

// This process must not outlive its parent.
process.on("disconnect", () => process.exit());

const { url, cases } = parentInput() as MeasureInput;
let filled: Promise<Subject> | null = null;
const subject = (): Promise<Subject> => {
  filled ??= fillDatabase(url);
  return filled;
};

/** Each returns one or more tables. */
const MEASURES: Readonly<Record<CaseName, () => Promise<Line[][]>>> = {
  answers: async () => [answerLines(await compareAnswers(url, await subject()))],
  gateways: async () => [answerLines(await compareGateways(url, await subject()))],
  pages: async () => [pageLines(await measurePages(url, await subject()))],
  "catching-up": async () => [catchingUpLines(await measureCatchingUp(url, await subject()))],
  overload: async () => [overloadLines(await measureOverload(url, await subject()))],
  indexing: async () => [indexingLines(await measureIndexing(url))],
  "two-chains": async () => {
    const figures = await measureTwoChains(url);
    return [twoChainsLines(figures), [freeCoresLine(figures)]];
  },
  "many-chains": async () => {
    const { requests, idle } = await measureManyChains(url);
    return [manyChainsLines(requests), idleChainLines(idle)];
  },
  ponder: async () => [ponderLines(await measurePonder(url))],
  size: async () => sizeLines(await measureSizes(url)),
  growth: async () => [growthLines(await measureGrowth(url))],
  holders: async () => [holderLines(await measureHolders(url))],
  lists: async () => [listLines(await measureLists(url))],
  memory: async () => [memoryLines(await measureMemory())],
  start: async () => [startLines(await measureStarts())],
};

let isFirst = true;
for (const name of CASES) {
  if (!cases.includes(name)) continue;
  for (const table of await MEASURES[name]()) {
    if (!isFirst) console.log();
    isFirst = false;
    printTable(table);
  }
}
process.disconnect();
