/** @file Kills at seeded writes of every command that writes: afterwards nothing is lost, doubled or half. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { hash, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { checkManifest } from '@ludus-agents/store/internal/files/manifest';
import { checkStoreAt, openStore } from '@ludus-agents/store/internal/open-store';
import { expect } from 'vitest';
import { ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';
import { builtFile } from './fixtures/built.ts';

const hook = join(import.meta.dirname, 'fixtures', 'kill-at.mjs');
const studio = join(import.meta.dirname, 'fixtures', 'kill-studio.ts');
const storeIn = (cwd: string) => join(cwd, '.ludus', 'ludus.sqlite');

interface Scenario {
  /** Makes the folder that every kill begins from. */
  prepare(cwd: string): Promise<void>;
  /** What is killed, as arguments of Node. */
  readonly killed: (cwd: string) => readonly string[];
  /** What must hold right after a kill. */
  readonly holds?: (cwd: string) => Promise<void>;
  /** Goes on, or does it again; in this process. */
  recover(cwd: string): Promise<void>;
  /** What there is in the end: the same whether it was killed or not. */
  outcome(cwd: string): Promise<Json>;
}

const cli = (...args: readonly string[]) => {
  // A process that is killed keeps nothing of what it compiled, so it loads what is built.
  const main = JSON.stringify(builtFile('ludus-agents/cli/main'));
  const start = `import(${main}).then(({ main }) => main(${JSON.stringify(args)})).then((code) => { process.exitCode = code; })`;
  return () => ['--input-type=module', '-e', start];
};

async function runToEnd(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await ludus(cwd, args);
  expect(code, `${args.join(' ')}: ${err}`).toBe(0);
  return out;
}

const plan = { name: 'base', environments: ['kuhn-poker', 'tic-tac-toe'], seeds: 12 };
const writePlan = async (cwd: string) => writeFileSync(join(cwd, 'plan.json'), JSON.stringify(plan));
const playPlan = async (cwd: string) => {
  await writePlan(cwd);
  await runToEnd(cwd, 'run', 'plan.json');
};

/** Every log, journal and score of a store by its hash, whatever order they came in; every log replays. */
async function contents(cwd: string): Promise<Json> {
  const store = await openStore(storeIn(cwd));
  const episodes: Record<string, string> = {};
  for (const { id, environment } of await store.episodes()) {
    const events = await store.events(id);
    expect(replay(await builtInEnvironment(environment), events), id).toBeNull();
    const scores = (await store.scores(id)).map((score) => hash(score as unknown as Json)).sort();
    episodes[id] = hash([hash(events as unknown as Json), ...scores]);
  }
  const runs = (await store.runs()).map((run) => hash(run as unknown as Json));
  await store.close();
  return { runs: runs.sort(), episodes: Object.fromEntries(Object.entries(episodes).sort()) };
}

/** A file under its final name is whole; one that is not there yet is fine. */
async function wholeOrAbsent(cwd: string): Promise<void> {
  for (const name of readdirSync(cwd)) {
    if (!name.startsWith('all.jsonl') || name.endsWith('.part') || name.endsWith('.manifest.json')) continue;
    expect(readFileSync(join(cwd, name), 'utf8').trimEnd().split('\n').at(-1), name).toContain('"kind":"end"');
  }
  if (existsSync(join(cwd, 'all.jsonl'))) await checkManifest(join(cwd, 'all.jsonl'));
  const manifest = join(cwd, 'set', 'manifest.json');
  if (existsSync(manifest))
    for (const { file, bytes } of JSON.parse(readFileSync(manifest, 'utf8')).files)
      expect(readFileSync(join(cwd, 'set', file)).length).toBe(bytes);
  const data = join(cwd, 'set', 'data');
  for (const item of existsSync(data) ? readdirSync(data, { recursive: true, encoding: 'utf8' }) : [])
    if (item.endsWith('.jsonl')) for (const line of readFileSync(join(data, item), 'utf8').trimEnd().split('\n')) JSON.parse(line);
}

const training = ['train', 'kuhn-tabular', '--seed', '1', '--games', '3000', '--name', 'k'];
const improving = ['improve', 'instruction-demo', '--engine', 'gepa', '--seed', '1', '--budget', '60', '--name', 'imp'];

