import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { serveAvalanche } from "./avalanche/avalanche-rpc.ts";
import { createLinearChain, type LinearChain, SERVICES } from "./avalanche/linear-chain.ts";
import type { Horizon } from "./avalanche/visible-blocks.ts";
import { createEvmChain, type EvmChain } from "./evm/evm-chain.ts";
import { serveEvm } from "./evm/evm-rpc.ts";
import type { HeadMode } from "./head-clock.ts";
import { createHeads, type Headed, type Heads } from "./heads.ts";
import { isEvmChain, recordedPath } from "./manifest.ts";
import { openRecording, type Recording } from "./recording.ts";
import { type Ask, NOT_FOUND, type Reply } from "./reply.ts";

/** Folder of the recording that comes with the project. */
export const ALPHA = fileURLToPath(new URL("alpha", import.meta.url));

export interface ReplayOptions {
  /** An opened recording, so that several nodes share it; the bundled one when absent. */
  readonly recording?: Recording;
  /** Port on 127.0.0.1; a free one when absent. */
  readonly port?: number;
  /** `"full"` when absent. */
  readonly heads?: HeadMode;
}

/** A running replay of a recording, which callers cannot tell from the node that was recorded. */
export interface ReplayNode extends AsyncDisposable {
  /** Base of all paths, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly recording: Recording;
  /** Height of the newest visible block of a chain, named by alias (P, X, or an EVM chain's) or RPC path. */
  head(chain: string): number;
  /** Moves the head of a chain, forth or back, and stops its clock; throws for heights that are not recorded. */
  setHead(chain: string, height: number): void;
  close(): Promise<void>;
}

/** As long as the node's: shorter, and a polling client meets a connection that closes. */
const IDLE_MS = 120_000;

interface Replay {
  readonly recording: Recording;
  readonly evmByPath: ReadonlyMap<string, EvmChain>;
  readonly linear: readonly LinearChain[];
  readonly heads: Heads;
}

/** Listens on 127.0.0.1 and answers the recorded calls as the node did; closed by disposing of it. */
export async function startReplayNode(options: ReplayOptions = {}): Promise<ReplayNode> {
  const replay = createReplay(options);
  const server = createServer((request, response) => {
    respond(replay, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.keepAliveTimeout = IDLE_MS;
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const close = () => stop(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    recording: replay.recording,
    head: (chain) => replay.heads.of(chainNamed(replay, chain)),
    setHead: (chain, height) => replay.heads.set(chainNamed(replay, chain), height),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createReplay({ recording = openRecording(ALPHA), heads = "full" }: ReplayOptions): Replay {
  const evm = recording.manifest.chains.filter(isEvmChain);
  const evmByPath = new Map(evm.map((chain) => [chain.rpcPath, createEvmChain(recording, chain)]));
  const linear = recording.manifest.chains
    .filter(({ alias }) => Object.hasOwn(SERVICES, alias))
    .map((chain) => createLinearChain(recording, chain));
  return { recording, evmByPath, linear, heads: createHeads([...evmByPath.values(), ...linear], heads) };
}

function chainNamed({ evmByPath, linear }: Replay, name: string): Headed {
  const chain = evmByPath.get(name) ?? [...evmByPath.values(), ...linear].find(({ alias }) => alias === name);
  if (!chain) throw new RangeError(`no chain with alias or path ${name}: only those have a head that moves`);
  return chain;
}

/** Null where all that was recorded of the path is visible. */
function horizonOf({ evmByPath, linear, heads }: Replay, path: string): Horizon | null {
  const alias = /^\/ext\/(?:bc\/([PX])|index\/([PXC])\/block)$/.exec(path)?.slice(1).find(Boolean);
  const chain = alias && [...evmByPath.values(), ...linear].find((one) => one.alias === alias);
  if (!chain) return null;
  const head = heads.of(chain);
  const hides = (blockId: string) => (chain.heightOfBlock(blockId) ?? 0) > head;
  return head === chain.height ? null : { alias: chain.alias, head, hides };
}

async function respond(replay: Replay, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? "/", "http://node");
  const ask: Ask = {
    verb: request.method ?? "GET",
    path: recordedPath(replay.recording.manifest, pathname),
    query: search,
    contentType: request.headers["content-type"] ?? "",
    body: await text(request),
  };
  const { status, headers, body } = replyTo(replay, ask);
  response.writeHead(status, { ...headers, ...nodeHeaders(replay.recording) }).end(body);
}

function replyTo(replay: Replay, ask: Ask): Reply {
  const chain = replay.evmByPath.get(ask.path);
  if (chain) return serveEvm(chain, replay.heads.of(chain), ask);
  const page = replay.recording.page(ask.path + ask.query) ?? replay.recording.page(ask.path);
  const isRpc = replay.recording.methods(ask.path).length > 0;
  if (page && !(isRpc && ask.verb !== "GET")) return page;
  return isRpc ? serveAvalanche(replay.recording, ask, horizonOf(replay, ask.path)) : NOT_FOUND;
}

function nodeHeaders(recording: Recording): Record<string, string> {
  const nodeId = /NodeID-\w+/.exec(recording.answer("/ext/info", "info.getNodeID")?.text ?? "")?.[0];
  return { ...(nodeId ? { "Node-Id": nodeId } : {}), Vary: "Origin" };
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, "close");
}
