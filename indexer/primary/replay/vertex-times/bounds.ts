/** What is known about the times of an X-Chain's vertices, by vertex index. Times are in seconds. */
export interface VertexFacts {
  readonly count: number;
  /** When the node accepted each vertex. Never decreases. */
  readonly accepted: Float64Array;
  /** Times from the file of known times; NaN where it has none. */
  readonly known: Float64Array;
  /** Latest exports that the vertex imports from other chains; -Infinity without one. */
  readonly exported: Float64Array;
  /** Earliest import of what the vertex exports to other chains; Infinity without one. */
  readonly imported: Float64Array;
  /** Pairs of vertices of which the first is not later than the second, in the order of the second. */
  readonly earlier: ArrayLike<number>;
  readonly later: ArrayLike<number>;
  readonly genesisTime: number;
  /** Time of block 0. */
  readonly firstBlockTime: number;
  /** Index of the stop vertex, after which the blocks begin; -1 if the node's index lacks it. */
  readonly stopVertex: number;
  /** Time of the first block after block 0, which is built after the stop vertex is accepted; Infinity without one. */
  readonly secondBlockTime: number;
}

/** The time of each vertex, and the earliest possible time, which is NaN if the time is exact. */
export interface VertexTimes {
  readonly times: Float64Array;
  readonly earliest: Float64Array;
}

/** A vertex whose import follows the export within this number of seconds shows that the node was not catching up. */
const CONFIRMED_SECONDS = 2;

/** The time of a block may be this number of seconds ahead of the clock of a node that accepts it. */
const CLOCK_SECONDS = 10;

/**
 * Determines the times of vertices from all that the chains prove. A vertex has no time of its own. The node's time of acceptance is
 * exact if the node followed the chain. It is too late if the node caught up: then some of its times contradict the blocks of the
 * chains. All times between the last confirmation before such a time and the first one after it are estimates, because the
 * node may have caught up with all of these vertices. An estimate is the latest possible time. A time from the file is always exact.
 */
export function timesOf(facts: VertexFacts): VertexTimes {
  const proven = provenBounds(facts);
  const trust = trustedVertices(facts, proven);
  const latest = proven.latest.map((bound, i) => Math.min(bound, latestByNode(facts, proven.earliest, trust, i)));
  lowerLatest(facts, latest);
  const { stopVertex, accepted, known, secondBlockTime } = facts;
  if (stopVertex >= 0 && isUnknown(known, stopVertex)) {
    const at = accepted[stopVertex] as number;
    if (trust[stopVertex] === TRUSTED && at <= secondBlockTime) latest[stopVertex] = at;
  }
  const earliest = Float64Array.from(proven.earliest);
  const isExact = (i: number) => !isUnknown(known, i) || (trust[i] === TRUSTED && latest[i] === accepted[i]);
  for (let i = 0; i < facts.count; i++) if (isExact(i)) earliest[i] = latest[i] as number;
  raiseEarliest(facts, earliest, latest);
  for (let i = 0; i < facts.count; i++) if ((earliest[i] as number) >= (latest[i] as number)) earliest[i] = Number.NaN;
  return { times: latest, earliest };
}

const isUnknown = (known: Float64Array, i: number): boolean => Number.isNaN(known[i]);

interface Bounds {
  readonly earliest: Float64Array;
  readonly latest: Float64Array;
}

/** Bounds without the node's times. */
function provenBounds(facts: VertexFacts): Bounds {
  const { count, known, exported, imported, genesisTime, firstBlockTime } = facts;
  const earliest = new Float64Array(count);
  const latest = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const isKnown = !isUnknown(known, i);
    earliest[i] = isKnown ? (known[i] as number) : Math.max(genesisTime, exported[i] as number);
    latest[i] = isKnown ? (known[i] as number) : Math.min(firstBlockTime, imported[i] as number);
  }
  lowerLatest(facts, latest);
  raiseEarliest(facts, earliest, latest);
  return { earliest, latest };
}

/** Lowers the latest time of each vertex to that of every vertex that is not earlier. Known times stay. */
function lowerLatest({ earlier, later, known }: VertexFacts, latest: Float64Array): void {
  // One pass suffices if all pairs are in the order of the index. A vertex may also spend outputs of a later one.
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (let at = earlier.length - 1; at >= 0; at--) {
      const one = earlier[at] as number;
      const bound = latest[later[at] as number] as number;
      if ((latest[one] as number) <= bound || !isUnknown(known, one)) continue;
      latest[one] = bound;
      isChanged = true;
    }
  }
}

/** Raises the earliest time of each vertex to that of every vertex that is not later, at most to its latest time. */
function raiseEarliest({ earlier, later, known }: VertexFacts, earliest: Float64Array, latest: Float64Array): void {
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (let at = 0; at < later.length; at++) {
      const one = later[at] as number;
      const bound = Math.min(earliest[earlier[at] as number] as number, latest[one] as number);
      if ((earliest[one] as number) >= bound || !isUnknown(known, one)) continue;
      earliest[one] = bound;
      isChanged = true;
    }
  }
}

const TRUSTED = 0;
/** The node caught up: its time is not earlier than the vertex. */
const LATE = 1;
/** The node's clock was wrong: its time proves nothing. */
const WRONG = 2;

/** Whether the node's time of each vertex is to be trusted. */
function trustedVertices(facts: VertexFacts, { earliest, latest }: Bounds): Uint8Array {
  const { count, accepted, known, stopVertex } = facts;
  const periods = periodsOf(facts, latest);
  const worst = new Uint8Array((periods.at(-1) ?? 0) + 1);
  for (let i = 0; i < count; i++) {
    const at = accepted[i] as number;
    if (!isUnknown(known, i) || i === stopVertex) continue;
    const period = periods[i] as number;
    const isWrong = at < (earliest[i] as number) - CLOCK_SECONDS;
    const isImpossible = at > (latest[i] as number) || at < (earliest[i] as number);
    worst[period] = Math.max(worst[period] as number, isWrong ? WRONG : isImpossible ? LATE : TRUSTED);
  }
  return Uint8Array.from(periods, (period) => worst[period] as number);
}

/**
 * Numbers the periods between confirmations. A vertex that the node accepted in the second of a confirmation belongs to the period
 * before it.
 */
function periodsOf({ count, accepted, known, exported }: VertexFacts, latest: Float64Array): Int32Array {
  const periods = new Int32Array(count);
  let confirmedAt = Number.NaN;
  let period = 0;
  for (let i = 0; i < count; i++) {
    const at = accepted[i] as number;
    if (at > confirmedAt) {
      period++;
      confirmedAt = Number.NaN;
    }
    periods[i] = period;
    const delay = at - (exported[i] as number);
    if (isUnknown(known, i) && delay >= 0 && delay <= CONFIRMED_SECONDS && at <= (latest[i] as number))
      confirmedAt = at;
  }
  return periods;
}

/** The latest time of a vertex according to the node. */
function latestByNode({ accepted, known }: VertexFacts, earliest: Float64Array, trust: Uint8Array, i: number): number {
  if (trust[i] === WRONG || !isUnknown(known, i)) return Number.POSITIVE_INFINITY;
  return Math.max(accepted[i] as number, earliest[i] as number);
}
