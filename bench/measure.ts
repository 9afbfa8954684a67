import { compareAnswers } from "./answers.ts";
import { balanceLines, measureBalances } from "./balances.ts";
import { parentInput } from "./child.ts";
import { decodingLines, measureDecoding } from "./codec.ts";
import { fillDatabase } from "./database.ts";
import { exportLines, measureExport } from "./exports.ts";
import { holderLines, measureHolders } from "./holders.ts";
import { measureIndexing } from "./indexing.ts";
import { measurePReplay, replayLines } from "./primary-network.ts";
import { answerLines, indexingLines, printTable } from "./table.ts";
import { measureWatchers, watcherLines } from "./watchers.ts";

// This process must not outlive its parent.
process.on("disconnect", () => process.exit());

const url = String(parentInput());
const subject = await fillDatabase(url);
printTable(answerLines(await compareAnswers(url, subject)));
console.log();
printTable(exportLines(await measureExport(url, subject)));
console.log();
printTable(watcherLines(await measureWatchers(url, subject)));
console.log();
printTable(indexingLines(await measureIndexing(url)));
console.log();
printTable(decodingLines(measureDecoding()));
console.log();
printTable(replayLines(await measurePReplay(url)));
console.log();
printTable(balanceLines(await measureBalances(url)));
console.log();
printTable(holderLines(await measureHolders(url)));
process.disconnect();
