import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import type { AggregationStep, SignatureService } from "../../../signatures/protocol/client.ts";
import type { AggregationInput } from "../../../signatures/protocol/protocol.ts";
import type { SignatureAggregation, SignatureProgress } from "./types.ts";

/** What a subscriber gets: the progress of an aggregation, or, as the last value, its failure. */
export type ProgressUpdate = SignatureProgress | Failure;

/** The aggregations that callers wait for. Disposing it ends all of them with `UNAVAILABLE`. */
export interface Aggregations extends Disposable {
  /** Returns the result, or throws a `Failure`. If the caller closes the connection, the request to the service is ended. */
  run(input: AggregationInput, work: Work): Promise<SignatureAggregation>;
  /** Yields the progress. Ends after the result or a failure. Ending the iteration ends the request to the service. */
  follow(input: AggregationInput): AsyncIterableIterator<ProgressUpdate>;
}

export function createAggregations(service: SignatureService): Aggregations {
  const controllers = new Set<AbortController>();

  /** The steps of one aggregation, until the controller aborts it. */
  async function* steps(input: AggregationInput, controller: AbortController): AsyncGenerator<AggregationStep> {
    controllers.add(controller);
    try {
      yield* service.aggregate(input, controller.signal);
    } finally {
      controllers.delete(controller);
    }
  }

  return {
    async run(input, work) {
      const controller = new AbortController();
      const abort = () => controller.abort(work.reason);
      if (work.reason) abort();
      work.onCancel.add(abort);
      try {
        for await (const step of steps(input, controller))
          if (step.type === "result") return step as SignatureAggregation; // the type of the graph only adds names
      } finally {
        work.onCancel.delete(abort);
      }
      throw new Error("an aggregation ended without a result");
    },
    follow(input) {
      const controller = new AbortController();
      return endable(updates(steps(input, controller)), controller);
    },
    [Symbol.dispose]() {
      const reason = new Failure("UNAVAILABLE", "the service is shutting down");
      for (const controller of [...controllers]) controller.abort(reason);
    },
  };
}

/** The progress of an aggregation; the last update has its result. A `Failure` of the steps becomes the last update. */
async function* updates(steps: AsyncIterable<AggregationStep>): AsyncGenerator<ProgressUpdate> {
  try {
    for await (const step of steps) {
      if (step.type === "result") yield { ...step, aggregation: step } as SignatureProgress;
      // The step with the result becomes the update for `DONE`.
      else if (step.state !== "DONE") yield { ...step, aggregation: null } as SignatureProgress;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield error;
  }
}

/** The same iterator, but `return` aborts at once, even while `next` waits. The `return` of a generator would wait for `next`. */
function endable<Item>(items: AsyncGenerator<Item>, controller: AbortController): AsyncIterableIterator<Item> {
  let isEnded = false;
  const iterator: AsyncIterableIterator<Item> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      try {
        return await items.next();
      } catch (error) {
        if (!isEnded) throw error;
        return { done: true, value: undefined };
      }
    },
    async return() {
      isEnded = true;
      controller.abort();
      await items.return(undefined);
      return { done: true, value: undefined };
    },
  };
  return iterator;
}
