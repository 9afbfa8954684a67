import { spawnSync } from "node:child_process";
import { serverAccount } from "../../core/embedded-postgres/account.ts";
import { serverBinaries } from "../../core/embedded-postgres/binaries.ts";
import { startEmbeddedPostgres } from "../../core/embedded-postgres/embedded-postgres.ts";

// Starts and stops a server twice, or prints the versions of the copied programs.
const [task, directory = ""] = process.argv.slice(2);
const account = serverAccount();
if (task === "start")
  for (const start of ["first", "later"]) {
    await using server = await startEmbeddedPostgres(directory);
    console.log(start, new URL(server.url).pathname);
  }
else if (account) {
  const { initdb, postgres } = serverBinaries(account, directory);
  for (const program of [initdb, postgres]) {
    const { stdout, stderr } = spawnSync(program, ["--version"], { uid: account.uid, gid: account.gid, cwd: "/" });
    console.log(String(stdout) + String(stderr));
  }
}
