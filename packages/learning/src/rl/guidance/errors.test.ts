/** @file Errors made useful: wrong turns are read and not learned, the best of several answers counts by what it is paid, own alternatives are seen. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeEvent, type Policy, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import { locks } from '../locks.cases.ts';
import { turnsInLog } from '../log-turns.ts';
import { imitation } from '../losses/imitation.ts';
import { builtInRecipe } from '../recipes/index.ts';
import type { PlayedEpisode } from '../rollouts.ts';
import { samplesOf } from '../samples.ts';
import { CorrectionGuide, RefinementGuide } from './error-lessons.ts';
import { alternativesOf, ExperienceGuide, expertEpisodes } from './experience.ts';
import { RevisionGuide } from './revision.ts';

const lake = await builtInEnvironment('frozen-lake');
const codes = await builtInEnvironment('codebreaker');
const optimal: Policy = scriptedPolicy('optimal', lake.scripts!['optimal']!);

function asBatch(logs: readonly (readonly EpisodeEvent[])[], done = 0) {
  const played: readonly PlayedEpisode[] = logs.flatMap((log, game) => {
    const seats = log[0]?.kind === 'start' ? log[0].seats : [];
    return samplesOf(log, seats, { prompt: game, game }).map((sample) => ({ sample, log }));
  });
  return { update: 0, done, played, episodes: played.map(({ sample }) => sample) };
}

const seeds = Array.from({ length: 40 }, (_, i) => i);

describe('corrections', () => {
  it('train on the turns after the first error, never on the error', async () => {
    const learner = new Tabular();
    const { guidance, training } = builtInRecipe('step');
    const place = { environment: lake, learner, policy: learner.policy(), others: {}, guidance: guidance!, seed: 1 };
    const logs = await rollout(lake, { walker: learner.policy() }, { seeds, task: training.task! });
    const { shown = [], figures } = await new CorrectionGuide({ ...place, teachers: [optimal] }).lessons(asBatch(logs));
    expect(figures?.['corrected']).toBeGreaterThan(0);
    const errors = logs.flatMap((log) => {
      const wrong = turnsInLog(log, ['walker']).find(({ turn, action }) => firstMove(turn) !== action.text);
      return wrong === undefined ? [] : [learner.rowOf(wrong.turn, wrong.action.text).tokens];
    });
    const key = (tokens: ArrayLike<number>) => Array.from(tokens).join(' ');
    expect(errors.length).toBeGreaterThan(20);
    expect(shown.map(({ tokens }) => key(tokens)).filter((item) => errors.map(key).includes(item))).toEqual([]);
    // Nothing is corrected by one who sees no error.
    const blind = await new CorrectionGuide({ ...place, teachers: [{ name: 'same', act: again(logs) }] }).lessons(asBatch(logs));
    expect(blind.figures).toEqual({ errors: 0, corrected: 0 });
  });
});

function firstMove(turn: Parameters<typeof optimal.act>[0][number]): string {
  return (optimal.act([turn]) as readonly { action: { text: string } }[])[0]!.action.text;
}

/** Would have done what was done. */
function again(logs: readonly (readonly EpisodeEvent[])[]): Policy['act'] {
  const used = new Map(
    logs.flatMap((log) =>
      turnsInLog(log, ['walker']).map(({ turn, action }) => [JSON.stringify([turn.view, turn.rng.int(2 ** 32)]), action]),
    ),
  );
  return (turns) => turns.map((turn) => ({ action: used.get(JSON.stringify([turn.view, turn.rng.int(2 ** 32)]))! }));
}

