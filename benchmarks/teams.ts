/** @file Teams against their best member, and against the same calls spent on it, where knowledge is split: what each protocol gains. */

import { teamProtocols } from '@ludus-agents/environments/internal/team-protocols';
import { wilson } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import { sizeOf } from './_size.ts';
import { codeOf, type Knower, knowersOf, openVault, sabotaged, type VaultPlay } from './_vault.ts';
import type { Figure, Flags } from './run.ts';

interface Rate {
  readonly p: number;
  readonly low: number;
  readonly high: number;
  readonly calls: number;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const games = sizeOf(flags, 'games', 200, 1);
  const figures: Figure[] = [];
  const rate = (name: string, plays: readonly VaultPlay[], goal?: string): Rate => {
    const opened = plays.filter((one) => one.opened).length;
    const [low, high] = wilson(opened, plays.length);
    const calls = plays.reduce((sum, one) => sum + one.calls, 0) / plays.length;
    const note = `95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}, ${calls.toFixed(1)} calls an episode, ${plays.length} episodes`;
    figures.push({ name, value: opened / plays.length, unit: 'opened', note, ...(goal === undefined ? {} : { goal }) });
    return { p: opened / plays.length, low, high, calls };
  };
  const over = (make: (seed: number) => Promise<VaultPlay>) => Promise.all(Array.from({ length: games }, (_, seed) => make(seed)));
  const alone = rate(
    'best member alone',
    await over((seed) => openVault(knowersOf(codeOf(seed)).slice(0, 1), codeOf(seed), { seed })),
    '.0625',
  );
  const gains = (team: Rate, others: readonly (readonly [string, Rate])[]) => {
    for (const [name, other] of others) {
      // Newcombe's interval for the difference of two rates.
      const low = team.p - other.p - Math.hypot(team.p - team.low, other.high - other.p);
      const high = team.p - other.p + Math.hypot(team.high - team.p, other.p - other.low);
      figures.push({ name, value: team.p - other.p, unit: 'difference', note: `95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}` });
    }
  };
  for (const protocol of teamProtocols)
    for (const split of ['knowledge', 'tools'] as const) {
      const options = { protocol, split };
      const open = (seed: number) => openVault(knowersOf(codeOf(seed)), codeOf(seed), { seed, ...options });
      const team = rate(`team, ${protocol}, split ${split}`, await over(open), '1');
      // With tools one try is two calls.
      const tries = Math.min(16, Math.round(team.calls / (split === 'tools' ? 2 : 1)));
      const spent = await over((seed) => openVault(knowersOf(codeOf(seed)).slice(0, 1), codeOf(seed), { seed, tries, split }));
      const one = rate('  the same calls on one member', spent, `${(tries / 16).toFixed(4)}`);
      const cut = await over((seed) => openVault(knowersOf(codeOf(seed)), codeOf(seed), { seed, ...options, links: [] }));
      rate('  with its links cut', cut, '.0625');
      gains(team, [
        ['  gain over the best member', alone],
        ['  gain over the same calls', one],
      ]);
    }
  for (const protocol of teamProtocols)
    for (const knowers of [1, 2]) {
      const open = (seed: number) => openVault(sabotaged(codeOf(seed), knowers, seed), codeOf(seed), { seed, protocol });
      rate(
        `with a saboteur, ${protocol}, ${knowers === 1 ? 'one knows' : 'two know'} each digit`,
        await over(open),
        knowers === 1 ? '.125' : '1',
      );
    }
  // The negative control: where one knows all and messages cost, a team must lose.
  const knowing = (seed: number): readonly Knower[] =>
    ['Ann', 'Ben', 'Cleo'].map((name) => ({
      name,
      digits: name === 'Ann' ? Object.fromEntries(codeOf(seed).map((v, i) => [i + 1, v])) : {},
    }));
  const price = 0.05;
  const paid = (plays: readonly VaultPlay[], free: number) =>
    plays.reduce((sum, one) => sum + (one.opened ? 1 : 0) - price * (one.calls - free), 0) / plays.length;
  const single = paid(await over((seed) => openVault(knowing(seed).slice(0, 1), codeOf(seed), { seed })), 1);
  const crowd = paid(await over((seed) => openVault(knowing(seed), codeOf(seed), { seed, protocol: 'in-order' })), 0);
  figures.push({
    name: 'control: one knows all, a message costs .05, team minus member',
    value: crowd - single,
    unit: 'difference',
    goal: '-.15',
  });
  return figures;
}