const questionnaire = {
  items: [
    { id: 'a', text: 'A?', options: ['yes', 'no'] },
    { id: 'b', kind: 'open', text: 'Why?', when: { a: 'yes' } },
  ],
};
const surveying = [
  'survey',
  'questionnaire.json',
  '--population',
  'customers',
  '-n',
  '24',
  '--agent',
  'scripted:respondent',
  '-o',
  'answers.csv',
];

export const scenarios: Readonly<Record<string, Scenario>> = {
  run: {
    prepare: writePlan,
    killed: cli('run', 'plan.json'),
    recover: async (cwd) => void (await runToEnd(cwd, 'run', 'plan.json')),
    outcome: contents,
  },
  survey: {
    prepare: async (cwd) => writeFileSync(join(cwd, 'questionnaire.json'), JSON.stringify(questionnaire)),
    killed: cli(...surveying),
    recover: async (cwd) => void (await runToEnd(cwd, ...surveying)),
    outcome: async (cwd) => [await contents(cwd), readFileSync(join(cwd, 'answers.csv'), 'utf8')],
  },
  score: {
    prepare: playPlan,
    killed: cli('score', 'base'),
    recover: async (cwd) => void (await runToEnd(cwd, 'score', 'base')),
    outcome: contents,
  },
  import: {
    async prepare(cwd) {
      await playPlan(cwd);
      await runToEnd(cwd, 'score', 'base');
      await runToEnd(cwd, 'data', 'export', '-o', 'all.jsonl');
      rmSync(join(cwd, '.ludus'), { recursive: true });
    },
    killed: cli('data', 'import', 'all.jsonl'),
    recover: async (cwd) => void (await runToEnd(cwd, 'data', 'import', 'all.jsonl')),
    outcome: contents,
  },
  export: {
    prepare: playPlan,
    killed: cli('data', 'export', '-o', 'all.jsonl'),
    holds: wholeOrAbsent,
    recover: async (cwd) => void (await runToEnd(cwd, 'data', 'export', '-o', 'all.jsonl')),
    outcome: async (cwd) => [
      readFileSync(join(cwd, 'all.jsonl'), 'utf8'),
      readdirSync(cwd)
        .filter((name) => name.startsWith('all'))
        .sort(),
    ],
  },
  dataset: {
    prepare: playPlan,
    killed: cli('data', 'export', '--format', 'openai', '--words', 'view', '-o', 'set'),
    holds: wholeOrAbsent,
    recover: async (cwd) => void (await runToEnd(cwd, 'data', 'export', '--format', 'openai', '--words', 'view', '-o', 'set')),
    outcome: async (cwd) => JSON.parse(readFileSync(join(cwd, 'set', 'manifest.json'), 'utf8')) as Json,
  },
  train: {
    prepare: async () => {},
    killed: cli(...training),
    async recover(cwd) {
      const begun = existsSync(join(cwd, '.ludus', 'training', 'k', 'run.json'));
      await runToEnd(cwd, ...(begun ? ['train', '--resume', 'k'] : training));
    },
    async outcome(cwd) {
      const { checkpoint, update } = JSON.parse(readFileSync(join(cwd, '.ludus', 'training', 'k', 'last.json'), 'utf8'));
      return { checkpoint, update };
    },
  },
  improve: {
    prepare: async () => {},
    killed: cli(...improving),
    recover: async (cwd) => void (await runToEnd(cwd, ...improving)),
    outcome: async (cwd) => JSON.parse(await runToEnd(cwd, 'report', 'imp', '--format', 'json')) as Json,
  },
  studio: {
    prepare: async (cwd) => {
      await playPlan(cwd);
    },
    killed: (cwd) => [studio, cwd, storeIn(cwd), '4'],
    async recover(cwd) {
      expect(await runUntilKilled(cwd, [studio, cwd, storeIn(cwd), '0'], {})).toBe(0);
    },
    async outcome(cwd) {
      const store = await openStore(storeIn(cwd));
      const entries = (await store.notes('studio', 'episodes')) as readonly { episode: string }[];
      const statuses = await store.statuses('studio');
      // What is in the journal was played once, to its end, by the rules; nothing else was.
      expect([...statuses.keys()].sort()).toEqual(entries.map(({ episode }) => episode).sort());
      for (const { episode } of entries) expect(replay(await builtInEnvironment('kuhn-poker'), await store.events(episode))).toBeNull();
      await store.close();
      return [...new Set(statuses.values())].filter((status) => status !== 'over');
    },
  },
};

