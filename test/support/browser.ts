import { existsSync } from "node:fs";
import { type Browser, launch } from "puppeteer-core";

/** Usual paths of Chromium and Chrome. */
const BROWSERS = [
  process.env["PUPPETEER_EXECUTABLE_PATH"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const browserPath = BROWSERS.find((path) => path !== undefined && existsSync(path));

/** Describes tests that need Chromium. Without it, they are skipped. */
export const describeWithBrowser = browserPath ? describe : describe.skip;
/** A part of the titles of these tests, which says why they are skipped. */
export const skipped = browserPath ? "" : " (skipped: no Chromium; PUPPETEER_EXECUTABLE_PATH can name one)";

export function launchBrowser(): Promise<Browser> {
  // Chromium refuses to run as root in a sandbox.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return launch({ executablePath: browserPath ?? "", args });
}
