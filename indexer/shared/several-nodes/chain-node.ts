import { linkedController } from "../../../core/async/linked-controller.ts";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import type { Clock } from "../clock.ts";
import { handledLater } from "../handled-later.ts";
import { NodeUnavailable } from "../node/errors.ts";
import type { NodeState, NodeStatus } from "../progress.ts";

/** First pause before an unavailable node is asked again; it doubles with each further failure, up to the longest pause. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;
/** How long the other nodes are waited for, once one of them has answered. Much longer than an answer about one block takes. */
const LATE_MS = 3_000;
/** First step by which a limit rises if a node lacks a block; it doubles with each further one. */
const FIRST_STEP = 64;
/** A missing block that is not further than this below the node's head may not have reached the node yet. */
const MAX_LAG_BLOCKS = 64;
/** Weight of the last request in the average time of a request. */
const LAST_WEIGHT = 0.3;

/** An error of a node, which another node may not have. */
export type NodeError = NodeUnavailable | BadUpstreamData;

export const isNodeError = (error: unknown): error is NodeError =>
  error instanceof NodeUnavailable || error instanceof BadUpstreamData;

/** What is known of one node of a chain. */
export interface ChainNode {
  readonly name: string;
  readonly status: NodeStatus;
  readonly isUsable: boolean;
  readonly isQuarantined: boolean;
  /** Why it is not usable; null if it is usable, or was not asked yet. */
  readonly error: NodeError | null;
  /** Height of its last block, as last seen; null if unknown. */
  readonly head: number | null;
  /** Average milliseconds until it has answered a request for blocks; 0 if unknown. */
  pieceMs: number;
  /** Blocks that it has returned per millisecond, with all requests at a time; 0 if unknown. */
  blocksPerMs: number;
  /** True if it may have the block, as far as known. */
  has(number: number): boolean;
  /** It reported its last block. */
  reported(head: number): void;
  /** It can be used. */
  admitted(): void;
  /** It returned blocks: the next failure is the first one again. */
  worked(): void;
  /** It does not return this block. */
  lacks(number: number): void;
  /** It cannot be used until the pause is over and it is admitted again. */
  failed(error: NodeError): void;
  /** It is not asked again. */
  quarantined(reason: string): void;
  /** True if it is unavailable, and its pause is over. */
  isDue(): boolean;
}

/** A node, and the clients that read it. */
export type ChainNodeWith<Clients> = ChainNode & Clients;

export interface ChainNodeOptions {
  readonly clock: Pick<Clock, "nowMs">;
  /** Called when the state, the reason or the head has changed. */
  readonly onChange: (node: ChainNode, before: NodeStatus) => void;
}

/** A node that was not asked yet. */
export function createChainNode<Clients extends { readonly name: string }>(
  clients: Clients,
  { clock, onChange }: ChainNodeOptions,
): ChainNodeWith<Clients> {
  const { name } = clients;
  let state: NodeState = "UNAVAILABLE";
  let error: NodeError | null = null;
  let head: number | null = null;
  let firstBlock = createLimit();
  let failures = 0;
  let retryAtMs = Number.NEGATIVE_INFINITY;

  const change = (apply: () => void) => {
    const before = node.status;
    apply();
    const { status } = node;
    if (before.state !== status.state || before.reason !== status.reason || before.head !== status.head)
      onChange(node, before);
  };
  const node: ChainNodeWith<Clients> = {
    ...clients,
    pieceMs: 0,
    blocksPerMs: 0,
    get status() {
      return { name, state, head, reason: error?.message ?? null };
    },
    get isUsable() {
      return state === "USABLE";
    },
    get isQuarantined() {
      return state === "QUARANTINED";
    },
    get error() {
      return error;
    },
    get head() {
      return head;
    },
    has: (number: number) => (head === null || number <= head) && number >= firstBlock.current,
    reported(number: number) {
      change(() => {
        head = number;
      });
    },
    admitted() {
      if (state !== "UNAVAILABLE") return;
      // It may be another node at the same address.
      firstBlock = createLimit();
      change(() => {
        state = "USABLE";
        error = null;
      });
    },
    worked() {
      failures = 0;
    },
    lacks(number: number) {
      if (head !== null && number > head - MAX_LAG_BLOCKS) node.reported(number - 1);
      else firstBlock.raise(number, head);
    },
    failed(why: NodeError) {
      if (state === "QUARANTINED") return;
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++) * (0.5 + Math.random() / 2);
      retryAtMs = clock.nowMs() + Math.max(pauseMs, why instanceof NodeUnavailable ? why.retryAfterMs : 0);
      change(() => {
        state = "UNAVAILABLE";
        error = why;
      });
    },
    quarantined(reason: string) {
      change(() => {
        state = "QUARANTINED";
        error = new BadUpstreamData(reason);
      });
    },
    isDue: () => state === "UNAVAILABLE" && clock.nowMs() >= retryAtMs,
  };
  return node;
}

