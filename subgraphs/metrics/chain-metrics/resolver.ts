import { Args, Ctx, Query, Resolver } from "type-graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import type { Interval } from "../../../core/networks/periods.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { readPeriods } from "../activity/pages.ts";
import type { MetricsContext } from "../context.ts";
import { type ChainMetric, ChainMetricArgs, ChainMetricConnection, type TimeInterval } from "./types.ts";
import { isCumulative, valuesOf } from "./values.ts";

const INTERVALS = { hour: "HOUR", day: "DAY", week: "WEEK", month: "MONTH" } as const satisfies Record<
  TimeInterval,
  Interval
>;

@Resolver(() => ChainMetricConnection)
export class ChainMetricResolver {
  @RestOnly()
  @Query(() => ChainMetricConnection, {
    description:
      "List one figure of a chain by period, newest first. `Chain.activity` returns all figures at once, except the cumulative ones. Fails with `NOT_FOUND` if the chain is not configured, and with `UNAVAILABLE` until its first block after the genesis is indexed.",
  })
  async chainMetric(
    @Args(() => ChainMetricArgs) args: ChainMetricArgs,
    @Ctx() context: MetricsContext,
  ): Promise<ChainMetricConnection> {
    const { metric, startTimestamp: from, endTimestamp: to } = args;
    const timeInterval = args.timeInterval ?? "day";
    const chainId = String(context.configuredChains.require(args.chainId).chainId);
    const { page, sums } = await readPeriods(
      {
        list: "chainMetric",
        chainId,
        interval: INTERVALS[timeInterval],
        from,
        to,
        page: args,
        isCumulative: isCumulative(metric),
        parameters: [metric],
        violation: intervalFailure(metric, timeInterval),
      },
      context,
    );
    const values = valuesOf(metric, { items: page.nodes, sums });
    return page.withNodes(page.nodes.map(({ start }, index) => ({ value: values[index] as string, timestamp: start })));
  }
}

function intervalFailure(metric: ChainMetric, timeInterval: TimeInterval): Failure | null {
  if (timeInterval === "day" || !/^(?:avg|cumulative)/.test(metric)) return null;
  return new Failure("INVALID_PARAMETER", `timeInterval must be day for ${metric}, got ${quoted(timeInterval)}`);
}
