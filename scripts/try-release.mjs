/**
 * @file Tries a release before it is published, `npm run try:release`: in empty folders, with nothing installed, from a local registry that has
 * the packed tarballs. Every step must exit with 0; the sizes and times are printed.
 */

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRegistry } from './local-registry.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tarballs = join(root, 'dist', 'tarballs');
if (!existsSync(tarballs)) {
  console.error('No packages in dist/tarballs. Run "npm run build" and "npm run pack" first.');
  process.exit(1);
}
const isWindows = process.platform === 'win32';
const upstream = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', shell: isWindows }).stdout.trim();
const registry = await startRegistry(tarballs, upstream);
const home = mkdtempSync(join(tmpdir(), 'ludus-release-'));
const mostMegabytes = 100;
// A cold cache and no settings of the person who runs this; the Node that runs this runs the packages, too.
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  PATH: `${dirname(process.execPath)}${isWindows ? ';' : ':'}${process.env.PATH}`,
  npm_config_registry: registry.url,
  npm_config_cache: join(home, 'cache'),
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
  LUDUS_HOME: join(home, 'settings'),
  LUDUS_CACHE: join(home, 'ludus-cache'),
};
let failures = 0;

async function step(folder, command, ...args) {
  const cwd = join(home, folder);
  mkdirSync(cwd, { recursive: true });
  const began = performance.now();
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const status = await new Promise((resolve) => child.on('close', resolve));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${status === 0 ? '✓' : '✗'} ${seconds.padStart(6)} s  ${folder}: ${[command, ...args].join(' ')}`);
  if (status !== 0) {
    failures += 1;
    console.log(output.split('\n').slice(-20).join('\n'));
  }
  return output;
}

function megabytes(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  return Math.round(bytes / 2 ** 20);
}

console.log(`Packages: ${registry.names.join(', ')}`);
await step('cold', 'npx', '--yes', 'ludus-agents', 'play', 'kuhn-poker', '--agents', 'random,random', '--seed', '3');
await step('cold', 'npx', '--yes', 'ludus-agents');
await step('project', 'npm', 'init', '-y');
await step('project', 'npm', 'install', 'ludus-agents');
const size = megabytes(join(home, 'project', 'node_modules'));
console.log(`${size <= mostMegabytes ? '✓' : '✗'} a default install has ${size} MB; ${mostMegabytes} are allowed`);
if (size > mostMegabytes) failures += 1;
await step('project', 'npx', 'ludus', 'eval', 'games-core', '--agents', 'random', '--seeds', '1');
cpSync(join(root, 'examples', 'play-one.ts'), join(home, 'project', 'play-one.mts'));
await step('project', 'node', 'play-one.mts');
for (const kind of ['game', 'character', 'bot', 'survey', 'prompt']) {
  await step('.', 'npm', 'create', '--yes', 'ludus-agents', kind, '--', '--kind', kind, '--yes');
  // A chat waits for its user, and there is none here.
  await step(kind, 'npm', ...(kind === 'character' ? ['run', 'check'] : ['start']));
  // Cases need no test of their own: they are measured.
  if (kind !== 'bot') await step(kind, 'npm', ...(kind === 'prompt' ? ['run', 'eval'] : ['test']));
}
registry.close();
rmSync(home, { recursive: true, force: true });
console.log(failures === 0 ? 'Everything works.' : `${failures} steps failed.`);
process.exit(failures === 0 ? 0 : 1);
