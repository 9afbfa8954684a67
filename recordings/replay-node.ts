import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { serveAvalanche } from "./avalanche/avalanche-rpc.ts";
import { createLinearChain, type LinearChain, SERVICES } from "./avalanche/linear-chain.ts";
import type { VisibleBlocks } from "./avalanche/visible-blocks.ts";
import { createEvmChain, type EvmChain } from "./evm/evm-chain.ts";
import { serveEvm } from "./evm/evm-rpc.ts";
import type { HeadMode } from "./head-clock.ts";
import { createHeads, type Heads, type ReplayedChain } from "./heads.ts";
import { isEvmChain, recordedPath } from "./manifest.ts";
import { openRecording, type Recording } from "./recording.ts";
import { NOT_FOUND, type NodeRequest, type Reply } from "./reply.ts";

/** Folder of the bundled recording. */
export const ALPHA = fileURLToPath(new URL("alpha", import.meta.url));

export interface ReplayOptions {
  /** An opened recording, which several nodes can share. Default: the bundled one. */
  readonly recording?: Recording;
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Default: `"full"`. */
  readonly heads?: HeadMode;
}

/** An HTTP server that answers as the recorded node did. */
export interface ReplayNode extends AsyncDisposable {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly recording: Recording;
  /** Height of the newest visible block of a chain, given by alias (P, X or that of an EVM chain) or RPC path. */
  head(chain: string): number;
  /** See `Heads.arrivalsMs`. */
  arrivalsMs(chain: string): readonly number[];
  /** Moves the head of a chain forwards or backwards and stops its clock. Throws for heights that are not recorded. */
  setHead(chain: string, height: number): void;
  close(): Promise<void>;
}

/** Keep-alive timeout of a node. A shorter one would close connections of polling clients. */
const IDLE_MS = 120_000;

interface Replay {
  readonly recording: Recording;
  readonly evmByPath: ReadonlyMap<string, EvmChain>;
  readonly linear: readonly LinearChain[];
  readonly heads: Heads;
}

/** Starts a replay node on 127.0.0.1. Disposing of it closes it. */
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
    arrivalsMs: (chain) => replay.heads.arrivalsMs(chainNamed(replay, chain)),
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

function chainNamed({ evmByPath, linear }: Replay, name: string): ReplayedChain {
  const chain = evmByPath.get(name) ?? [...evmByPath.values(), ...linear].find(({ alias }) => alias === name);
  if (!chain) throw new RangeError(`no replayed chain has the alias or path ${name}`);
  return chain;
}

/** The visible blocks of the chain behind a path; null if all recorded ones are visible. */
function visibleBlocksOf({ evmByPath, linear, heads }: Replay, path: string): VisibleBlocks | null {
  const alias = /^\/ext\/(?:bc\/([PX])|index\/([PXC])\/block)$/.exec(path)?.slice(1).find(Boolean);
  const chain = alias && [...evmByPath.values(), ...linear].find((one) => one.alias === alias);
  if (!chain) return null;
  const head = heads.of(chain);
  const hides = (blockId: string) => (chain.heightOfBlock(blockId) ?? 0) > head;
  return head === chain.height ? null : { alias: chain.alias, head, hides };
}

async function respond(replay: Replay, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? "/", "http://node");
  const nodeRequest: NodeRequest = {
    verb: request.method ?? "GET",
    path: recordedPath(replay.recording.manifest, pathname),
    query: search,
    contentType: request.headers["content-type"] ?? "",
    body: await text(request),
  };
  const { status, headers, body } = replyTo(replay, nodeRequest);
  response.writeHead(status, { ...headers, ...nodeHeaders(replay.recording) }).end(body);
}

function replyTo(replay: Replay, request: NodeRequest): Reply {
  const chain = replay.evmByPath.get(request.path);
  if (chain) return serveEvm(chain, replay.heads.of(chain), request);
  const page = replay.recording.page(request.path + request.query) ?? replay.recording.page(request.path);
  const isRpc = replay.recording.methods(request.path).length > 0;
  if (page && !(isRpc && request.verb !== "GET")) return page;
  return isRpc ? serveAvalanche(replay.recording, request, visibleBlocksOf(replay, request.path)) : NOT_FOUND;
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
