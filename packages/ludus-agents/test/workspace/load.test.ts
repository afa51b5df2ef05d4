/** @file One way in: names, files and packages of every kind, and who may load what. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { isFileName, loadEntry } from '@ludus-agents/agents/internal/workspace/load';
import { loadAgent, loadPersona, loadPopulation } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { scorerKind } from '@ludus-agents/evaluation/internal/kinds';
import { loadRubric, loadScorer, loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import { listEntries } from '@ludus-agents/kernel/internal/core/index';
import { loadEngine, loadTeacher } from '@ludus-agents/learning/internal/loaders';
import { describeEntry, listKind } from '@ludus-agents/servers/internal/describe';
import { kindOf, kinds } from '@ludus-agents/servers/internal/kinds';
import { afterAll, describe, expect, it } from 'vitest';

const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

function folder(files: Readonly<Record<string, string | object>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'ludus-kinds-'));
  folders.push(path);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return path;
}

const scorer = `export const brief = { name: 'brief', tier: 'rule', score: async () => [] };`;

describe('kinds', () => {
  it('are sixteen, each with descriptions of its built-in entries', async () => {
    expect(kinds).toHaveLength(16);
    for (const kind of kinds) {
      const lines = await listEntries(kind);
      expect(lines.length, kind.name).toBeGreaterThan(0);
      for (const { name, about } of lines) expect(about.length, `${kind.name} ${name}`).toBeGreaterThan(2);
      expect(new Set(lines.map(({ name }) => name)).size).toBe(lines.length);
    }
  });

  it('are found by singular and plural', () => {
    expect(kindOf('scorer')).toBe(kindOf('scorers'));
    expect(kindOf('toString')).toBeNull();
  });

  it('explain every built-in entry, with a command that uses it', async () => {
    for (const kind of kinds.filter(({ name }) => name !== 'environments'))
      for (const { name } of await listEntries(kind)) {
        const description = await describeEntry(kind, name, folder(), Trust.commandLine);
        expect(description.example, name).not.toBe('');
        for (const setting of description.settings) expect(setting.range, `${name} ${setting.name}`).not.toBe('');
      }
  });
});

describe('names', () => {
  it('of environments are rejected as suites, with the right command', async () => {
    const environment = `const f = () => ({}); export const sticks = { id: 'sticks@1', about: {}, parameters: {}, task: f, seats: f, start: f, step: f };`;
    const cwd = folder({ 'sticks.mjs': environment });
    const arena = (name: string) => `"ludus arena ${name} --agents A,B" lets agents meet in it`;
    await expect(loadSuite('kuhn-poker', cwd, Trust.commandLine)).rejects.toThrow(arena('kuhn-poker'));
    await expect(loadSuite('./sticks.mjs', cwd, Trust.commandLine)).rejects.toThrow(arena('./sticks.mjs'));
    await expect(loadEntry(kindOf('recipe')!, 'kuhn-poker', cwd, Trust.commandLine)).rejects.toThrow(
      '--set training.environment=kuhn-poker',
    );
    await expect(loadRubric('kuhn-poker', cwd, Trust.commandLine)).rejects.toThrow('Run "ludus list rubrics" to see all');
  });

  it('are files if they have a slash or a file extension', () => {
    for (const name of ['./a.ts', 'a.json', 'x/y', '../a.mjs#b', 'a.mts']) expect(isFileName(name), name).toBe(true);
    for (const name of ['return', '@scope/pack', '@scope/pack#one', 'pack#one', 'games-core']) expect(isFileName(name), name).toBe(false);
  });

  it('that are unknown are rejected with the nearest one', async () => {
    await expect(loadScorer('retrun', folder(), Trust.commandLine)).rejects.toThrow(
      'Unknown scorer "retrun". Did you mean "return"? Run "ludus list scorers" to see all',
    );
    await expect(loadScorer('constructor', folder(), Trust.commandLine)).rejects.toMatchObject({
      code: 'E_UNKNOWN_NAME',
      details: { kind: 'scorers', name: 'constructor' },
    });
  });
});

describe('files', () => {
  it('provide a scorer, a rule, a suite, a rubric, a population, a teacher, and a persona', async () => {
    const cwd = folder({
      'scorer.mjs': scorer,
      'rule.mjs': `export default { name: 'ruled', version: 1, unit: 'episode', find: () => ({ value: 1 }) };`,
      'suite.json': {
        name: 's',
        nulls: ['random'],
        scenes: [{ environment: 'kuhn-poker', seats: ['first'], personas: { first: './me.json' } }],
      },
      'rubric.json': { name: 'r', form: 'pairwise', about: 'Which is better.', axes: [{ id: 'a', about: 'x' }] },
      'people.json': { name: 'P', attributes: { mood: { calm: 1 } } },
      'teacher.mjs': `export const even = { name: 'even', weights: (tasks) => tasks.map(() => 1) };`,
      'me.json': { name: 'Ada' },
      'me.mjs': `export const ada = { name: 'Ada' };`,
    });
    expect((await loadScorer('./scorer.mjs', cwd, Trust.commandLine)).name).toBe('brief');
    expect((await loadScorer('./scorer.mjs#brief', cwd, Trust.commandLine)).tier).toBe('rule');
    expect((await loadScorer('rule.mjs', cwd, Trust.commandLine)).name).toBe('ruled');
    expect((await loadSuite('./suite.json', cwd, Trust.commandLine)).scenes[0]?.personas['first']).toMatchObject({ name: 'Ada' });
    expect((await loadRubric('./rubric.json', cwd, Trust.commandLine)).form).toBe('pairwise');
    expect(await loadPopulation('./people.json', cwd, Trust.commandLine)).toMatchObject({ name: 'P' });
    expect((await loadTeacher('./teacher.mjs', [], { cwd, trust: Trust.commandLine })).name).toBe('even');
    expect((await loadPersona('./me.json', cwd, Trust.commandLine)).name).toBe('Ada');
    expect((await loadPersona('./me.mjs', cwd, Trust.commandLine)).name).toBe('Ada');
  });

  it('are found as a module in a CommonJS package', async () => {
    expect((await loadScorer('./brief.js', folder({ 'brief.mjs': scorer }), Trust.commandLine)).name).toBe('brief');
  });

  it('are rejected if missing, of another kind, or ambiguous', async () => {
    const cwd = folder({
      'two.mjs': `${scorer} export const other = { ...brief, name: 'other' };`,
      'none.mjs': 'export const x = 1;',
      'bad.json': '{',
      'list.json': [],
    });
    await expect(loadScorer('./gone.ts', cwd, Trust.commandLine)).rejects.toThrow('File not found');
    await expect(loadScorer('./two.mjs', cwd, Trust.commandLine)).rejects.toThrow(
      'exports several scorers. Choose one of ./two.mjs#brief, ./two.mjs#other.',
    );
    await expect(loadScorer('./two.mjs#third', cwd, Trust.commandLine)).rejects.toThrow('does not export a scorer "third"');
    await expect(loadScorer('./none.mjs', cwd, Trust.commandLine)).rejects.toThrow(
      'does not export a scorer: expected an object with name, tier and score',
    );
    writeFileSync(join(cwd, 'slip.mjs'), 'export default { name: "mine", tier: "rule", scroe: () => 1 }; export const n = 1;');
    await expect(loadScorer('./slip.mjs', cwd, Trust.commandLine)).rejects.toThrow(
      'It exports "default", an object with name, tier, scroe; "n", a number. It has "scroe"; did you mean "score"?',
    );
    writeFileSync(join(cwd, 'silent.mjs'), 'const mine = {};');
    await expect(loadScorer('./silent.mjs', cwd, Trust.commandLine)).rejects.toThrow(
      'It exports nothing; write "export default" before it.',
    );
    await expect(loadSuite('./bad.json', cwd, Trust.commandLine)).rejects.toThrow('The suite ./bad.json must be JSON');
    await expect(loadSuite('./list.json', cwd, Trust.commandLine)).rejects.toThrow(
      './list.json does not contain a valid suite: expected an object with name, nulls and scenes',
    );
    for (const [name, wrong, meant] of [
      ['suite', { name: 'm', nulls: ['random'], scens: [] }, '"scens"; did you mean "scenes"?'],
      ['suite', { polcy: [], tasks: [] }, '"polcy"; did you mean "policy"?'],
      ['agent', { name: 'a', knd: 'llm:fake' }, '"knd"; did you mean "kind"?'],
    ] as const)
      await expect(
        loadEntry(kindOf(`${name}s`) as never, './slip.json', folder({ 'slip.json': wrong }), Trust.commandLine),
      ).rejects.toThrow(meant);
    await expect(loadSuite('./other.json', folder({ 'other.json': { name: 'm', size: 1 } }), Trust.commandLine)).rejects.toThrow(
      /policy and tasks\.$/,
    );
    await expect(loadEntry(kindOf('learners') as never, './two.mjs', cwd, Trust.commandLine)).rejects.toThrow(
      'does not export a learner: expected a function of { id, seed } that creates a learner',
    );
    await expect(loadEngine('./none.mjs', cwd, Trust.commandLine)).rejects.toThrow('does not export an engine');
  });
});

describe('packages', () => {
  const pack = (exports: object) => ({
    'node_modules/pack/package.json': { name: 'pack', type: 'module', ...exports },
    'node_modules/pack/main.js': scorer,
    'node_modules/@me/pack/package.json': { name: '@me/pack', type: 'module', main: 'main.js' },
    'node_modules/@me/pack/main.js': scorer,
    'below/empty.txt': '',
  });

  it('of this and parent folders provide entries by exports and main', async () => {
    for (const exports of [
      { main: './main.js' },
      { exports: './main.js' },
      { exports: { '.': { types: './x.d.ts', import: './main.js' } } },
    ]) {
      const cwd = folder(pack(exports));
      expect((await loadScorer('pack', join(cwd, 'below'), Trust.commandLine)).name).toBe('brief');
      expect((await loadScorer('@me/pack#brief', cwd, Trust.commandLine)).name).toBe('brief');
    }
  });

  it('are loaded for the user only, not for stored data or requests', async () => {
    const cwd = folder(pack({ main: './main.js' }));
    for (const source of [Trust.request, Trust.storedData] as const)
      await expect(loadEntry(scorerKind, 'pack', cwd, source)).rejects.toMatchObject({ code: 'E_UNKNOWN_NAME' });
  });
});

describe('the source of a file name', () => {
  it('determines whether the file is loaded', async () => {
    const outside = folder({ 'scorer.mjs': scorer });
    const cwd = folder({ 'scorer.mjs': scorer });
    symlinkSync(join(outside, 'scorer.mjs'), join(cwd, 'link.mjs'));
    const load = (name: string, source: Trust) => loadEntry(scorerKind, name, cwd, source);
    expect((await load(join(outside, 'scorer.mjs'), Trust.commandLine)).name).toBe('brief');
    expect((await load('./scorer.mjs', Trust.request)).name).toBe('brief');
    await expect(load(join(outside, 'scorer.mjs'), Trust.request)).rejects.toThrow('is outside the folder');
    await expect(load('./link.mjs', Trust.request)).rejects.toThrow('is outside the folder');
    await expect(load('../gone.mjs', Trust.request)).rejects.toThrow('is outside the folder');
    await expect(load('./scorer.mjs', Trust.storedData)).rejects.toThrow('stored data loads no files');
  });
});

describe('custom agents', () => {
  const cwd = folder({
    'eve.json': { name: 'Eve', kind: 'scripted:honest' },
    'agent.mjs': `export const lazy = { name: 'lazy', act: ({ ask }) => ({ action: { text: ask.choices[0] } }) };`,
    'maker.mjs': `export default (seat, environment) => ({ name: seat + ' of ' + environment.id, act: () => ({ action: { text: '' } }) });`,
    'loop.json': { name: 'Loop', kind: './loop.json' },
    'slip.json': { name: 'Slip', kind: 'random', setings: {} },
  });

  it('can be a spec, an agent, or a factory function', async () => {
    const poker = await builtInEnvironment('kuhn-poker');
    expect((await loadAgent('./eve.json', 'first', poker, { cwd, trust: Trust.commandLine })).name).toBe('Eve');
    expect((await loadAgent({ name: 'Adam', kind: './eve.json' }, 'first', poker, { cwd, trust: Trust.commandLine })).name).toBe('Adam');
    expect((await loadAgent('./agent.mjs', 'first', poker, { cwd, trust: Trust.commandLine })).name).toBe('lazy');
    expect((await loadAgent('./maker.mjs', 'second', poker, { cwd, trust: Trust.commandLine })).name).toBe('second of kuhn-poker@1');
    expect((await loadAgent('random', 'second', poker, { cwd, trust: Trust.commandLine })).name).toBe('random');
  });

  it('are rejected if a file refers to itself, has a typo, or is named by stored data', async () => {
    const poker = await builtInEnvironment('kuhn-poker');
    await expect(loadAgent('./loop.json', 'first', poker, { cwd, trust: Trust.commandLine })).rejects.toThrow(
      'is defined by files that refer to each other',
    );
    await expect(loadAgent('./slip.json', 'first', poker, { cwd, trust: Trust.commandLine })).rejects.toThrow(
      'unknown field "setings" (did you mean "settings"?)',
    );
    await expect(createAgentLoader(createAgentServices(cwd, Trust.storedData))('./agent.mjs', 'first', poker)).rejects.toThrow(
      'stored data loads no files',
    );
    await expect(createAgentLoader(createAgentServices(cwd, Trust.commandLine))('radnom', 'first', poker)).rejects.toThrow(
      'Unknown agent "radnom"',
    );
  });
});

describe('the configuration', () => {
  it('gives names to custom entries, which override built-in ones', async () => {
    const cwd = folder({
      'ludus.config.json': { kinds: { scorers: { mine: './scorer.mjs', return: './scorer.mjs' } } },
      'scorer.mjs': scorer,
    });
    expect((await loadScorer('mine', cwd, Trust.commandLine)).name).toBe('brief');
    expect((await loadScorer('return', cwd, Trust.commandLine)).name).toBe('brief');
    expect((await listKind(scorerKind, cwd))[0]).toEqual({ name: 'mine', about: 'your own, in ./scorer.mjs' });
    expect((await loadScorer('return', folder(), Trust.commandLine)).name).toBe('return');
  });

  it('resolves environments by the ids in logs', async () => {
    const sticks = `export default { id: 'sticks@2', about: {}, parameters: {}, task() {}, seats() {}, start() {}, step() {}, knows() {} };`;
    const cwd = folder({ 'ludus.config.json': { kinds: { environments: { sticks: './sticks.mjs' } } }, 'sticks.mjs': sticks });
    expect((await resolveEnvironment('sticks@2', cwd, Trust.commandLine)).id).toBe('sticks@2');
    await expect(resolveEnvironment('sticks@1', cwd, Trust.commandLine)).rejects.toThrow(
      'Unknown environment "sticks@1". The configuration defines "sticks" as sticks@2.',
    );
  });
});
