/**
 * @file What each way of searching by agents is worth at equal model calls: `npm run bench -- search [--seeds=5] [--first=8101] [--episodes=20] [--only=sites | --environment=./mine.ts] [--mechanism=webdreamer] [--model=NAME]`.
 *
 * Each is played with its mechanism and without it on quest worlds, on sites, on a story, and in a mill, by the same stand-ins for a model, which err. The
 * calls that the mechanism costs go into more tries or more scores of the other arm. With --model, a language model proposes, judges, and imagines.
 */

import { pairedDifference } from '@ludus-agents/evaluation/internal/scoring/statistics/paired';
import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type SearchGround, type SearchRun, searchGrounds, searchRun } from './_searched.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface Mechanism {
  readonly name: string;
  readonly on: JsonObject;
  readonly off: JsonObject;
  /** What differs without it on a ground, so that calls are equal there; those of the mill are used for an environment in a file. */
  readonly offOn?: Readonly<Record<string, JsonObject>>;
}

const swe = { strategy: 'swe-search', trust: 1, depth: 1 };
const pilot = { strategy: 'webpilot', depth: 1, width: 6 };
const reflecting = { strategy: 'r-mcts', depth: 1 };
const dreaming = { strategy: 'webdreamer', width: 3 };
const thinking = { strategy: 'reasoning', depth: 4 };

/** Tries and scores were set on seeds from 101 on, ground by ground, so that the arm without the mechanism has about as many calls. */
const mechanisms: readonly Mechanism[] = [
  {
    name: 'swe-search: words in hindsight and debate',
    on: { ...swe, simulations: 3 },
    off: { ...swe, simulations: 8, judgements: 7, hindsight: false, debate: 0 },
    offOn: { sites: { judgements: 5 }, mill: { judgements: 5 } },
  },
  {
    name: 'r-mcts: lessons over episodes',
    on: { ...reflecting, simulations: 3, lasting: true },
    off: { ...reflecting, simulations: 5, reflections: false },
    offOn: { sites: { simulations: 4 }, mill: { simulations: 4 } },
  },
  {
    name: 'webpilot: sub-tasks',
    on: { ...pilot, simulations: 4 },
    off: { ...pilot, simulations: 9, subtasks: false },
    offOn: { sites: { simulations: 5 }, mill: { simulations: 5 }, 'your story': { simulations: 5, judgements: 2 } },
  },
  { name: 'webdreamer: imagination', on: { ...dreaming, judgements: 2 }, off: { ...dreaming, judgements: 3, imagine: false } },
  {
    name: 'reasoning: nested, judged step by step',
    on: { ...thinking, width: 1, simulations: 4, structure: 'nested', supervision: 'process' },
    off: { ...thinking, simulations: 24, structure: 'chain' },
  },
];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const first = Number(flags['first'] ?? 8101);
  const seeds = Array.from({ length: sizeOf(flags, 'seeds', 5, 2) }, (_, i) => first + i);
  const episodes = sizeOf(flags, 'episodes', 20, 1);
  const figures: Figure[] = [];
  const model = typeof flags['model'] === 'string' ? flags['model'] : undefined;
  const file = flags['environment'];
  const grounds = (await searchGrounds(typeof file === 'string' ? file : undefined)).filter(
    ({ name }) => flags['only'] === undefined || name === flags['only'],
  );
  const wanted = mechanisms.filter(({ on }) => flags['mechanism'] === undefined || on['strategy'] === flags['mechanism']);
  for (const mechanism of wanted) for (const ground of grounds) figures.push(await compare(mechanism, ground));
  return figures;

  async function compare({ name, on, off, offOn }: Mechanism, ground: SearchGround): Promise<Figure> {
    const arms: Record<'on' | 'off', SearchRun[]> = { on: [], off: [] };
    for (const seed of seeds) {
      const without = { ...off, ...(offOn?.[ground.name] ?? (file === undefined ? {} : offOn?.['mill'])) };
      const [first, second] = await Promise.all([
        searchRun(ground, on, { seed, episodes, model }),
        searchRun(ground, without, { seed, episodes, model }),
      ]);
      arms.on.push(first);
      arms.off.push(second);
    }
    const { value, interval } = pairedDifference(arms.on.map(({ closer }, i) => ({ a: closer, b: arms.off[i].closer })));
    const mean = (arm: readonly SearchRun[], of: (run: SearchRun) => number) =>
      (arm.reduce((sum, run) => sum + of(run), 0) / arm.length).toFixed(2);
    const each = (of: (run: SearchRun) => number) => `${mean(arms.on, of)} and ${mean(arms.off, of)}`;
    const acted = Object.entries(arms.on[0].acted).map(([mechanism, times]) => `${mechanism} ${times}`);
    const note = [
      `95% ${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}`,
      `with and without: right moves ${each((run) => run.closer)}`,
      ...(on['strategy'] === 'reasoning' ? [] : [`right moves tried ${each((run) => run.tried)}`]),
      `goals ${each((run) => run.won)}`,
      `calls a move ${each((run) => run.calls)}`,
      ...(model === undefined ? [] : [`in the log ${each((run) => run.logged)}`]),
      `acted in the first seed: ${acted.join(', ')}`,
    ].join('; ');
    return { name: [name, ground.name, model].filter((part) => part !== undefined).join(', '), value, unit: 'right moves', note };
  }
}
