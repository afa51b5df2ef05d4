/**
 * @file How well gates keep luck out, what the evaluator costs, and what engines are worth next to random edits.
 *
 * `--draws=N` edits for each cell of the gate table, `--seeds=N` runs of each engine in the demonstration (0 leaves them out).
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rng, type Store } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { ArchiveLog, openArchives } from '@ludus-agents/learning/internal/prompts/archive';
import { type Candidate, createChild, createFirstCandidate } from '@ludus-agents/learning/internal/prompts/candidate';
import { ConcurrencyLimit } from '@ludus-agents/learning/internal/prompts/concurrency-limit';
import { demoReport } from '@ludus-agents/learning/internal/prompts/demo/demo.cases';
import { Evaluator, type TrialEnvironment } from '@ludus-agents/learning/internal/prompts/evaluator';
import type { GateRule } from '@ludus-agents/learning/internal/prompts/gate';
import { acceptance, editKinds, errorOf, gateRules, inflation, minibatchAcceptance } from '@ludus-agents/learning/internal/prompts/gate';
import { TrialLedger } from '@ludus-agents/learning/internal/prompts/trial-ledger';
import { placesOf } from '@ludus-agents/learning/internal/prompts/trial-scores';
import { sqliteStore } from '@ludus-agents/store/internal/open-store';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const rows: readonly (readonly [string, number, number, GateRule])[] = [
  ['mean', 12, 1, { errors: 0 }],
  ['ours', 12, 1, gateRules.ours],
  ['ours', 24, 1, gateRules.ours],
  ['mean', 12, 5, { errors: 0 }],
  ['mean_no_drop', 12, 5, { errors: 0, protect: 'all', drop: 0.4 }],
  ['ours', 12, 5, gateRules.ours],
  ['ours', 24, 5, gateRules.ours],
  ['ours', 50, 5, gateRules.ours],
  ['cautious', 50, 5, { errors: 1.645 }],
  ['mean_no_drop', 50, 5, { errors: 0, protect: 'all', drop: 0.4 }],
];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const draws = sizeOf(flags, 'draws', 10_000, 20);
  const seeds = sizeOf(flags, 'seeds', 10, 0);
  const folder = mkdtempSync(join(tmpdir(), 'ludus-gates-'));
  const store = await sqliteStore(join(folder, 'gates.sqlite'));
  try {
    return [
      ...tableOf(draws),
      ...luck(draws),
      ...(await overhead(store, flags)),
      ...(await opening(store, sizeOf(flags, 'candidates', 5000, 50))),
      ...(await engines(seeds)),
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The share of edits of each kind that every gate accepts. */
function tableOf(draws: number): readonly Figure[] {
  return rows.flatMap(([name, tasks, repeats, rule]) =>
    editKinds.map((edit): Figure => {
      const value = acceptance({ tasks, repeats, rule, edit }, draws, 1);
      const ours = name === 'ours' && edit === 'null' && tasks === 24 && repeats === 1;
      return {
        name: `gates.${name}_${tasks}x${repeats}.${edit}`,
        value,
        unit: 'share',
        ...(ours ? { goal: '≤ 0.15', note: 'what ludus improve does unless set otherwise' } : {}),
      };
    }),
  );
}

function luck(draws: number): readonly Figure[] {
  const { select, fresh } = inflation(10, 12, { draws });
  return [
    {
      name: 'gates.three_examples.null',
      value: minibatchAcceptance(3, 0, { draws: 4 * draws }),
      unit: 'share',
      goal: '0.34',
      note: 'a strict comparison',
    },
    { name: 'gates.three_examples.harm', value: minibatchAcceptance(3, -0.1, { draws: 4 * draws }), unit: 'share', goal: '0.25' },
    { name: 'gates.best_of_10.inflation', value: select, unit: 'score', goal: '0.22', note: 'ten equals, twelve tasks' },
    { name: 'gates.best_of_10.fresh', value: fresh, unit: 'score', goal: '0', note: 'the same one on fresh tasks' },
  ];
}

