import type { MetricValueWithName, Registry } from "prom-client";

type Labels = Readonly<Record<string, string>>;

/** The values of one series of a histogram. */
export interface BucketCounts {
  add(value: number): void;
}

/** A histogram whose series are found once, and then count values without a search for their labels. */
export interface CountedHistogram {
  /** The series with these labels, which are in the same order in each call. */
  series(labels: Labels): BucketCounts;
}

interface Definition {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

interface Series extends BucketCounts {
  /** Empty if nothing has been counted. */
  values(): MetricValueWithName<string>[];
  /** Forgets what has been counted. */
  reset(): void;
}

/**
 * Adds a histogram to a registry of prom-client. A series of prom-client's own histogram finds its labels and its buckets by text for each
 * value, which takes as long as the guards of a request.
 */
export function addHistogram(registry: Registry, { name, help, buckets }: Definition): CountedHistogram {
  const all = new Map<string, Series>();
  const get = () => ({ name, help, type: "histogram", values: [...all.values()].flatMap((one) => one.values()) });
  const reset = () => {
    for (const series of all.values()) series.reset();
  };
  // The registry calls nothing else. Its types list the classes of prom-client only.
  registry.registerMetric({ name, get, reset } as unknown as Parameters<Registry["registerMetric"]>[0]);
  return {
    series(labels) {
      const key = JSON.stringify(labels);
      const series = all.get(key) ?? createSeries(name, labels, buckets);
      all.set(key, series);
      return series;
    },
  };
}

function createSeries(name: string, labels: Labels, bounds: readonly number[]): Series {
  /** The last one counts values above all bounds. */
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    add(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] as number)) at++;
      counts[at] = (counts[at] as number) + 1;
      sum += value;
    },
    values() {
      let count = 0;
      const buckets = counts.map((own, at) => {
        count += own;
        return { metricName: `${name}_bucket`, labels: { le: bounds[at] ?? "+Inf", ...labels }, value: count };
      });
      if (count === 0) return [];
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    },
    reset() {
      counts.fill(0);
      sum = 0;
    },
  };
}
