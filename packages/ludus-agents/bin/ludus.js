#!/usr/bin/env node
/** @file Starts Ludus under a Node that can run it. Plain JavaScript for the oldest Node a visitor may have. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
/** The first of these that is there, or the first of all. */
const firstOf = (...paths) => {
  const urls = paths.map((path) => new URL(path, import.meta.url));
  return urls.find((url) => existsSync(url)) || urls[0];
};

// Seen from the package as it is installed, from its sources in a checkout, and from what was built there.
const own = fileURLToPath(firstOf('../node_modules/.bin/node', '../../../node_modules/.bin/node', '../../../../node_modules/.bin/node'));
const main = firstOf('../dist/cli/main.js', '../../../dist/node_modules/ludus-agents/dist/cli/main.js');

/** Sets the exit code and lets what is still being written be written. */
function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}

const handedOver = 'LUDUS_HANDED_OVER';

/** Ends with the process that handed over to this one. */
function followLauncher() {
  if (process.env[handedOver] === undefined) return;
  delete process.env[handedOver];
  if (!process.channel) return;
  process.channel.unref();
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}

/** A checkout brings its own Node along: hand everything over to it. */
function handOver() {
  let child;
  // Ctrl-C reaches the child by itself; we only wait for what it makes of it. Listen first: a signal may come as soon as it runs.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // The channel says nothing: it closes when this process is gone, however that came about, and a server does not outlive it.
  child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [handedOver]: '1' },
  });
  child.on('error', (error) => fail(`Ludus could not be started with ${own}: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.exitCode = code === null ? 128 + (constants.signals[signal] || 0) : code;
  });
}

/** Node warns that its SQLite and its type stripping are new, and guesses what a world file is; that is ours to know, not our users'. */
function hushExperiments() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const options = typeof rest[0] === 'object' && rest[0] !== null ? rest[0] : { type: rest[0], code: rest[1] };
    if (options.type === 'ExperimentalWarning' && /SQLite|strip/i.test(String(warning))) return;
    if (options.code === 'MODULE_TYPELESS_PACKAGE_JSON') return;
    // What our own models and populations have to say is one sentence, without the process number and Node's advice around it.
    if (options.type === 'ModelWarning' || options.type === 'PopulationWarning') {
      process.stderr.write(`! ${warning}\n`);
      return;
    }
    emitWarning.call(process, warning, ...rest);
  };
}

/**
 * Proxies that a company sets by HTTP_PROXY and HTTPS_PROXY hold for whatever is called from here; Node uses them only when it is told to.
 * Servers of this machine are called without: a proxy would look for them on its own.
 */
async function useProxies() {
  const { env } = process;
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];
  if (env.NODE_USE_ENV_PROXY !== undefined || names.every((name) => (env[name] || '') === '')) return;
  const without = [env.no_proxy || env.NO_PROXY || '', 'localhost', '127.0.0.1', '::1', '[::1]'];
  const { setGlobalProxyFromEnv } = await import('node:http');
  // An older Node cannot; "ludus doctor" says so.
  if (setGlobalProxyFromEnv === undefined) return;
  // Written for the processes that we start, too.
  env.no_proxy = without.filter((one) => one !== '').join(',');
  env.NODE_USE_ENV_PROXY = '1';
  setGlobalProxyFromEnv(env);
}

if (major < 22 || (major === 22 && minor < 13)) {
  if (existsSync(own)) handOver();
  else fail(`Ludus needs Node 22.13 or later, but this is ${process.versions.node}; install a newer one from https://nodejs.org.`);
} else if (!existsSync(main)) {
  fail('Ludus is not built yet; run "npm run build" in its folder first.');
} else {
  followLauncher();
  hushExperiments();
  useProxies().then(
    () =>
      import(main.href)
        .then(({ main }) => main())
        .then((code) => {
          process.exitCode = code;
        }),
    () => fail('HTTP_PROXY and HTTPS_PROXY name proxies as http://HOST:PORT, but one of them cannot be read; mend it, or unset it.'),
  );
}
