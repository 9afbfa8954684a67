import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createRawBlockPartition } from "../../indexer/primary/raw-blocks/entries.ts";
import { openReplay } from "../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import { readPrimaryRecording } from "../support/recorded/primary-recording.ts";

/** Replays a recording of a primary network block by block into the database whose URL it reads from standard input. */
const [, , folder = ""] = process.argv;
const { network, entries, atomicBlocks } = readPrimaryRecording(folder);
console.log("ready");
const [url] = (await once(createInterface(process.stdin), "line")) as [string];
let writer = await tryBecomeWriter(url, "primary");
for (; !writer; writer = await tryBecomeWriter(url, "primary")) await sleep(1);
await createRawBlockPartition(writer, network.networkId);
const replay = await openReplay({ writer, network });
for (let isOver = false; !isOver; ) {
  isOver = true;
  for (const chain of ["P", "X"] as const) {
    const [next] = entries[chain].slice(replay.heads[chain].rawSeq + 1);
    if (!next) continue;
    isOver = false;
    await replay.accept(chain, [next]);
  }
  const block = atomicBlocks.find(({ number }) => number > replay.heads.C.blockNumber);
  if (!block) continue;
  isOver = false;
  await replay.acceptAtomic([block]);
}
await writer[Symbol.asyncDispose]();
process.exit();