/** What the node answers; null if it does not answer, which makes it unavailable. */
export async function ask<Node extends ChainNode, Answer>(
  node: Node,
  read: (node: Node) => Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await read(node);
  } catch (error) {
    if (!isNodeError(error)) throw error;
    node.failed(error);
    return null;
  }
}

/** The clock by which answers are waited for, and the signal that ends the wait. */
export interface Wait {
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

/** Waits until all have ended, at most for some time after the first that was successful. Rejects if one rejects in the meantime. */
export async function allOrSoonAfterFirst(
  running: readonly Promise<boolean>[],
  graceMs: number,
  { clock, signal }: Wait,
): Promise<void> {
  const all = handledLater(Promise.all(running));
  const first = Promise.any(running.map(async (one) => (await one) || Promise.reject(new Error())));
  using grace = linkedController(signal);
  const afterGrace = first.then(() => clock.sleep(graceMs, grace.signal));
  try {
    await Promise.race([all, afterGrace.catch(() => all)]);
  } finally {
    grace.abort(new Error("the wait has ended"));
  }
}

/** A node and what it has answered. */
export interface AnswerOf<Node, Answer> {
  readonly node: Node;
  readonly answer: Answer;
}

/**
 * What the nodes answer to a short question, in the order of the nodes. One that does not answer becomes unavailable: at the latest some time
 * after the first answer, so that a node that hangs does not hold up the others.
 */
export async function askAll<Node extends ChainNode, Answer>(
  nodes: readonly Node[],
  read: (node: Node) => Promise<Answer>,
  wait: Wait,
): Promise<readonly AnswerOf<Node, Answer>[]> {
  const answers = new Map<Node, Answer>();
  const waiting = new Set(nodes);
  const asked = nodes.map(async (node) => {
    const answer = await ask(node, read);
    if (waiting.delete(node) && answer !== null) answers.set(node, answer);
    return answer !== null;
  });
  await allOrSoonAfterFirst(asked, LATE_MS, wait);
  for (const node of waiting)
    node.failed(new NodeUnavailable(`the node gave no answer within ${LATE_MS} ms of another node`));
  waiting.clear();
  return nodes.flatMap((node) => {
    const answer = answers.get(node);
    return answer === undefined ? [] : [{ node, answer }];
  });
}

/** A result of a chain's only node, by which the state of the node is kept up to date. Rejects with the errors of the node. */
export async function watched<Result>(node: ChainNode, reading: Promise<Result>): Promise<Result> {
  try {
    const result = await reading;
    node.worked();
    node.admitted();
    return result;
  } catch (error) {
    if (isNodeError(error) && !(error instanceof BadUpstreamData)) node.failed(error);
    throw error;
  }
}

/** The lowest block of which a node may have something. Learned from its refusals, in growing steps. */
export interface Limit {
  readonly current: number;
  /** The node refused a block below its head. */
  raise(refused: number, head: number | null): void;
}

export function createLimit(): Limit {
  let current = 0;
  let step = FIRST_STEP;
  return {
    get current() {
      return current;
    },
    raise(refused, head) {
      if (refused < current) return;
      current = Math.max(refused + 1, Math.min(refused + step, head ?? Number.POSITIVE_INFINITY));
      step *= 2;
    },
  };
}

/** The average after one more value. */
export function averageWith(average: number, value: number): number {
  return average === 0 ? value : average + LAST_WEIGHT * (value - average);
}
