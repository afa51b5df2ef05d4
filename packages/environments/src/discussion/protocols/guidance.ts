/**
 * @file A policy with guidance (GRAPPA, arXiv 2410.06473): the lead says what it would do, a monitor judges it, a grounder says what is there,
 * an advisor weighs the moves, and the two weights are mixed. It stops as soon as the monitor is content; then nothing more is mixed in.
 *
 * The source leaves the mixture open: `mix` is "linear" or "geometric", and `share` is the part that guidance has. With a share of 0 the
 * choice is the lead's own.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import { answerWords, type Discussion, othersOf, type Protocol, type Speech, speechesOf } from '../protocol.ts';
import { isYes, lineIn, linesIn, numberIn } from '../speech.ts';

export const guidance: Protocol = {
  about: 'the lead weighs moves, an advisor’s guidance is mixed in until a monitor is content (GRAPPA)',

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const others = othersOf(discussion);
    const role = (i: number): Seat => others[i % Math.max(1, others.length)] ?? lead;
    const [grounder, advisor, monitor] = [role(0), role(1), role(2)];
    const hears = speechesOf(discussion, () => true);
    const askOne = (seat: Seat, part: string, tell: string, shown: readonly string[] = choices) => ({
      asks: [{ seat, part, tell, hears, choices: shown }],
    });
    const last = said.at(-1);
    if (last === undefined)
      return askOne(
        lead,
        'policy',
        `Say how likely you would make each move: lines "Weight MOVE: …" from 0 to 1. ${answerWords(discussion)}`,
      );
    const advices = said.filter(({ part }) => part === 'advise').length;
    const share = shareOf(discussion);
    const weights = mixedWeights(discussion);
    const [chosen = ''] = bestOf(weights);
    const result = { answer: chosen, shares: Object.fromEntries(weights), revisions: advices };
    if (share === 0) return { result };
    if (last.part === 'policy' || last.part === 'advise') {
      // Who does not hear the lead is not shown its choice either.
      const shown = discussion.hears(monitor, lead) || monitor === lead ? `The choice is ${chosen}. ` : '';
      return askOne(monitor, 'watch', `${shown}Write "Well: yes" if that goes well, or "Well: no" and why not.`, ['Well: yes', 'Well: no']);
    }
    if (last.part === 'watch') {
      if (isYes(lineIn(last.text, 'well'))) return { result };
      if (advices >= rounds) return { result: { ...result, contested: true } };
      if (!said.some(({ part }) => part === 'ground'))
        return askOne(grounder, 'ground', 'Say what is really there that the choice depends on. Nothing else counts as a fact.', []);
    }
    return askOne(advisor, 'advise', 'Guide the choice: lines "Guide MOVE: …" from 0 to 1 for moves worth making, by the facts.', []);
  },
};

function shareOf({ settings }: Discussion): number {
  const share = settings['share'];
  return typeof share === 'number' ? Math.min(1, Math.max(0, share)) : 0.5;
}

/** What a speech gives to moves. Of listed moves only those count. */
function weightsIn({ choices }: Discussion, speech: Speech | undefined, label: string): ReadonlyMap<string, number> {
  const given = new Map<string, number>();
  for (const [move, mark] of linesIn(speech?.text ?? '', label)) {
    const known = choices.length === 0 ? move : choices.find((choice) => choice.toLowerCase() === move.toLowerCase());
    const weight = numberIn(mark);
    if (known !== undefined && weight !== null && weight > 0) given.set(known, weight);
  }
  return given;
}

/** The lead's weights mixed with the advisor's latest. */
function mixedWeights(discussion: Discussion): ReadonlyMap<string, number> {
  const { said, settings } = discussion;
  const first = said.find(({ part }) => part === 'policy');
  const told = weightsIn(discussion, first, 'weight');
  const base = told.size === 0 && first?.answer ? new Map([[first.answer, 1]]) : told;
  const advised = weightsIn(
    discussion,
    said.findLast(({ part }) => part === 'advise'),
    'guide',
  );
  return mixWeights(base, advised, advised.size === 0 ? 0 : shareOf(discussion), settings['mix'] === 'geometric' ? 'geometric' : 'linear');
}

/** Two sets of weights as one. Weights of less than 1 in all leave the rest to moves that nobody named. */
export function mixWeights(
  base: ReadonlyMap<string, number>,
  guide: ReadonlyMap<string, number>,
  share: number,
  mix: 'linear' | 'geometric',
): ReadonlyMap<string, number> {
  if (share === 0) return base;
  const total = (weights: ReadonlyMap<string, number>) => [...weights.values()].reduce((sum, one) => sum + one, 0);
  const [all, guided] = [Math.max(1, total(base)), total(guide)];
  // Where both name a move the guided come first, so that they win among equals.
  const moves = [...new Set([...guide.keys(), ...base.keys()])];
  const mixed = moves.map((move): [string, number] => {
    const [p, g] = [(base.get(move) ?? 0) / all, guided === 0 ? 0 : (guide.get(move) ?? 0) / guided];
    return [move, mix === 'linear' ? (1 - share) * p + share * g : p ** (1 - share) * g ** share];
  });
  if (mix === 'linear') return new Map(mixed);
  const sum = mixed.reduce((one, [, weight]) => one + weight, 0);
  // Nothing that both hold possible: the lead's own weights stand.
  return sum === 0 ? base : new Map(mixed.map(([move, weight]) => [move, weight / sum]));
}

function bestOf(weights: ReadonlyMap<string, number>): readonly [string?, number?] {
  return [...weights].reduce<readonly [string?, number?]>((best, one) => (one[1] > (best[1] ?? 0) ? one : best), []);
}
