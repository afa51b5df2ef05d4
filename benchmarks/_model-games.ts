/** @file A real model in games, a scene, at a service desk, under a questionnaire, as a judge, and improved once. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentLoader } from '../src/agents/kinds.ts';
import { type Agent, type EndEvent, type Json, sentenceOf } from '../src/core/index.ts';
import { play } from '../src/engine/play.ts';
import { builtInEnvironment } from '../src/environments/index.ts';
import { exploit } from '../src/evaluation/exploit.ts';
import { createImproveServices, improveRun, saveImproveRun, workOf } from '../src/improving/improve.ts';
import { improve } from '../src/learning/prompts/improve.ts';
import { gallery } from '../src/personas/index.ts';
import { examine } from '../src/scoring/trust/index.ts';
import { openStore } from '../src/store/index.ts';
import { agentServices } from '../src/workspace/agent-services.ts';
import { loadRubric } from '../src/workspace/loaders.ts';
import type { Bench } from './models.ts';
import type { Figure } from './run.ts';

const inFlight = 8;

interface Table {
  readonly environment: string;
  /** Who is on each seat: the model, or a stand-in by its name. */
  readonly seats: Readonly<Record<string, 'model' | 'persona' | string>>;
  readonly episodes: (bench: Bench) => number;
}

const tables: readonly Table[] = [
  { environment: 'kuhn-poker', seats: { first: 'model', second: 'model' }, episodes: ({ hands }) => hands },
  { environment: 'tic-tac-toe', seats: { X: 'model', O: 'random' }, episodes: ({ hands }) => Math.min(8, hands) },
  { environment: 'twenty-questions', seats: { guesser: 'model', oracle: 'scripted' }, episodes: () => 1 },
  { environment: 'social-scene', seats: { ada: 'persona', ben: 'persona' }, episodes: () => 1 },
  { environment: 'service-desk', seats: { agent: 'model', customer: 'scripted' }, episodes: () => 1 },
  { environment: 'questionnaire', seats: { subject: 'persona', interviewer: 'scripted' }, episodes: () => 1 },
];

export async function games(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const table of tables) {
    const seeds = Array.from({ length: table.episodes(bench) }, (_, i) => i + 1);
    const reasons: string[] = [];
    const broken: number[] = [];
    try {
      for (let from = 0; from < seeds.length; from += inFlight)
        for (const end of await Promise.all(seeds.slice(from, from + inFlight).map((seed) => episode(bench, table, seed)))) {
          reasons.push(end.reason);
          broken.push(Object.values(end.penalties ?? {}).filter((one) => one !== 0).length);
        }
      const over = reasons.filter((reason) => reason === 'over').length;
      figures.push({
        name: `${table.environment}.ended_by_rules`,
        value: over / reasons.length,
        unit: 'of episodes',
        goal: '1',
        note: `${reasons.length} played; ${broken.filter((one) => one > 0).length} with a move in broken form`,
      });
    } catch (thrown) {
      figures.push({ name: `${table.environment}.ended_by_rules`, value: null, unit: '', note: sentenceOf(thrown) });
    }
  }
  if (bench.model.score !== undefined) {
    const found = await exploit(bench.name, await builtInEnvironment('kuhn-poker'));
    figures.push({
      name: 'kuhn-poker.exploitability',
      value: found.exploitability,
      unit: 'chips a hand',
      note: `by its own chances at ${found.decisions} decisions; chance play has ${found.uniform.toFixed(4)}; ${(100 * found.legal).toFixed(1)} % on legal moves`,
    });
  }
  return figures;
}

async function episode({ model, name }: Bench, table: Table, seed: number): Promise<EndEvent> {
  const environment = await builtInEnvironment(table.environment);
  const load = createAgentLoader({ ...agentServices, model: async () => model });
  const cast = Object.values(gallery);
  const agents: Record<string, Agent> = {};
  for (const [i, [seat, who]] of Object.entries(table.seats).entries()) {
    const spec = { name: seat, kind: 'llm', model: name, ...(who === 'persona' ? { persona: cast[i] as unknown as Json } : {}) };
    agents[seat] = await load(who === 'model' || who === 'persona' ? spec : who, seat, environment);
  }
  for await (const event of play(environment, agents, { seed })) if (event.kind === 'end') return event as EndEvent;
  throw new Error(`${table.environment} did not end`);
}

/** A judge's trust card, and one improvement of an instruction. */
export async function judge({ model, name }: Bench): Promise<readonly Figure[]> {
  const card = await examine({ rubric: await loadRubric('coser', process.cwd()), judge: { model }, twins: 4 });
  const grades = { A: 3, B: 2, C: 1 } as const;
  const store = await openStore(join(mkdtempSync(join(tmpdir(), 'ludus-bench-')), 'store.sqlite'));
  try {
    const run = await improveRun({
      recipe: 'instruction-demo',
      model: name,
      seed: 1,
      calls: 12,
      locked: [],
      counts: { propose: 4, select: 4, report: 4 },
    });
    await saveImproveRun(store, run);
    const course = improve(
      workOf(run),
      await createImproveServices(store, run, { cwd: process.cwd(), concurrency: inFlight, signal: new AbortController().signal }),
    );
    for (let next = await course.next(); ; next = await course.next()) {
      if (next.done !== true) continue;
      const { start, best, calls } = next.value;
      return [
        { name: 'judge.trust_grade', value: grades[card.grade], unit: `(${card.grade})`, note: card.reasons.slice(0, 2).join(' ') },
        { name: 'improve.best', value: best.report, unit: 'score', note: `from ${start.report} in ${calls} plays` },
      ];
    }
  } finally {
    await store.close();
  }
}
