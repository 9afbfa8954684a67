import { configSchema } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { startExporter } from "../../../exporter/exporter.ts";
import { type ExporterTimings, TIMINGS } from "../../../exporter/timings.ts";
import { createNumberedSource, type NumberedOptions } from "./numbered-source.ts";

/** What the process reads from standard input. */
export interface ExporterProcessOptions {
  readonly config: Readonly<Record<string, unknown>>;
  readonly databaseUrl: string;
  readonly source: NumberedOptions;
  readonly timings: Partial<ExporterTimings>;
}

/**
 * The exporter in a process that tests kill. Loads all modules and then waits for its options, a line of JSON on standard
 * input, so that a test that kills one can use the next at once.
 */
process.stdin.once("data", (line) => {
  const { config, databaseUrl, source, timings } = JSON.parse(line.toString()) as ExporterProcessOptions;
  startExporter({
    config: configSchema.parse(config),
    databaseUrl,
    logger: createLogger("silent"),
    createSource: (request) => createNumberedSource(source, request.firstDate),
    timings: { ...TIMINGS, ...timings },
  });
});

// The parent may have ended without killing this process.
process.stdin.on("end", () => process.exit(1));
