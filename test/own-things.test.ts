/**
 * @file Things of the user's own, for real: an empty npm project outside the repository, with the package that npm pack makes, and the
 * commands that a user types there.
 */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from './fixtures/amount.ts';

const root = join(import.meta.dirname, '..');
const call = promisify(execFile);
const project = mkdtempSync(join(tmpdir(), 'ludus-own-'));
// npm runs under its own name everywhere but in tests of another folder: the one that is first in the path is taken.
const quiet = { ...process.env, NO_COLOR: '1', NODE_ENV: '', LUDUS_STORE: '', npm_config_loglevel: 'error', npm_config_offline: 'true' };

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function runs(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return call(command, args, { cwd: project, env: { ...quiet, ...env }, maxBuffer: 2 ** 26 }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (failed: { code: number; stdout: string; stderr: string }) => ({ code: failed.code, out: failed.stdout, err: failed.stderr }),
  );
}

/** The installed package in its own process, which runs command after command: starting takes longer than most of them. */
class Installed {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    const main = join(project, 'node_modules', 'ludus-agents', 'dist', 'cli', 'main.js');
    const program = `import { createInterface } from 'node:readline';
import { main } from ${JSON.stringify(main)};
const write = process.stdout.write.bind(process.stdout);
for await (const line of createInterface({ input: process.stdin })) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) process[name].write = (text, ...rest) => {
    texts[name] += text;
    rest.find((one) => typeof one === 'function')?.();
    return true;
  };
  const code = await main(JSON.parse(line));
  write(JSON.stringify({ code, out: texts.stdout, err: texts.stderr }) + '\\n');
}`;
    this.#child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: project,
      env: quiet,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#answers = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]();
  }

  run(args: readonly string[]): Promise<Outcome> {
    const outcome = this.#last.then(async () => {
      this.#child.stdin!.write(`${JSON.stringify(args)}\n`);
      return JSON.parse((await this.#answers.next()).value as string) as Outcome;
    });
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  close(): void {
    this.#child.stdin!.end();
  }
}

let installed: Installed;

/** A command as it is typed in the project. */
function ludus(line: string): Promise<Outcome> {
  return installed.run(line.split(' '));
}

/** The same in its own process, which reads the configuration as it is now. */
function typed(line: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return runs(process.execPath, [join(project, 'node_modules', 'ludus-agents', 'bin', 'ludus.js'), ...line.split(' ')], env);
}

/** A command that must succeed, its output read as JSON. */
async function runJson<T>(line: string): Promise<T> {
  const { code, out, err } = await ludus(line);
  expect(code, `${line}: ${err}`).toBe(0);
  return JSON.parse(out) as T;
}

beforeAll(async () => {
  // What npm init writes today.
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'own', version: '1.0.0', main: 'index.js', type: 'commonjs' }));
  const staged = join(root, 'dist', 'node_modules');
  const packages = ['ludus-agents', ...readdirSync(join(staged, '@ludus-agents')).map((name) => join('@ludus-agents', name))];
  const folders = packages.map((name) => join(staged, name));
  const { stdout } = await call('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project, ...folders], {
    cwd: root,
    env: quiet,
  });
  for (const { name, filename } of Object.values(JSON.parse(stdout) as Record<string, { name: string; filename: string }>)) {
    const home = join(project, 'node_modules', name);
    mkdirSync(home, { recursive: true });
    await call('tar', ['-xzf', join(project, filename), '-C', home, '--strip-components=1']);
  }
  // What the packages depend on is linked, since installing it would need a network.
  for (const name of packages) {
    const settings = JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')) as Record<string, object>;
    for (const other of Object.keys({ ...settings['dependencies'], ...settings['optionalDependencies'] })) link(other);
  }
  writeFileSync(
    join(project, 'plan.json'),
    JSON.stringify({ name: 'base', environments: ['kuhn-poker'], seeds: 5, casts: [{ first: './eve.json', second: './my-agent.ts' }] }),
  );
  writeFileSync(join(project, 'eve.json'), JSON.stringify({ name: 'Eve', kind: 'scripted:honest' }));
  installed = new Installed();
});

