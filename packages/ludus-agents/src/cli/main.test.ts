/** @file The front of the command line: help, versions, slips of the finger, worlds of one's own, and the first look. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { builtFile } from '../../../../test/fixtures/built.ts';
import { until } from '../../../../test/fixtures/until.ts';
import { commands } from './catalog.ts';
import { countEnded, folder, ludus } from './terminal.cases.ts';

const root = join(import.meta.dirname, '../../../..');

/** What its own process is started with. With -e, the words begin one place earlier than behind a file. */
function started(words: readonly string[]): string[] {
  const start = `import(${JSON.stringify(builtFile('ludus-agents/cli/main'))}).then(({ main }) => main()).then((code) => { process.exitCode = code; })`;
  return ['-e', `process.argv.splice(1, 0, "ludus");${start}`, '--', ...words];
}

async function child(cwd: string, ...words: string[]) {
  return promisify(execFile)(process.execPath, started(words), { cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (failed: { code: number; stdout: string; stderr: string }) => ({ code: failed.code, out: failed.stdout, err: failed.stderr }),
  );
}

describe('help', () => {
  it('fits one screen of 80 columns with at most 30 commands, and has subcommand help', async () => {
    const { out } = await ludus(folder(), ['--help']);
    expect(Object.keys(commands).length).toBeLessThanOrEqual(30);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    // Two screens.
    expect((await ludus(folder(), ['train', '--help'])).out.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
    expect((await ludus(folder(), ['help', 'persona', 'export'])).out).toContain('Usage: ludus persona export');
    expect((await ludus(folder(), ['help', 'config', 'tokens', 'create'])).out).toContain('Usage: ludus config tokens create');
  });

  it('shows defaults as typed, not as JSON', async () => {
    const { out } = await ludus(folder(), ['improve', '--help']);
    expect(out.replace(/\s+/g, ' ')).toContain('(default: 500)');
    expect(out).not.toMatch(/default: ["[{]/);
    expect((await ludus(folder(), ['eval', '--help'])).out.replace(/\s+/g, ' ')).toMatch(/\(default: same\) \(one of same, /);
  });

  it('lists every command on stdout', async () => {
    for (const words of [['--help'], ['-h'], ['help']]) {
      const { code, out, err } = await ludus(folder(), words);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      for (const name of Object.keys(commands)) expect(out).toMatch(new RegExp(`^[A-Z ][a-z ]{12}${name} `, 'm'));
    }
  });

  it('shows five existing commands to try without arguments', async () => {
    const { code, out, err } = await ludus(folder(), []);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const steps = [...out.matchAll(/^ {2}\d {2}ludus (\w+)/gm)].map(([, name]) => name!);
    expect(steps).toHaveLength(5);
    for (const name of steps) expect((await ludus(folder(), [name, '--help'])).code).toBe(0);
  });

  it('starts the chosen step, and none after q', async () => {
    const here = folder();
    expect((await ludus(here, [], { tty: true, typed: '4\n' })).out).toContain('shop/policy.md');
    expect((await ludus(folder(), [], { tty: true, typed: 'q\n' })).code).toBe(0);
  });

  it.each(Object.keys(commands))('of %s has examples and fits the screen', async (name) => {
    const here = folder();
    const { code, out } = await ludus(here, [name, '--help'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
    expect(code).toBe(0);
    expect(out).toContain(`Usage: ludus ${name}`);
    expect(out).toContain(`Examples:\n  `);
    expect(out).toMatch(new RegExp(`^ {2}.*ludus ${name}`, 'm'));
    // A command line to copy is not broken.
    const lines = out.split('\n').filter((line) => !/^ {2}(\S.*)?ludus /.test(line));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect((await ludus(here, ['help', name])).out).toContain(`Usage: ludus ${name}`);
  });

  it('includes the version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect((await ludus(folder(), ['--version'])).out).toBe(`${version}\n`);
  });
});

describe('a typo', () => {
  it.each([
    [['paly', 'kuhn-poker'], "Unknown command 'paly' – did you mean play?"],
    [['nonsense'], "Unknown command 'nonsense'."],
    [['--wrong'], "Unknown option '--wrong'."],
    [['env', 'check', 'kuhn-poker', '--jsn'], "Unknown option '--jsn'. Did you mean --json?"],
    [['env', 'check', 'kuhn-poker', 'tic-tac-toe'], 'Too many arguments'],
    [['new', 'castle', 'x'], '"ludus new" can create environment, agent, scorer'],
    [['new', 'scoror', 'x'], 'Did you mean "scorer"?'],
    [['new', 'environment', 'Not A Name'], 'lowercase letters, digits, and hyphens'],
    [['new', 'environment', '../up'], 'lowercase letters, digits, and hyphens'],
    [['env', 'check', 'package.json.ts'], 'File not found'],
  ])('is reported with one sentence: %j', async (words, sentence) => {
    const { code, out, err } = await ludus(folder(), words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('shows a stack trace only with --debug or LUDUS_DEBUG', async () => {
    const words = ['play', 'kuhn-pokr'];
    expect((await ludus(folder(), words)).err).not.toMatch(/\n\s+at /);
    expect((await ludus(folder(), [...words, '--debug'])).err).toMatch(/\n\s+at /);
    expect((await ludus(folder(), words, { env: { LUDUS_DEBUG: '1' } })).err).toMatch(/\n\s+at /);
  });
});

describe('check', () => {
  it('prints exactly {"problems":[]} for a correct environment', async () => {
    expect(await ludus(folder(), ['env', 'check', 'kuhn-poker', '--json'])).toEqual({ code: 0, out: '{"problems":[]}\n', err: '' });
    expect((await ludus(folder(), ['env', 'check', 'kuhn-poker'])).out).toContain('passes all');
  });

  it('lists the problems of a bad one, with exit code 1', async () => {
    const here = folder();
    const environment = `export const biased = {
      id: 'biased@1', about: { summary: 'Pays too much.', tasks: [{}], turns: 1, sum: 0 }, parameters: {},
      task: (input) => { if (input === null || typeof input !== 'object' || Array.isArray(input) || Object.keys(input).length > 0) throw new Error('no'); return {}; },
      seats: () => ['a'], start: () => ({ state: {}, messages: [], asks: [{ seat: 'a', choices: ['[x]'] }] }),
      step: () => ({ state: {}, messages: [], asks: [], rewards: { a: 1 } }), knows: () => ({}),
    };`;
    writeFileSync(join(here, 'biased.mjs'), environment);
    const { code, out } = await ludus(here, ['env', 'check', './biased.mjs', '--json']);
    expect(code).toBe(1);
    expect((JSON.parse(out) as { problems: unknown[] }).problems.length).toBeGreaterThan(0);
    const outcome = await ludus(here, ['env', 'check', './biased.mjs']);
    expect(outcome.out).toMatch(/✗ biased@1 has \d+ problems?\.\n\n {2}K\d+ /);
  });

  it('explains a file with no environment or several', async () => {
    const here = folder();
    writeFileSync(join(here, 'empty.mjs'), 'export const x = 1;');
    writeFileSync(join(here, 'broken.mjs'), 'export const = ;');
    expect((await ludus(here, ['env', 'check', './empty.mjs'])).err).toContain('./empty.mjs does not export an environment');
    const broken = await ludus(here, ['env', 'check', './broken.mjs']);
    expect(broken.code).toBe(2);
    expect(broken.err).toContain('could not be loaded');
    expect(broken.err.trim().split('\n')).toHaveLength(1);
    const two = ['a', 'b'].map((name) => `export const ${name} = { id: '${name}@1', task() {}, seats() {}, start() {}, step() {} };`);
    writeFileSync(join(here, 'two.mjs'), two.join('\n'));
    expect((await ludus(here, ['show', './two.mjs'])).err).toContain('Choose one of ./two.mjs#a, ./two.mjs#b.');
  });
});

describe('new environment', () => {
  it('writes an environment that passes its check and its test, and can be played', async () => {
    const here = folder();
    const outcome = await ludus(here, ['new', 'environment', 'stick-game']);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(outcome.out).toContain('✓ stick-game.mts\n✓ stick-game.test.mts\n');
    expect(await ludus(here, ['env', 'check', './stick-game.mts', '--json'])).toEqual({ code: 0, out: '{"problems":[]}\n', err: '' });
    // Run once in a separate process, so that nothing loaded by a test helps it.
    const played = await child(here, 'play', './stick-game.mts', '--agents', 'scripted,random', '--json', '--seed', '1');
    expect(JSON.parse(played.out)).toMatchObject({ environment: 'stick-game@1', reason: 'over' });
    const { episode } = JSON.parse(played.out) as { episode: string };
    expect((await ludus(here, ['replay', episode, '--environment', './stick-game.mts'])).code).toBe(0);
    // What was begun here keeps the file that it was begun with.
    expect((await ludus(here, ['replay', episode])).code).toBe(0);
    expect((await ludus(here, ['new', 'environment', 'stick-game'])).err).toContain('stick-game.mts already exists');
  });

  it.each(['commonjs', 'module'])(
    'writes a test that passes in a %s package, and fails on a visible card or a fixed deal',
    async (type) => {
      const here = folder();
      // "npm init -y" writes the type commonjs.
      writeFileSync(join(here, 'package.json'), JSON.stringify({ name: 'mine', type }));
      await ludus(here, ['new', 'environment', 'stick-game']);
      // As if Ludus were installed here, from its sources.
      mkdirSync(join(here, 'node_modules'));
      symlinkSync(join(root, 'packages', 'ludus-agents'), join(here, 'node_modules', 'ludus-agents'));
      const test = () => promisify(execFile)(process.execPath, ['--test', '--test-isolation=none', 'stick-game.test.mts'], { cwd: here });
      expect((await test()).stdout).toContain('pass 5');
      // The faults are the same in both kinds of packages.
      if (type === 'commonjs') return;
      const path = join(here, 'stick-game.mts');
      const text = readFileSync(path, 'utf8');
      const broken = [
        text.replace('to: [seat], text: `Your card', 'to: seats, text: `Your card'),
        text.replace('rng.pick(deckOf(task.cards));', '1;'),
      ];
      for (const changed of broken) {
        expect(changed).not.toBe(text);
        writeFileSync(path, changed);
        await expect(test()).rejects.toThrow();
      }
    },
  );
});

describe('a separate process', () => {
  it('stops a run on Ctrl-C with exit code 130, keeping the reported episodes', async () => {
    const here = folder();
    writeFileSync(join(here, 'plan.json'), '{"name":"long","environments":["kuhn-poker"],"seeds":200000}');
    const running = spawn(process.execPath, started(['run', 'plan.json', '--json']), { cwd: here });
    const [out, err] = [text(running.stdout), text(running.stderr)];
    const ended = once(running, 'exit');
    // A process that ends by itself is not waited for; its output has the reason.
    await until(async () => running.exitCode !== null || (await countEnded(join(here, '.ludus', 'ludus.sqlite'))));
    running.kill('SIGINT');
    expect({ code: (await ended)[0], said: await err }).toMatchObject({ code: 130 });
    expect(await err).toContain('to resume long');
    const { played, stopped } = JSON.parse(await out) as { played: number; stopped: string };
    expect(stopped).toBe('signal');
    expect(JSON.parse((await ludus(here, ['list', 'runs', '--json'])).out)).toMatchObject([{ id: 'long', ended: played }]);
  });

  it('exits silently when its output is closed', async () => {
    const here = folder();
    await ludus(here, ['play', 'kuhn-poker', '--watch', '--agents', 'random']);
    const [{ id }] = JSON.parse((await ludus(here, ['list', 'episodes', '--json'])).out) as [{ id: string }];
    const writing = spawn(process.execPath, started(['show', id, '--events']), { cwd: here });
    writing.stdout.destroy();
    const err = text(writing.stderr);
    expect((await once(writing, 'exit'))[0]).toBe(0);
    expect(await err).toBe('');
  });
});
