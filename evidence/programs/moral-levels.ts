/**
 * @file Planted infidelity in moral role play: a scripted player acts at the level of its card, except in a planted share of scenes,
 * where it acts at another level. Fidelity should fall as the share rises, at every level. Only its first line in a scene shows a
 * level.
 *
 * Options: card ("own", or "other": the same lines scored under the card of another level), seed. Prints the share of pairs of planted
 * shares that fidelity ranks correctly.
 */

import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { measureMoralPlay, moralScenes } from '@ludus-agents/evaluation/internal/probes/moral-play';
import { type Json, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const shares = [0, 0.25, 0.5, 0.75];

export default async function run({ card = 'own', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'moral levels');
  const persona = parsePersona({ name: 'Runa Dahl', statements: ['Runa Dahl keeps the ledger of a small port.'] });
  const byLevel: Record<number, number[]> = { 1: [], 2: [], 3: [], 4: [] };
  for (const share of shares) {
    const order = random.shuffle(moralScenes.map((_, i) => i));
    const planted = new Set(order.slice(0, Math.round(share * moralScenes.length)));
    const { rows } = await measureMoralPlay([persona], {
      seed: Number(seed),
      agent(version, { id, key }) {
        const scene = Number(id.split(' ').at(-1)) - 1;
        const meant = version.identity.personal.moral.level as number;
        // Under the card of another level, the lines are those of the opposite end.
        const base = card === 'other' ? 5 - meant : meant;
        const others = [1, 2, 3, 4].filter((level) => level !== base);
        const level = planted.has(scene) ? others[random.int(others.length)] : base;
        let turn = 0;
        return scripted('runa', () => ({ text: turn++ === 0 ? `I ${key[level - 1]}.` : 'That is all there is to it.' }));
      },
    });
    for (const { level, fidelity } of rows) byLevel[level].push(fidelity ?? 0);
  }
  const pairs = Object.values(byLevel).flatMap((values) =>
    values.flatMap((value, i) => values.slice(i + 1).map((later) => (later < value ? 1 : later === value ? 0.5 : 0))),
  );
  return { ordered: pairs.reduce<number>((sum, pair) => sum + pair, 0) / pairs.length };
}
