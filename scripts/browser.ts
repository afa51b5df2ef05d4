/**
 * @file Finds a Chromium for the tests of the studio. Where root runs the tests and there is apt-get, installs one; see apt.ts.
 *
 * Anywhere else nothing is installed: those tests then say what is missing and are skipped. LUDUS_BROWSER=skip leaves the machine alone.
 */

import { accessSync, constants } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { aptInstall } from './apt.ts';

// The first is the same browser without windows, for which pages take a sixth less of the processor.
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Where a Chromium is, or null. CHROMIUM_PATH names one that is elsewhere. */
export function findChromium(): string | null {
  const named = process.env['CHROMIUM_PATH'];
  return (named ? [named] : places).find(runs) ?? null;
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && findChromium() === null)
  await aptInstall({
    names: ['chromium-headless-shell', 'chromium'],
    title: 'Chromium',
    neededBy: 'the tests of the studio',
    refusal: 'LUDUS_BROWSER',
  });
