/** @file A real model in games, a scene, at a service desk and under a questionnaire. */

import '@ludus-agents/servers/internal/kinds';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { exploit } from '@ludus-agents/evaluation/internal/exploit';
import { type Agent, type EndEvent, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { Bench } from './models.ts';
import type { Figure } from './run.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

const inFlight = 8;

interface Table {
  readonly environment: string;
  /** Who is on each seat: the model, or a stand-in by its name. */
  readonly seats: Readonly<Record<string, 'model' | 'persona' | string>>;
  readonly episodes: number;
}

export function kuhn(bench: Bench): Promise<readonly Figure[]> {
  return playTable(bench, { environment: 'kuhn-poker', seats: { first: 'model', second: 'model' }, episodes: bench.hands });
}

export function ticTacToe(bench: Bench): Promise<readonly Figure[]> {
  return playTable(bench, { environment: 'tic-tac-toe', seats: { X: 'model', O: 'random' }, episodes: Math.min(8, bench.hands) });
}

/** One long episode each, all at once: each of them waits for its own turns. */
export async function tables(bench: Bench): Promise<readonly Figure[]> {
  const each = [
    { environment: 'twenty-questions', seats: { guesser: 'model', oracle: 'scripted' }, episodes: 1 },
    { environment: 'social-scene', seats: { ada: 'persona', ben: 'persona' }, episodes: 1 },
    { environment: 'service-desk', seats: { agent: 'model', customer: 'scripted' }, episodes: 1 },
    { environment: 'questionnaire', seats: { subject: 'persona', interviewer: 'scripted' }, episodes: 1 },
  ];
  return (await Promise.all(each.map((table) => playTable(bench, table)))).flat();
}

async function playTable(bench: Bench, table: Table): Promise<readonly Figure[]> {
  const name = `${table.environment}.ended_by_rules`;
  const seeds = Array.from({ length: table.episodes }, (_, i) => i + 1);
  const ends: EndEvent[] = [];
  try {
    for (let from = 0; from < seeds.length; from += inFlight)
      ends.push(...(await Promise.all(seeds.slice(from, from + inFlight).map((seed) => episode(bench, table, seed)))));
  } catch (thrown) {
    return [{ name, value: null, unit: '', note: sentenceOf(thrown) }];
  }
  const over = ends.filter(({ reason }) => reason === 'over').length;
  const broken = ends.filter(({ penalties = {} }) => Object.values(penalties).some((penalty) => penalty !== 0)).length;
  return [
    {
      name,
      value: over / ends.length,
      unit: 'of episodes',
      goal: '1',
      note: `${ends.length} played; ${broken} with a move in broken form; ended by ${[...new Set(ends.map(({ reason }) => reason))].join(', ')}`,
    },
  ];
}

/** What a perfect opponent wins from the model at Kuhn poker, by the model's own chances. */
export async function exploitability(bench: Bench): Promise<readonly Figure[]> {
  if (bench.model.score === undefined) return [];
  const exploited = await exploit(bench.name, await builtInEnvironment('kuhn-poker'), { trust: Trust.commandLine });
  return [
    {
      name: 'kuhn-poker.exploitability',
      value: exploited.exploitability,
      unit: 'chips a hand',
      note: `by its own chances at ${exploited.decisions} decisions; chance play has ${exploited.uniform.toFixed(4)}; ${(100 * exploited.legal).toFixed(1)} % on legal moves`,
    },
  ];
}

async function episode({ model, name, keeper }: Bench, table: Table, seed: number): Promise<EndEvent> {
  const environment = await builtInEnvironment(table.environment);
  const load = createAgentLoader({ ...agentServices, model: async () => model });
  const cast = Object.values(gallery);
  const agents: Record<string, Agent> = {};
  for (const [i, [seat, who]] of Object.entries(table.seats).entries()) {
    const spec = { name: seat, kind: 'llm', model: name, ...(who === 'persona' ? { persona: cast[i] as unknown as Json } : {}) };
    agents[seat] = await load(who === 'model' || who === 'persona' ? spec : who, seat, environment);
  }
  return (await keeper.episode(`${table.environment}-${seed}`, play(environment, agents, { seed }))).end;
}
