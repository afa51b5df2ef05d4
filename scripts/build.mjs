/** @file Compiles every package, one file for one file without a bundler, lays them out below dist/node_modules as npm would, and builds the studio's page where it has changed. */

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, nodeOf } from './fresh.mjs';
import { stage } from './stage.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const bin = (name) => join(root, 'node_modules', '.bin', name);

// `npx ludus` on a fresh clone asks for a build before anything is installed. Installing brings the build along; should that build find
// nothing installed either, it must not begin again.
if (!existsSync(join(root, 'node_modules', '.package-lock.json'))) {
  if (process.env.LUDUS_INSTALLING) process.exit(0);
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    env: { ...process.env, LUDUS_INSTALLING: '1' },
  });
  process.exit(install.status ?? 1);
}

// `prepare` asks for a build after every install, and npm prepares a checkout again at its first `npx ludus`. Installing only compiles; `npm run
// build` checks types too, which takes three times as long.
const isInstalling = process.argv[2] === 'where-changed';
if (!isInstalling || !isBuilt(root)) await build({ checksTypes: !isInstalling });

// npm links the commands of dependencies, not of the package itself; with this, `npx ludus` in a checkout starts at once. And npm 10 links no
// command that packages for other platforms have too, as those of Node do.
if (process.platform !== 'win32') {
  rmSync(bin('ludus'), { force: true });
  symlinkSync(join('..', '..', 'packages', 'ludus-agents', 'bin', 'ludus.js'), bin('ludus'));
  const node = nodeOf(root);
  if (!existsSync(bin('node')) && node.startsWith(root)) {
    rmSync(bin('node'), { force: true });
    symlinkSync(relative(dirname(bin('node')), node), bin('node'));
  }
}

await trim();

/** Keeps of onnxruntime-node what this machine loads. A node_modules of another clone, by a link, is that clone's to trim. */
async function trim() {
  const folder = join(root, 'node_modules', 'onnxruntime-node');
  if (!existsSync(folder) || !realpathSync(folder).startsWith(join(realpathSync(root), sep))) return;
  const { findUnusedLibraries, megabytesOf, removeUnusedLibraries } = await import(
    '../dist/node_modules/@ludus-agents/agents/dist/runtimes/unused-libraries.js'
  );
  const libraries = findUnusedLibraries(folder);
  const refused = new Set(removeUnusedLibraries(folder, libraries).map(({ path }) => path));
  const removed = libraries.filter(({ path }) => !refused.has(path));
  if (removed.length > 0)
    console.error(`Removed ${megabytesOf(removed)} of onnxruntime-node that are for other platforms and graphics cards.`);
}

async function build({ checksTypes }) {
  mkdirSync(dist, { recursive: true });
  for (const entry of readdirSync(dist)) rmSync(join(dist, entry), { recursive: true, force: true });
  const built = await Promise.all([
    runs('tsc', '-p', join(root, 'tsconfig.build.json'), ...(checksTypes ? [] : ['--noCheck'])),
    buildPage(),
  ]);
  if (built.includes(false)) {
    console.error('The build stopped at the errors above.');
    process.exit(1);
  }
  stage(root, join(dist, '.compiled'), dist);
  writeFileSync(join(dist, '.built'), '');
  if (!(await generate())) process.exit(1);
  writeFileSync(join(dist, '.built'), '');
}

/** Writes schemas and reference pages, which are not kept in git, and puts them into the package on top. */
async function generate() {
  const [code] = await once(spawn(nodeOf(root), [join(root, 'scripts', 'generate.ts')], { cwd: root, stdio: 'inherit' }), 'exit');
  const umbrella = join(dist, 'node_modules', 'ludus-agents');
  cpSync(join(root, 'packages', 'ludus-agents', 'schemas'), join(umbrella, 'schemas'), { recursive: true });
  for (const page of ['api.md', 'methods.md', 'worlds.md']) cpSync(join(root, 'docs', page), join(umbrella, 'docs', page));
  return code === 0;
}

/** Builds the page unless the one that is there was made of the same files. */
async function buildPage() {
  const sources = join(root, 'packages/studio');
  const stamp = join(root, 'packages', 'servers', 'page', '.built');
  const digest = createHash('sha256');
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('node_modules'));
  for (const file of files.sort()) digest.update(file.slice(sources.length)).update(readFileSync(file));
  const hash = digest.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  const built = await runs('vite', 'build', '--logLevel', 'warn', sources);
  if (built) writeFileSync(stamp, hash);
  return built;
}

/** Runs a command of the packages on the Node that came with them; whether it went well. */
async function runs(name, ...args) {
  const [code] = await once(spawn(nodeOf(root), [bin(name), ...args], { cwd: root, stdio: 'inherit' }), 'exit');
  return code === 0;
}
