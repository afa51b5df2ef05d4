/**
 * @file A policy with guidance (GRAPPA, arXiv 2410.06473). The lead is the base policy, a monitor judges its choice, a grounder lists facts
 * about the scene, and an advisor weights the moves. The weights of lead and advisor are multiplied. Guidance stops as soon as the monitor
 * approves; then the base policy's move is made.
 *
 * The lead's weights are its policy's probabilities if it has a policy (`local/RUN@best`), otherwise what it says. `share` is the weight of
 * the guidance: the probability of a move is p^(1 − share) · g^share for `product`, and (1 − share) · p + share · g for `linear`. With a
 * share of 0 the lead plays alone. The grounder's facts are stored for the episode; the grounder is asked again only if the monitor objects
 * after a new observation.
 */

import type { Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Discussion, DiscussionResult, Protocol, Speech } from '../protocol.ts';
import { answerWords, isOn, othersOf, speechesOf, textFrom } from '../protocol.ts';
import { isYes, lineIn, linesIn, numberIn } from '../speech.ts';

export const guidance: Protocol = {
  about: 'the chances of the lead’s policy are multiplied with an advisor’s until a monitor is content (GRAPPA)',
  mechanisms: {
    monitor: 'guidance is mixed in at every move',
    facts: 'the facts of the grounder are asked at every move',
  },

  next(discussion) {
    const { said, lead, choices, rounds } = discussion;
    const others = othersOf(discussion);
    const role = (i: number): Seat => others[i % Math.max(1, others.length)] ?? lead;
    const [grounder, advisor, monitor] = [role(0), role(1), role(2)];
    const hears = speechesOf(discussion, () => true);
    const facts = factsOf(discussion);
    const last = said.at(-1);
    if (last === undefined)
      return {
        asks: [
          {
            ...{ seat: lead, part: 'policy', hears, choices, act: true as const },
            tell: `Say how likely you would make each move: lines "Weight MOVE: …" from 0 to 1. ${answerWords(discussion)}`,
          },
        ],
      };
    const advices = said.filter(({ part }) => part === 'advise').length;
    const first = said.find(({ part }) => part === 'policy');
    const weights = mixedWeights(discussion);
    const [best = ''] = bestOf(weights);
    const selectedAnswer = advices === 0 ? (first?.answer ?? best) : best;
    const result: DiscussionResult = {
      ...{ answer: selectedAnswer, shares: Object.fromEntries(weights), revisions: advices },
      memory: isOn(discussion, 'facts') ? { facts: facts.text, factsOn: facts.of } : {},
      acted: {
        advised: said.filter((speech) => speech.part === 'advise' && adviceIn(discussion, speech).size > 0).length,
        changed: advices > 0 && selectedAnswer !== (first?.answer ?? '') ? 1 : 0,
        chances: first?.chances === undefined ? 0 : 1,
      },
    };
    if (shareOf(discussion) === 0 || others.length === 0) return { result };
    if (isOn(discussion, 'monitor') ? last.part === 'policy' || last.part === 'advise' : advices > 0) {
      if (!isOn(discussion, 'monitor')) return { result };
      // A member who doesn't hear the lead isn't shown the lead's choice either.
      const text = discussion.hears(monitor, lead) ? `The choice is ${selectedAnswer}. ` : '';
      const tell = `${text}Write "Well: yes" if that goes well, or "Well: no" and why not.`;
      return { asks: [{ seat: monitor, part: 'watch', tell, hears, choices: ['Well: yes', 'Well: no'] }] };
    }
    if (last.part === 'watch') {
      if (isYes(lineIn(last.text, 'well'))) return { result };
      if (advices >= rounds) return { result: { ...result, contested: true } };
    }
    if (!facts.isFresh && last.part !== 'ground') {
      const tell = `${facts.text === '' ? '' : `Facts so far: ${facts.text}\n`}Say what is really there that the choice depends on. Nothing else counts as a fact.`;
      return { asks: [{ seat: grounder, part: 'ground', tell, hears }] };
    }
    const tell = `Facts: ${facts.text}\nGuide the choice: lines "Guide MOVE: …" from 0 to 1 for moves worth making, by the facts. The moves: ${choices.join(', ')}`;
    return { asks: [{ seat: advisor, part: 'advise', tell, hears }] };
  },
};