/** A pipeline from the command line: the same rows, and no step of the journal twice. */
function makes(pipeline: string, source: string): Scenario {
  const making = ['make', pipeline, source, '--model', 'fake', '-n', '12', '-o', 'made.jsonl', '--json'];
  return {
    prepare: async () => {},
    killed: cli(...making),
    holds: async (cwd) => {
      if (existsSync(join(cwd, 'made.jsonl'))) await checkManifest(join(cwd, 'made.jsonl'));
    },
    recover: async (cwd) => void (await runToEnd(cwd, ...making)),
    async outcome(cwd) {
      const [, ...steps] = readFileSync(join(cwd, 'made.jsonl.journal'), 'utf8').trimEnd().split('\n');
      const names = steps.map((line) => JSON.parse(line) as { item: number; step: string }).map(({ item, step }) => `${item} ${step}`);
      expect(new Set(names).size).toBe(names.length);
      return [readFileSync(join(cwd, 'made.jsonl'), 'utf8'), names.length];
    },
  };
}

/** What is killed in the long tests alone. */
export const longScenarios: Readonly<Record<string, Scenario>> = {
  'make ditto': makes('ditto', 'villain'),
  'make self-prompt-tuning': makes('self-prompt-tuning', 'maths'),
  'make mmat': makes('mmat', 'maths'),
  'make mpa': makes('mpa', 'maths'),
};

/** Runs a program under the hook and gives its exit code, null when it was killed. */
async function runUntilKilled(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number | null> {
  const child = spawn(process.execPath, ['--import', hook, ...args], {
    cwd,
    env: { ...process.env, NODE_ENV: '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let spokenText = '';
  child.stderr.on('data', (text: Buffer) => {
    spokenText += text;
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`${args.join(' ')} ended with ${code}: ${spokenText.slice(-800)}`);
  return code;
}

/**
 * Kills a scenario so many times, each time from the same beginning and at another write. One kill is at one of the first ten writes, since
 * counting them all would take another process.
 */
export async function killScenario(name: string, kills: number): Promise<void> {
  const scenario = (scenarios[name] ?? longScenarios[name])!;
  const base = mkdtempSync(join(tmpdir(), `ludus-kill-${name.replaceAll(' ', '-')}-`));
  const dice = rng(1, 'kills', name);
  try {
    const start = join(base, 'start');
    cpSync(mkdtempSync(join(base, 'empty-')), start, { recursive: true });
    await scenario.prepare(start);
    const whole = join(base, 'whole');
    cpSync(start, whole, { recursive: true });
    let writes = 10;
    if (kills === 1) await scenario.recover(whole);
    else {
      expect(await runUntilKilled(whole, scenario.killed(whole), { LUDUS_KILL_COUNT: join(base, 'count') })).toBe(0);
      writes = Number(readFileSync(join(base, 'count'), 'utf8'));
      expect(writes).toBeGreaterThan(10);
    }
    const expected = await scenario.outcome(whole);
    for (let kill = 0; kill < kills; kill++) {
      const at = 1 + dice.int(writes);
      const cwd = join(base, `kill-${kill}`);
      cpSync(start, cwd, { recursive: true });
      expect(await runUntilKilled(cwd, scenario.killed(cwd), { LUDUS_KILL_AT: String(at) })).toBeNull();
      const where = `${name}, killed at write ${at} of ${writes}`;
      if (existsSync(storeIn(cwd))) expect((await checkStoreAt(storeIn(cwd), null)).problems, where).toEqual([]);
      await scenario.holds?.(cwd);
      await scenario.recover(cwd);
      expect(await scenario.outcome(cwd), where).toEqual(expected);
      if (existsSync(storeIn(cwd))) expect((await checkStoreAt(storeIn(cwd), null)).problems, where).toEqual([]);
      rmSync(cwd, { recursive: true });
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