describe('revisions', () => {
  it('revise a failure at the first error, and train only on the way back', async () => {
    const stairs = await builtInEnvironment('stairs');
    const { guidance } = builtInRecipe('agent-r');
    const lessonsOf = async (trap: number, settings: object = {}) => {
      const learner = new Tabular();
      const place = { environment: stairs, learner, policy: learner.policy(), others: {}, teachers: [], seed: 1 };
      const logs = await rollout(stairs, { climber: learner.policy() }, { seeds, task: { floors: 3, doors: 3, trap, exit: 0, turns: 5 } });
      const guide = new RevisionGuide({ ...place, guidance: { ...guidance!, ...settings } });
      return guide.lessons(asBatch(logs));
    };
    const { shown = [], figures } = await lessonsOf(0);
    expect(figures?.['revised']).toBeGreaterThan(0);
    const plain = await lessonsOf(0, { reflect: false });
    expect(plain.figures?.['revised']).toBe(0);
    expect(plain.figures?.['errors']).toBe(figures?.['errors']);
    // A revision adds only the turns after its error, which are fewer than those of an episode.
    const added = shown.length - plain.shown!.length;
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(5 * figures!['revised']!);
    // Nothing follows an error that ends the episode; a few right moves are taken for errors by chance.
    expect((await lessonsOf(1)).figures?.['revised']).toBeLessThan(figures!['revised']! / 4);
    expect((await lessonsOf(0, { share: 0 })).figures).toEqual({ errors: 0, revised: 0, guided: 0 });
  });
});

describe('refinements', () => {
  it('give a correct last answer e times the weight', async () => {
    const learner = new Tabular();
    const { guidance, training } = builtInRecipe('rise');
    const place = { environment: codes, learner, policy: learner.policy(), others: {}, teachers: [], seed: 1 };
    const seat = codes.seats(codes.task(training.task!))[0] as string;
    const logs = await rollout(codes, { [seat]: learner.policy() }, { seeds: seeds.slice(0, 12), task: training.task! });
    const weights = async (tries: number) => {
      const guide = new RefinementGuide({ ...place, guidance: { ...guidance!, tries } });
      const { shown = [] } = await guide.lessons(asBatch(logs));
      expect(shown.every(({ weights: arrayLike, mask }) => arrayLike?.[0] === 0 && mask[0] === 0)).toBe(true);
      return shown.map(({ weights: arrayLike }) => arrayLike![1]!);
    };
    const [item, many] = [await weights(0), await weights(8)];
    expect(Math.max(...many) / Math.min(...item)).toBeCloseTo(Math.E, 4);
    // With more tries more of the answers that are learned are right.
    const right = (list: readonly number[]) => list.filter((weight) => weight > 1).length;
    expect(right(many)).toBeGreaterThan(right(item));
  });
});

describe('early experience', () => {
  const task = { digits: 5 };
  const place = async (policy: Policy, learner = new Tabular()) => {
    const keyholder = scriptedPolicy('keyholder', locks.scripts!['keyholder']!);
    const { guidance } = builtInRecipe('early-experience');
    const experts = await expertEpisodes({ environment: locks, others: {} }, keyholder, { task, seats: ['opener'], games: 1, seed: 1 });
    return { environment: locks, learner, policy, others: {}, guidance: guidance!, seed: 1, seats: ['opener'], experts };
  };

  it('makes one row per alternative: thirteen from five states and three tries', async () => {
    const parts = await place(scriptedPolicy('nobody', () => ({ text: '' })));
    const moves = turnsInLog(parts.experts[0]!, ['opener']).map(({ action }) => action.text);
    let requestCount = 0;
    const policy = scriptedPolicy('own', ({ view: { seen } }) => {
      const ownItems = seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
      // Only at the states of the expert something is tried; from a fork on anything goes.
      if (ownItems.every((text, i) => text === moves[i])) requestCount++;
      const text = moves[ownItems.length]!;
      return { text: requestCount === 2 || requestCount === 9 ? text : text === 'a' ? 'b' : 'a' };
    });
    const alternatives = await alternativesOf({ ...parts, policy });
    expect(alternatives).toHaveLength(13);
    expect(alternatives.every(({ text, logged }) => text !== logged.action.text)).toBe(true);
    expect(alternatives.at(-1)?.led).toContain('(over)');
  });

  it('trains on observations in the first phase, and only on expert moves in the second', async () => {
    const learner = new Tabular();
    const parts = await place(learner.policy(), learner);
    const guide = new ExperienceGuide(parts);
    const predicted = (await guide.lessons(asBatch([], 0))).shown ?? [];
    const { loss } = (await learner.forwardBackward(imitation(predicted), 'cross_entropy')) as { loss: number };
    expect([predicted.length > 0, loss > 0]).toEqual([true, true]);
    const moves = turnsInLog(parts.experts[0]!, ['opener']).map(({ turn, action }) => learner.rowOf(turn, action.text));
    expect((await guide.lessons(asBatch([], 0.5))).shown).toEqual(moves.toReversed());
  });
});
