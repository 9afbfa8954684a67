import { ConfigError } from "../../core/config/config.ts";
import { type Command, command, TEXT } from "../program/command.ts";

const backups = () => import("../backup.ts");

/** Commands that write and read backups and archives. */
export const BACKUP_COMMANDS: readonly Command[] = [
  command({
    name: "backup",
    summary: "write a backup of the database into a directory, or add what is new to the one that is there",
    details:
      "A backup has everything that cannot be computed again: the raw blocks and call trees of all chains, API keys, secrets, ABIs, prices, operations and metadata of tokens. With --raw, it is an archive: only raw blocks, without anything of this installation, so that it can be published. An interrupted run continues when the command is run again.",
    service: "may run. What it writes meanwhile is in the next backup.",
    duration: "about a minute for 1 GB of raw blocks; later runs write only what is new",
    options: {
      to: { ...TEXT, demandOption: true, describe: "directory: an empty one, or that of an earlier run" },
      raw: { type: "boolean", describe: "write an archive" },
      chain: {
        ...TEXT,
        describe:
          "EVM chain id, to save only what is stored of this chain, from its database, and without keys and prices",
      },
      "network-id": {
        ...TEXT,
        describe: "the same for a primary network: 1 for mainnet, 5 for Fuji. Give --chain too, for its C-Chain",
      },
      check: { type: "boolean", describe: "also read the files of earlier runs and compare their hashes" },
    },
    examples: [
      "backup --to /backups/moraine",
      "backup --raw --to /srv/archive",
      "backup --chain 43114 --network-id 1 --to /backups/c-chain",
    ],
    run: async ({ to, raw = false, check = false, chain, "network-id": network }, flags) =>
      (await backups()).backUp({ to, isArchive: raw, checksHashes: check, chain, network }, flags),
  }),
  command({
    name: "restore",
    summary:
      "load a backup into an empty database, a backup of a chain into the database of the chain, or import the blocks of an archive",
    details:
      "The database is that of the settings; the embedded one is created if it does not exist. A backup of a chain or network is loaded into the database that the settings have for it, which may have other chains. The next start of Moraine computes all other rows. With --raw, the blocks of an archive are indexed in place of those of nodes, for the chains and networks of the settings: they follow the last indexed block, and pass the same checks. An interrupted run continues when the command is run again.",
    service:
      "must not use this database: a service may run with the earlier settings of a chain that moves. With --raw, it may run without an indexer: moraine start --only api.",
    duration: "about a minute for 1 GB; with --raw as long as indexing takes with a fast node",
    options: {
      from: { ...TEXT, demandOption: true, describe: "directory, or URL of http or https, with manifest.json" },
      raw: { type: "boolean", describe: "import an archive" },
    },
    examples: [
      "restore --from /backups/moraine",
      "restore --from /backups/moraine --database-url postgresql://moraine:secret@db.example:5432/moraine",
      "restore --raw --from https://archive.example/avalanche",
    ],
    run: async ({ from, raw = false }, flags) => {
      if (from === "") throw new ConfigError("--from is empty");
      const { importArchive, restore } = await backups();
      return raw ? importArchive(from, flags) : restore(from, flags);
    },
  }),
  command({
    name: "move",
    summary: "move the embedded database into the one that the setting databaseUrl names",
    details:
      "It writes a backup of the embedded database (setting dataDirectory) into a directory, restores it, and deletes the directory. The embedded database stays as it is. An interrupted run continues when the command is run again.",
    service: "must not run.",
    duration: "about two minutes for 1 GB of raw blocks",
    options: {
      through: { ...TEXT, describe: "directory for the backup, with room for it. Default: move in the data directory" },
    },
    examples: ["move --database-url postgresql://moraine:secret@db.example:5432/moraine"],
    run: async ({ through }, flags) => (await backups()).moveDatabase(through, flags),
  }),
];
