const { default: Sequencer } = require("@jest/test-sequencer");
const { relative } = require("node:path");

/** The files that take longest, longest first: a worker that began one of them last would work alone at the end. */
const LONGEST = [
  "test/process/parts.test.ts",
  "indexer/primary/faults.test.ts",
  "test/conformance/conformance.test.ts",
  "exporter/exporter.test.ts",
  "test/live/health.test.ts",
  "test/process/unusable.test.ts",
  "test/process/ending.test.ts",
  "test/live/kill.test.ts",
  "rest-compat/rest-server.test.ts",
  "test/live/faults.test.ts",
  "test/conformance/indexed-metrics.test.ts",
  "indexer/evm/follow/index-chain.test.ts",
  "indexer/evm/nft/index-nft-metadata.test.ts",
  "indexer/evm/commands/gaps/find-gaps.test.ts",
  "test/live/facts-follow.test.ts",
  "exporter/files/s3-store.test.ts",
  "indexer/primary/index-primary.test.ts",
  "indexer/process/indexer-processes.test.ts",
  "test/federation/text-answers.test.ts",
  "test/process/export-command.test.ts",
  "test/process/exports.test.ts",
  "subgraphs/node/health/checks/database.test.ts",
  "test/process/commands.test.ts",
  "test/federation/subscriptions.test.ts",
];

/** Starts the longest files first, also where Jest has no times of an earlier run, as in a fresh clone. */
class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const place = ({ path, context }) => LONGEST.indexOf(relative(context.config.rootDir, path));
    const rank = (test) => (place(test) < 0 ? LONGEST.length : place(test));
    return [...sorted].sort((one, other) => rank(one) - rank(other));
  }
}

module.exports = LongestFirst;
