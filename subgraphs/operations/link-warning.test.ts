import { serverUrl } from "../../core/http/server-url.ts";
import { testConfig } from "../../test/support/config.ts";
import { linkWarning } from "./link-warning.ts";

const s3 = { bucket: "files" };

describe("download links", () => {
  it.each([
    ["127.0.0.1", "http://127.0.0.1:4000"],
    ["moraine.example", "http://moraine.example:4000"],
    ["::1", "http://[::1]:4000"],
  ])("begin with the URL of the host %s", (host, url) => {
    expect(serverUrl(host, 4000)).toBe(url);
    expect(new URL(url).port).toBe("4000");
  });

  it.each(["0.0.0.0", "::"])("do not work with the host %s, and the warning says what to set", (host) => {
    expect(linkWarning(testConfig({ host }))).toMatch(`contain the host ${host}; set exports.publicUrl (environment`);
  });

  it.each([
    { host: "127.0.0.1" },
    { host: "0.0.0.0", exports: { publicUrl: "https://files.example" } },
    { host: "0.0.0.0", exports: { s3 } },
  ])("work without a warning with the settings %j", (settings) => {
    expect(linkWarning(testConfig(settings))).toBeNull();
  });
});
