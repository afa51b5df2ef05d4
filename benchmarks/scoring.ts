/** @file How fast rules score logged episodes, in CPU time of one core: `npm run bench -- scoring [--count=100]`. */

import '@ludus-agents/servers/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { builtInScorer, scorerNames, usualScorers } from '@ludus-agents/evaluation/internal/scoring/index';
import { scoreEpisodes } from '@ludus-agents/evaluation/internal/scoring/score';
import { type Episode, type Script, type Seat, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const environments = ['kuhn-poker', 'dilemma', 'bargain', 'commons', 'werewolf', 'service-desk', 'privacy-guard', 'social-scene', 'clinic'];

const anyone: Script = ({ ask, rng }) => ({
  text: ask.choices === undefined ? 'I have nothing to say about that.' : rng.pick(ask.choices),
});

/** Logs under a world's own stand-ins, and chance on the other seats. */
async function logsOf(name: string, count: number): Promise<readonly Episode[]> {
  const environment = await builtInEnvironment(name);
  const policy = (seat: Seat) => scriptedPolicy('player', environment.scripts?.[seat] ?? anyone);
  const cast = Object.fromEntries(environment.seats(environment.task({})).map((seat) => [seat, policy(seat)]));
  const logs = await rollout(environment, cast, { seeds: Array.from({ length: count }, (_, i) => i), limits: { turns: 60 } });
  return logs.map((events, i) => ({ id: `${name} ${i}`, events }));
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const count = sizeOf(flags, 'count', 100, 1);
  const logs = (await Promise.all(environments.map((name) => logsOf(name, count)))).flat();
  const figures: Figure[] = [];
  for (const [label, names] of [
    ['usual rules', usualScorers],
    ['all rules', scorerNames()],
  ] as const) {
    const scorers = (await Promise.all(names.map(builtInScorer))).filter(({ tier }) => tier === 'rule');
    // What was read from a log is kept with the log, so each pass gets new ones.
    const score = async () => {
      for await (const { episode } of scoreEpisodes(
        logs.map((log) => ({ episode: { ...log } })),
        { scorers },
      ))
        if (episode === '') throw new Error('an episode has no name');
    };
    for (let warm = 0; warm < 2; warm++) await score();
    const before = process.cpuUsage();
    for (let pass = 0; pass < 3; pass++) await score();
    const { user, system } = process.cpuUsage(before);
    const value = Math.round((3 * logs.length) / ((user + system) / 1e6));
    const goal = label === 'usual rules' ? { goal: '≥ 5000' } : {};
    figures.push({ name: `${label} (${scorers.length})`, value, unit: 'episodes/s', ...goal, note: `${environments.length} worlds alike` });
  }
  return figures;
}
