/** @file Teams against their best member, and against the same calls spent on it, where knowledge is split: what each protocol gains. */

import { rng } from '../src/core/index.ts';
import { teamProtocols } from '../src/core/team-protocols.ts';
import { wilson } from '../src/scoring/statistics/rates.ts';
import { codeOf, type Knower, knowersOf, liar, openVault, tellingModules, type VaultPlay } from './_vault.ts';
import type { Figure, Flags } from './run.ts';

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const games = Number(flags['games'] ?? 200);
  const figures: Figure[] = [];
  const rate = (name: string, plays: readonly VaultPlay[], goal?: string) => {
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
  for (const protocol of teamProtocols) {
    const settings = protocol === 'pipeline' ? tellingModules : {};
    const open = (seed: number) => openVault(knowersOf(codeOf(seed)), codeOf(seed), { seed, protocol, settings });
    const team = rate(`team, ${protocol}`, await over(open), '1');
    const tries = Math.round(team.calls);
    const spent = await over((seed) => openVault(knowersOf(codeOf(seed)).slice(0, 1), codeOf(seed), { seed, tries }));
    const one = rate(`  the same ${tries} calls on one member`, spent, `${(tries / 16).toFixed(4)}`);
    for (const [name, other] of [
      ['  gain over the best member', alone],
      ['  gain over the same calls', one],
    ] as const) {
      // Newcombe's interval for the difference of two rates.
      const low = team.p - other.p - Math.hypot(team.p - team.low, other.high - other.p);
      const high = team.p - other.p + Math.hypot(team.high - team.p, other.p - other.low);
      figures.push({ name, value: team.p - other.p, unit: 'difference', note: `95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}` });
    }
  }
  const cut = (seed: number) => openVault(knowersOf(codeOf(seed)), codeOf(seed), { seed, protocol: 'in-order', links: [] });
  rate('team, links cut', await over(cut), '.0625');
  const sabotage = (seed: number, knowers: number): readonly Knower[] => {
    const code = codeOf(seed);
    const honest = Array.from({ length: knowers }, (_, k) =>
      knowersOf(code).map(({ name, digits }) => ({ name: `${name}${k}`, digits })),
    ).flat();
    return [...honest, liar('Sam', code, rng(seed, 'liar'))];
  };
  rate(
    'team with a saboteur, one knows each digit',
    await over((seed) => openVault(sabotage(seed, 1), codeOf(seed), { seed, protocol: 'in-order' })),
    '.125',
  );
  rate(
    'team with a saboteur, two know each digit',
    await over((seed) => openVault(sabotage(seed, 2), codeOf(seed), { seed, protocol: 'in-order' })),
    '1',
  );
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
