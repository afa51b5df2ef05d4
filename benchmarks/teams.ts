/**
 * @file What protocols of teams are worth on three grounds at equal calls, and what each of their mechanisms adds: on and off, on the same
 * fresh seeds. The number of rounds is chosen for each protocol on other seeds.
 */

import { protocols } from '@ludus-agents/environments/internal/discussion/protocols/index';
import { teamProtocols } from '@ludus-agents/environments/internal/team-protocols';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero as mean } from '@ludus-agents/kernel/internal/core/mean';
import { equalGrounds, playEqually } from './_equal-calls.ts';
import { type GroundPlay, paceGround, playGround } from './_grounds.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

/** Seeds that nothing was tuned on, and those on which the rounds of a protocol are chosen. */
const [firstSeed, firstPilot] = [7001, 101];
/** The first is the default; 20 are as many as the calls allow. */
const roundsToTry = [3, 1, 20];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const games = sizeOf(flags, 'games', 200, 2);
  const seeds = Array.from({ length: games }, (_, i) => firstSeed + i);
  const pilotSeeds = Array.from({ length: Math.min(games, 40) }, (_, i) => firstPilot + i);
  const figures: Figure[] = [];
  for (const ground of equalGrounds) {
    const over = async (settings: { readonly [name: string]: Json }, on = seeds) => {
      const plays: GroundPlay[] = [];
      for (const seed of on) plays.push(await playEqually(ground, seed, settings));
      return plays;
    };
    for (const protocol of teamProtocols) {
      const usual = { protocol, ...(protocol === 'pipeline' ? { pipeline: 'hla' } : {}) };
      const pilots: { readonly rounds: number; readonly paid: number }[] = [];
      for (const rounds of roundsToTry) {
        const plays = await over({ ...usual, rounds }, pilotSeeds);
        pilots.push({ rounds, paid: mean(plays.map(({ paid }) => paid)) });
      }
      const { rounds } = pilots.reduce((best, pilot) => (pilot.paid > best.paid ? pilot : best));
      const settings = { ...usual, rounds };
      const on = await over(settings);
      const counts = on.reduce<Record<string, number>>((sum, { acted }) => {
        for (const [name, count] of Object.entries(acted)) sum[name] = (sum[name] ?? 0) + count;
        return sum;
      }, {});
      const speeches = mean(on.map((groundPlay) => groundPlay.speeches));
      const acted = Object.entries(counts).map(([name, count]) => `${name} ${(count / games).toFixed(1)}`);
      const { value, words } = interval(on.map(({ paid }) => paid));
      figures.push({
        ...{ name: `${ground.name}, ${protocol}`, value, unit: 'of 1' },
        note: `${words}; up to ${rounds} rounds; ${speeches.toFixed(1)} speeches an episode; ${acted.join(', ') || 'no mechanism acted'}`,
      });
      for (const mechanism of Object.keys(protocols[protocol].mechanisms ?? {})) {
        const off = await over({ ...settings, off: [mechanism] });
        const gain = interval(on.map(({ paid }, i) => paid - (off[i]?.paid ?? 0)));
        const others = mean(off.map((groundPlay) => groundPlay.speeches)).toFixed(1);
        figures.push({
          name: `  gain by ${mechanism}`,
          value: gain.value,
          unit: 'difference',
          note: `${gain.words}; ${others} speeches without it`,
        });
      }
    }
  }
  for (const pace of [0, 1, 2, 4])
    for (const [name, settings] of [
      [
        'slow mind alone',
        {
          modules: [
            { name: 'slow', tell: 'Say what to reach: "Intent: …".', keep: ['Intent'] },
            { name: 'act', tell: 'Act.' },
          ],
        },
      ],
      ['fast mind alone', { modules: [{ name: 'act', tell: 'Act.' }] }],
      ['hla', { pipeline: 'hla' }],
    ] as const) {
      const ticks = { slow: 4 * pace, fast: pace, act: pace };
      const plays: GroundPlay[] = [];
      for (const seed of seeds)
        plays.push(await playGround(paceGround, seed, { ...(settings as { readonly [key: string]: Json }), ticks }));
      const { value, words } = interval(plays.map(({ paid }) => paid));
      figures.push({ name: `${paceGround.name}, ${name}, ${pace} ticks a fast answer`, value, unit: 'of 1', note: words });
    }
  return figures;
}

function interval(values: readonly number[]): { readonly value: number; readonly words: string } {
  const value = mean(values);
  const half = 1.96 * Math.sqrt(mean(values.map((sample) => (sample - value) ** 2)) / Math.max(1, values.length - 1));
  return { value, words: `95% interval ${(value - half).toFixed(3)} to ${(value + half).toFixed(3)}, ${values.length} episodes` };
}
