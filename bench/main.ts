import { compareAnswers } from "./answers.ts";
import { fillDatabase, startBenchDatabase } from "./database.ts";
import { measureIndexing } from "./indexing.ts";
import { answerLines, indexingLines, printTable } from "./table.ts";

/** `npm run bench`: what the graph costs against handlers written by hand, and how fast chains are indexed. */
await using database = await startBenchDatabase();
const subject = await fillDatabase(database.url);
printTable(answerLines(await compareAnswers(database.url, subject)));
console.log();
printTable(indexingLines(await measureIndexing(database.url)));