/** The same plays of about a second each, 500 at once, with the evaluator and its ledger and with nothing; the quickest of a few times each. */
async function overhead(store: Store, flags: Flags): Promise<readonly Figure[]> {
  // A model's answer takes this long on average, and anything from half to one and a half times that.
  const milliseconds = sizeOf(flags, 'milliseconds', 1000, 5);
  const [concurrency, waves, times] = [sizeOf(flags, 'at-once', 500, 5), sizeOf(flags, 'waves', 6, 2), sizeOf(flags, 'times', 3, 1)];
  const cost = { calls: 1, promptTokens: 800, completionTokens: 80, money: 0.001 };
  const dice = rng(1, 'latency');
  const delays = Array.from({ length: concurrency * waves }, () => milliseconds * (0.5 + dice.next()));
  const answer = (task: number) => new Promise<void>((resolve) => setTimeout(resolve, delays[task]));
  const ground: TrialEnvironment = {
    identity: 'clock',
    play: async (_, { task }) => answer(task).then(() => ({ score: 1, status: 'ok', cost })),
    lesson: async () => {
      throw new Error('Nobody learns here.');
    },
  };
  const places = placesOf('select', concurrency * waves);
  const bare: Timed[] = [];
  const whole: Timed[] = [];
  for (let time = 0; time < times; time++) {
    const lanes = new ConcurrencyLimit(concurrency);
    bare.push(await measureTime(() => Promise.all(places.map(({ task }) => lanes.run(() => answer(task))))));
    const run = `overhead-${time}`;
    await store.putRun({ id: run, plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });
    const parts = { ground, ledger: await TrialLedger.open(store, run), engine: 'bench', seed: 1, concurrency };
    const evaluator = new Evaluator({ ...parts, tasks: { propose: 1, select: places.length, report: 1 } });
    whole.push(await measureTime(() => evaluator.evaluate(createFirstCandidate({ name: 'x', kind: 'x' }), places)));
  }
  const least = (list: readonly Timed[], what: keyof Timed) => Math.min(...list.map((item) => item[what]));
  return [
    {
      name: 'gates.evaluator_overhead',
      value: Math.max(0, least(whole, 'seconds') / least(bare, 'seconds') - 1),
      unit: 'share',
      goal: '< 0.02',
      note: `of model time, ${concurrency} calls of about ${milliseconds} ms at once, ledger in SQLite`,
    },
    {
      name: 'gates.evaluator_cpu_per_call',
      value: ((least(whole, 'cpu') - least(bare, 'cpu')) * 1e6) / places.length,
      unit: 'µs',
      note: 'scheduling, ledger and store',
    },
  ];
}

interface Timed {
  readonly seconds: number;
  readonly cpu: number;
}

async function measureTime(work: () => Promise<unknown>): Promise<Timed> {
  const began = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 };
}

/** An archive of 5,000 candidates, opened from SQLite. */
async function opening(store: Store, candidates: number): Promise<readonly Figure[]> {
  await store.putRun({ id: 'many', plan: { environments: [], seeds: [0], casts: [] }, episodes: 0 });
  const log = await ArchiveLog.open(store, 'many');
  const archive = log.archive('bench');
  const dice = rng(1, 'many');
  const text = Array.from({ length: 40 }, (_, i) => `Line ${i} of an instruction as long as instructions are.`).join('\n');
  const newCandidates: Candidate[] = [
    createFirstCandidate({ name: 'x', kind: 'x', texts: { instruction: text, 'skill/a': text, 'skill/b': text } }),
  ];
  archive.add(newCandidates[0]);
  for (let i = 1; i < candidates; i++) {
    const parent = dice.pick(newCandidates);
    const origin = { engine: 'bench', proposer: 'bench', step: i };
    const otherChild = createChild({ ...parent.components, instruction: `${text}\n${i}` }, { parents: [parent], origin });
    if (!('child' in otherChild)) continue;
    archive.judge(otherChild.child, parent, { accept: i % 7 === 0, words: 'rejected: no gain', tasks: 24, mean: 0, error: 0.1 });
    newCandidates.push(otherChild.child);
  }
  await log.settled();
  const { seconds } = await measureTime(() => openArchives(store, 'many'));
  return [
    {
      name: 'gates.archive_5000_opens',
      value: seconds,
      unit: 's',
      goal: '< 1',
      note: `${archive.candidates.length} candidates with verdicts`,
    },
  ];
}

/** Engines in the demonstration: what they reach on fresh tasks, and how that stands next to random edits at equal cost. */
async function engines(seeds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  if (seeds === 0) return figures;
  for (const engine of ['gepa', 'skillopt', 'inspo']) {
    process.stderr.write(`… ${engine} over ${seeds} seeds\n`);
    const reports = [];
    for (let seed = 1; seed <= seeds; seed++) reports.push(await demoReport({ engine, seed }));
    const over = reports.map(({ overRandom }) => overRandom.mean);
    const note = `± ${errorOf(over).toFixed(3)} over ${seeds} seeds; better in ${over.filter((mean) => mean > 0).length}`;
    figures.push(
      {
        name: `gates.${engine}.report`,
        value: meanOrZero(reports.map(({ best }) => best.report)),
        unit: 'score',
        note: 'start and random below',
      },
      { name: `gates.${engine}.start`, value: meanOrZero(reports.map(({ start }) => start.report)), unit: 'score' },
      { name: `gates.${engine}.random`, value: meanOrZero(reports.map(({ baselines }) => baselines.random.report)), unit: 'score' },
      { name: `gates.${engine}.over_random`, value: meanOrZero(over), unit: 'score', goal: '> 0', note },
    );
  }
  return figures;
}
