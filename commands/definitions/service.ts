import { VERSION } from "../../core/observability/version.ts";
import { PART_NAMES } from "../parts.ts";
import { type Command, command, TEXT } from "../program/command.ts";

const ANY_TIME = "may run";

/** Commands about the service as a whole. */
export const SERVICE_COMMANDS: readonly Command[] = [
  command({
    name: "start",
    summary: "run Moraine, or the demo if no chain is configured",
    details:
      "Without --only, all parts run: the database (if the settings name none), the indexer, the API, export jobs and signatures.",
    service: "must not run with the same port.",
    duration: "until it is ended by SIGTERM or SIGINT. The API answers after about two seconds.",
    options: {
      only: {
        type: "string",
        requiresArg: true,
        describe: `run only these parts, separated by commas: ${PART_NAMES.join(", ")}. Parts without api need the setting databaseUrl`,
      },
    },
    examples: ["start", "start --port 5000", "start --only indexer", "start --only api,exporter"],
    exitCodes: { 0: "ended by a signal, after the start was complete" },
    hasResult: false,
    async run({ only }, flags) {
      const { startParts } = await import("../start-parts.ts");
      return startParts(only?.split(",") ?? null, flags);
    },
  }),
  command({
    name: "gateway",
    summary: "run the gateway alone, for any supergraph",
    details:
      "Needs no chain, no database and no indexer. Serves /graphql with GraphiQL, and /health. The URLs of the subgraphs are those of the supergraph, unless the setting graph.subgraphs has others. Without --supergraph and the setting graph.supergraph, the gateway composes the subgraphs of the setting graph.subgraphs, and those of Moraine whose URLs are in the settings. SIGHUP reads the supergraph again, unless the gateway runs on a terminal.",
    service: "must not run with the same port.",
    duration: "until it is ended by SIGTERM or SIGINT",
    options: {
      supergraph: { ...TEXT, describe: "file or URL of the supergraph. Overrides the setting graph.supergraph" },
    },
    examples: [
      "gateway --supergraph supergraph.graphql",
      "gateway --supergraph https://example.com/supergraph --port 5000",
    ],
    exitCodes: { 0: "ended by a signal, after the start was complete" },
    hasResult: false,
    async run({ supergraph }, flags) {
      const { runGateway } = await import("../../gateway/run-gateway.ts");
      const own = supergraph === undefined ? [] : [`--graph.supergraph=${supergraph}`];
      await runGateway([...flags, ...own], { needsOwn: false });
      return undefined;
    },
  }),
  command({
    name: "status",
    summary: "print how far the chains are indexed and verified, and whether an indexer runs",
    service: ANY_TIME,
    duration: "a second. If Moraine does not run, the embedded database is started and stopped again.",
    examples: ["status", "status --json"],
    exitCodes: { 1: "a chain waits, is stopped, is not indexed, or has indexed data that differ, or no indexer runs" },
    run: async (_values, flags) => (await import("../status.ts")).showStatus(flags),
  }),
  command({
    name: "check",
    summary: "check the settings, the nodes and the database, without changing anything",
    service: ANY_TIME,
    duration: "seconds; up to a minute for a node that does not answer",
    examples: ["check", "check --database-url postgresql://moraine:secret@db.example:5432/moraine"],
    exitCodes: { 1: "something cannot be used: the output says what" },
    run: async (_values, flags) => (await import("../check-service.ts")).checkService(flags),
  }),
  command({
    name: "reload",
    summary: "let the running service read its settings again, and wait for the result",
    details:
      "The settings are checked first. SIGHUP does the same, unless the service runs on a terminal, where it ends the service. Requests are answered without a gap. Subscriptions end and can be started again, unless only the setting graph has changed. If the settings cannot be used, the earlier ones stay. The output names settings that have changed and need a start (docs/configuration.md).",
    service: "must run, with `moraine start` and the part api, and not the demo.",
    duration: "a few seconds; longer if the indexer must end or a node does not answer",
    examples: ["reload"],
    exitCodes: {
      1: "the settings cannot be used, no such service runs, or a part of it could not be started again: the output says why",
    },
    run: async (_values, flags) => (await import("../reload.ts")).reloadService(flags),
  }),
  command({
    name: "migrate",
    summary: "create the tables of the database, or upgrade them to this version",
    details: "`moraine start` does the same. Other commands never change the version of a database.",
    service: "must not run: end the processes of the earlier version first.",
    duration: "seconds, unless CHANGELOG.md says that a version rewrites tables",
    examples: ["migrate"],
    run: async (_values, flags) => (await import("../migrate.ts")).migrateDatabase(flags),
  }),
  command({
    name: "distribute",
    summary:
      "distribute the tables over the workers of a coordinator of Citus, and print which chain is on which worker",
    details:
      "Creates the tables if there are none. Each chain and network is on one worker, with all of its rows. An interrupted run continues when the command is run again (docs/operate/citus.md).",
    service: "must not run when the tables are distributed for the first time. Later, it may run.",
    duration: "about a minute for 1 GB of rows; seconds for an empty database",
    options: {
      isolate: {
        ...TEXT,
        describe: "EVM chain id, or id of a primary network, which gets shards of its own on --worker",
      },
      worker: { ...TEXT, describe: "host:port of a worker, as this command prints it" },
    },
    examples: ["distribute", "distribute --isolate 43114 --worker 10.0.0.3:5432"],
    run: async (values, flags) => (await import("../distribute.ts")).distributeDatabase(values, flags),
  }),
  command({
    name: "schema check",
    summary: "list what the schema of this version changes for callers of another version",
    details:
      "By the rules of GraphQL Inspector, breaking and dangerous changes are listed, and safe ones are counted. With --usage, a breaking change of what no operation uses is dangerous instead.",
    service: ANY_TIME,
    duration: "a few seconds",
    options: {
      against: {
        ...TEXT,
        describe:
          "the other schema: a file with its SDL, the URL of such a file if it ends with .graphql, or the URL of a GraphQL endpoint with introspection. Default: the last release",
      },
      usage: {
        ...TEXT,
        describe:
          "JSON file of the operations that callers run, as in the setting graphql.allowedOperationsFile. Default: all is used",
      },
    },
    examples: [
      "schema check",
      "schema check --against http://127.0.0.1:4000/graphql",
      "schema check --against http://127.0.0.1:4000/graphql --usage persisted-query-manifest.json",
    ],
    exitCodes: { 1: "a change is breaking, or the command failed" },
    hasSettings: false,
    run: async ({ against, usage }) => (await import("../schema/check-schema.ts")).checkSchema({ against, usage }),
  }),
  command({
    name: "version",
    summary: "print the version of Moraine and of Node.js",
    service: ANY_TIME,
    duration: "no time",
    examples: ["version", "version --json"],
    hasSettings: false,
    run: async () => ({
      text: `moraine ${VERSION}, Node.js ${process.versions.node}`,
      data: { version: VERSION, node: process.versions.node },
    }),
  }),
  command({
    name: "completion",
    summary: "print a script that completes commands and options in bash or zsh",
    details:
      "It is made for the shell that the environment variable SHELL names. It completes `moraine`, not `npx moraine`: in a clone, run npm link first.",
    service: ANY_TIME,
    duration: "no time",
    examples: ["completion >> ~/.bashrc", "completion >> ~/.zshrc"],
    hasSettings: false,
    hasResult: false,
    async run() {
      (await import("../completion.ts")).printCompletionScript();
      return undefined;
    },
  }),
];
