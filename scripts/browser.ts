/**
 * @file Finds a Chromium for the tests of the studio and, where a machine is ours to set up (root, with apt-get: a container), installs one.
 *
 * Anywhere else nothing is installed: those tests then say what is missing and are skipped. LUDUS_BROWSER=skip leaves the machine alone.
 */

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { pathToFileURL } from 'node:url';

const places = [
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

function install(): boolean {
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-o', 'Dpkg::Use-Pty=0', ...args], {
      stdio: ['ignore', 'ignore', 2],
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  console.error('Installing Chromium for the tests of the studio …');
  return apt('update') && apt('install', '-y', '--no-install-recommends', 'chromium');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const ours = process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
  if (findChromium() === null && ours && process.env['LUDUS_BROWSER'] !== 'skip' && !install())
    console.error('Chromium could not be installed; the tests of the studio will be skipped.');
}