const longestFacts = 1000;

/** Returns the grounder's facts, from this turn or from an earlier turn with the same observation. */
function factsOf(discussion: Discussion): { readonly text: string; readonly of: string; readonly isFresh: boolean } {
  const { said, observed } = discussion;
  const now = said
    .findLast(({ part }) => part === 'ground')
    ?.text.replace(/\s+/g, ' ')
    .slice(0, longestFacts);
  if (now !== undefined) return { text: now, of: observed, isFresh: true };
  const [text, of] = [textFrom(discussion, 'facts'), textFrom(discussion, 'factsOn')];
  return { text, of, isFresh: text !== '' && of === observed };
}

function shareOf({ settings }: Discussion): number {
  const share = settings['share'];
  return typeof share === 'number' ? Math.min(1, Math.max(0, share)) : 0.5;
}

/** Returns the weights that a speech assigns to moves. If moves are listed, only listed moves count. */
function weightsIn({ choices }: Discussion, speech: Speech | undefined, label: string): ReadonlyMap<string, number> {
  const input = new Map<string, number>();
  for (const [move, mark] of linesIn(speech?.text ?? '', label)) {
    const knownChoice = choices.length === 0 ? move : choices.find((choice) => choice.toLowerCase() === move.toLowerCase());
    const weight = numberIn(mark);
    if (knownChoice !== undefined && weight !== null && weight > 0) input.set(knownChoice, weight);
  }
  return input;
}

/** The weights of an advice. A speech that names a move but no weights gives the move all the weight. */
function adviceIn(discussion: Discussion, speech: Speech | undefined): ReadonlyMap<string, number> {
  const guided = weightsIn(discussion, speech, 'guide');
  return guided.size === 0 && speech?.answer ? new Map([[speech.answer, 1]]) : guided;
}

/** The lead's weights mixed with the advisor's latest. */
function mixedWeights(discussion: Discussion): ReadonlyMap<string, number> {
  const { said, settings, choices } = discussion;
  const first = said.find(({ part }) => part === 'policy');
  const weighed = weightsIn(discussion, first, 'weight');
  const chances = new Map(Object.entries(first?.chances ?? {}));
  const base = chances.size > 0 ? chances : weighed.size === 0 && first?.answer ? new Map([[first.answer, 1]]) : weighed;
  const advised = adviceIn(
    discussion,
    said.findLast(({ part }) => part === 'advise'),
  );
  const mix = settings['mix'] === 'linear' ? 'linear' : 'product';
  return mixWeights(base, advised, advised.size === 0 ? 0 : shareOf(discussion), mix, choices);
}

/** Minimum weight of a move under `product`, so that neither side can rule a move out. */
const floor = 0.02;

/** Merges two sets of weights. If weights add up to less than 1, the rest goes to actions that have no weight. */
export function mixWeights(
  base: ReadonlyMap<string, number>,
  guide: ReadonlyMap<string, number>,
  share: number,
  mix: 'linear' | 'product',
  choices: readonly string[] = [],
): ReadonlyMap<string, number> {
  if (share === 0) return base;
  const total = (weights: ReadonlyMap<string, number>) => [...weights.values()].reduce((sum, value) => sum + value, 0);
  const [all, guided] = [Math.max(1, total(base)), total(guide)];
  // Moves from the guidance come first, so that they win ties.
  const moves = [...new Set([...guide.keys(), ...base.keys(), ...(mix === 'product' ? choices : [])])];
  const mixed = moves.map((move): [string, number] => {
    const [p, g] = [(base.get(move) ?? 0) / all, guided === 0 ? 0 : (guide.get(move) ?? 0) / guided];
    return [move, mix === 'linear' ? (1 - share) * p + share * g : Math.max(floor, p) ** (1 - share) * Math.max(floor, g) ** share];
  });
  if (mix === 'linear') return new Map(mixed);
  const sum = mixed.reduce((value, [, weight]) => value + weight, 0);
  return new Map(mixed.map(([move, weight]) => [move, weight / sum]));
}

function bestOf(weights: ReadonlyMap<string, number>): readonly [string?, number?] {
  return [...weights].reduce<readonly [string?, number?]>((best, item) => (item[1] > (best[1] ?? 0) ? item : best), []);
}