afterAll(() => {
  installed.close();
  rmSync(project, { recursive: true, force: true });
});

function link(name: string): void {
  const [from, to] = [join(root, 'node_modules', name), join(project, 'node_modules', name)];
  if (!existsSync(from) || existsSync(to)) return;
  mkdirSync(join(to, '..'), { recursive: true });
  symlinkSync(from, to);
}

describe('an empty npm project', () => {
  it('starts the command by its name', async () => {
    const { code, out, err } = await typed('--version');
    expect([code, err]).toEqual([0, '']);
    expect(out.trim()).toBe((JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version);
  });

  it('lists every kind', async () => {
    const kinds = await runJson<{ name: string; about: string }[]>('list kinds --json');
    expect(kinds.map(({ name }) => name)).toEqual(
      'environments agents models personas scorers rubrics judges suites recipes learners engines teachers proposers pipelines populations tools'.split(
        ' ',
      ),
    );
    for (const kind of ['recipes', 'teachers']) {
      const lines = await runJson<{ name: string; about: string }[]>(`list ${kind} --json`);
      expect(lines.length).toBeGreaterThan(4);
      for (const line of lines) expect(line).toEqual({ name: expect.any(String), about: expect.any(String) });
    }
  });

  it('creates one object of every kind, with tests that pass under plain Node', async () => {
    for (const kind of ['environment', 'agent', 'scorer', 'engine', 'recipe', 'suite', 'population', 'persona', 'scene'])
      expect(await ludus(`new ${kind} my-${kind}`)).toMatchObject({ code: 0 });
    const results = readdirSync(project).filter((file) => file.startsWith('my-'));
    expect(results).toHaveLength(18);
    // A CommonJS package has modules as .mts alone.
    expect(results.filter((file) => file.endsWith('.ts'))).toEqual([]);
    const tests = results.filter((file) => file.includes('.test.'));
    const { code, out } = await runs(process.execPath, ['--test', '--test-isolation=none', ...tests]);
    expect(code, out).toBe(0);
    expect(out).toMatch(/pass 13\n/);
  });

  it.each(['nodenext', 'bundler'])('resolves complete types for every entry point under moduleResolution %s', async (resolution) => {
    link('@types/node');
    const doors = Object.keys(
      (JSON.parse(readFileSync(join(project, 'node_modules', 'ludus-agents', 'package.json'), 'utf8')) as { exports: object }).exports,
    );
    const imported = doors
      .filter((door) => !door.endsWith('.json') && !door.includes('internal'))
      .map((door, i) => `import * as door${i} from 'ludus-agents${door.slice(1)}';\nconsole.log(door${i});\n`);
    // A line that must not pass shows that types are there at all.
    const wrong = "import { loadEnvironment } from 'ludus-agents';\nexport const none: number = await loadEnvironment('dilemma');\n";
    writeFileSync(join(project, 'types.mts'), imported.join('') + wrong);
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    // That the types fit each other does not depend on how they are found: the first one checks it, in `npm run test:long`.
    const flags = `--noEmit --strict --target es2022 --types node --skipLibCheck ${amount(1, 0) === 1 || resolution === 'bundler'} --module ${module} --moduleResolution ${resolution} types.mts`;
    const { out } = await runs(process.execPath, [compiler, ...flags.split(' ')]);
    expect(out.trim().split('\n')).toEqual([expect.stringMatching(/^types\.mts\(\d+,14\): error TS2322/)]);
  });

  it('plays a plan with custom agents and scores it with a custom scorer', async () => {
    expect(await runJson('run plan.json --json')).toMatchObject({ played: 5, ends: { over: 5, error: 0 } });
    const scored = await runJson<{ scored: number; scores: number; missing: number }>('score base --scorers ./my-scorer.ts --json');
    expect(scored).toMatchObject({ scored: 5, scores: 10, missing: 0 });
  });

  it('trains with a custom recipe and in a custom environment, which the policy then plays', async () => {
    expect(await runJson('train ./my-recipe.json --name a --games 4000 --json')).toMatchObject({ games: expect.any(Number) });
    await runJson('train kuhn-rae --set training.environment=./my-environment.ts --games 2000 --name m --json');
    const played = await runJson<{ cast: object; environment: string }>(
      'play ./my-environment.ts --agents local/m@best,random --seed 1 --json',
    );
    expect(played).toMatchObject({ environment: 'my-environment@1', reason: 'over', cast: { first: 'local/m@best', second: 'random' } });
    const other = await ludus('play kuhn-poker --agents local/m@best,random --seed 1');
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('cannot play kuhn-poker')]);
  });

  it('improves with a custom engine, evaluates a custom suite, and samples a custom population', async () => {
    const improved = await runJson('improve instruction-demo --engine ./my-engine.ts --budget 40 --tasks 8,8,8 --json');
    expect(improved).toMatchObject({ engine: 'my-engine', calls: expect.any(Number) });
    const standings = await runJson<{ agents: { agent: string }[] }>(
      'eval ./my-suite.json --agents ./my-agent.mts,./eve.json --seeds 2 --json',
    );
    expect(JSON.stringify(standings)).toContain('"Eve"');
    const people = await runJson<{ personas: unknown[] }>('persona sample ./my-population.json -n 7 --json');
    expect(people.personas).toHaveLength(7);
    expect((await ludus('show scorer ./my-scorer.ts')).out).toContain('ludus score RUN --scorers ./my-scorer.ts');
  });

  it('calls a configured endpoint with its key and settings, and flags override them', async () => {
    const messages: { readonly key: string | undefined; readonly body: Record<string, unknown> }[] = [];
    const server = createServer(async (request, response) => {
      if (!request.url?.endsWith('/chat/completions')) return void response.writeHead(404).end('{}');
      const body = JSON.parse((await Array.fromAsync(request)).join('')) as Record<string, unknown>;
      messages.push({ key: request.headers.authorization, body });
      const message = { role: 'assistant', content: '[bet]' };
      const usage = { prompt_tokens: 1, completion_tokens: 1 };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const config = (text: string) =>
      writeFileSync(
        join(project, 'ludus.config.ts'),
        `import { defineConfig } from 'ludus-agents';\nexport default defineConfig(${text});\n`,
      );
    try {
      config(
        `{ store: 'kept.sqlite', endpoints: { mine: { url: '${url}', model: 'tiny', key: 'MINE_KEY', sampling: { temperature: 0.25 } } } }`,
      );
      const keys = { MINE_KEY: 'of-mine', OPENAI_API_KEY: 'of-openai' };
      expect(await typed('play kuhn-poker --agents llm:mine,random --seed 1 --json', keys)).toMatchObject({ code: 0 });
      expect(messages[0]).toMatchObject({ key: 'Bearer of-mine', body: { model: 'tiny', temperature: 0.25 } });
      expect(existsSync(join(project, 'kept.sqlite'))).toBe(true);
      const missing = await typed('play kuhn-poker --agents llm:mine,random --seed 1');
      expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('MINE_KEY, which is not set')]);
      expect(await typed('play kuhn-poker --agents random --seed 1 --store other.sqlite --json')).toMatchObject({ code: 0 });
      expect(existsSync(join(project, 'other.sqlite'))).toBe(true);
      config(`{ modle: 'mine' } as never`);
      const slip = await typed('list kinds');
      expect([slip.code, slip.err]).toEqual([2, expect.stringContaining('did you mean "model"?')]);
    } finally {
      rmSync(join(project, 'ludus.config.ts'));
      server.close();
    }
  });
});
