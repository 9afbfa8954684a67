import { setTimeout as sleep } from "node:timers/promises";
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import {
  type CounterKey,
  type GaugeKey,
  type HistogramKey,
  type LabelsOf,
  METRICS,
  type MetricKey,
} from "./definitions.ts";

/** One value of a gauge. */
export interface Sample<Key extends GaugeKey> {
  readonly labels: LabelsOf<Key>;
  readonly value: number;
}

/** A read that takes longer contributes nothing: metrics are needed most while the database hangs. */
const READ_TIMEOUT_MS = 1_000;

type Read = () => readonly Sample<GaugeKey>[] | Promise<readonly Sample<GaugeKey>[]>;

interface Recorder {
  readonly registry: Registry;
  readonly metrics: Readonly<Record<MetricKey, Counter | Gauge | Histogram>>;
}

/** A process has one recorder, to which all its schemas report. While it is null, metrics are off and nothing is recorded. */
let recorder: Recorder | null = null;
const reads = new Map<GaugeKey, Set<Read>>();

/** Counts events. Made once for each combination of labels, not for each event. */
export interface CounterCell {
  add(count?: number): void;
}

/** Records values. Made once for each combination of labels, not for each value. */
export interface HistogramCell {
  observe(value: number): void;
}

/** The series of a counter with these labels. */
export function counterOf<Key extends CounterKey>(key: Key, labels: LabelsOf<Key>): CounterCell {
  let child: Counter.Internal | undefined;
  return {
    add(count = 1) {
      if (!recorder) return;
      child ??= (recorder.metrics[key] as Counter).labels(labels);
      child.inc(count);
    },
  };
}

/** The series of a histogram with these labels. */
export function histogramOf<Key extends HistogramKey>(key: Key, labels: LabelsOf<Key>): HistogramCell {
  let child: Histogram.Internal<string> | undefined;
  return {
    observe(value) {
      if (!recorder) return;
      child ??= (recorder.metrics[key] as Histogram).labels(labels);
      child.observe(value);
    },
  };
}

/**
 * Reads values of a gauge whenever metrics are scraped, until the result is disposed. Values with equal labels are added up. A
 * read that fails, or takes longer than a second, contributes nothing.
 */
export function readGauge<Key extends GaugeKey>(
  key: Key,
  read: () => readonly Sample<Key>[] | Promise<readonly Sample<Key>[]>,
): Disposable {
  const ofKey = reads.get(key) ?? new Set<Read>();
  reads.set(key, ofKey.add(read));
  return { [Symbol.dispose]: () => void ofKey.delete(read) };
}

/** True if metrics are on. Whatever costs more than a function call to measure is measured only then. */
export function isRecording(): boolean {
  return recorder !== null;
}

/** Switches metrics on for the rest of the process. Until then, prom-client is not even loaded. */
export async function startRecording(): Promise<Registry> {
  if (recorder) return recorder.registry;
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = (await import("prom-client")).default;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const create = (key: MetricKey): Recorder["metrics"][MetricKey] => {
    const { type, name, help, labels, buckets = [] } = { buckets: [], ...METRICS[key] };
    const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
    if (type === "counter") return new Counter(options);
    if (type === "histogram") return new Histogram({ ...options, buckets: [...buckets] });
    return new Gauge({
      ...options,
      async collect() {
        this.reset();
        // The reset gives a gauge without labels the value 0, which would say that a disk is full.
        if (options.labelNames.length === 0) this.remove();
        for (const { labels, value } of await samplesOf(key as GaugeKey)) this.inc(labels, value);
      },
    });
  };
  const keys = Object.keys(METRICS) as MetricKey[];
  const metrics = Object.fromEntries(keys.map((key) => [key, create(key)])) as Recorder["metrics"];
  recorder = { registry, metrics };
  return registry;
}

async function samplesOf(key: GaugeKey): Promise<readonly Sample<GaugeKey>[]> {
  const samples = await Promise.all(
    [...(reads.get(key) ?? [])].map(async (read) => {
      const timer = new AbortController();
      try {
        return await Promise.race([read(), sleep(READ_TIMEOUT_MS, [], { signal: timer.signal })]);
      } catch {
        return [];
      } finally {
        timer.abort();
      }
    }),
  );
  return samples.flat();
}
