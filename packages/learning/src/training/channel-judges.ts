/**
 * @file Who pays the channels of a recipe's rewards: the length of answers, labels of calls, the learner's own chance of an answer, the gain of
 * a partner, any scorer by its name, or a file of the user's own.
 */

import { resolve } from 'node:path';
import { checkCode } from '@ludus-agents/agents/internal/workspace/consent';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import { importFile } from '@ludus-agents/agents/internal/workspace/programs';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { Fault, type Learner, rng } from '@ludus-agents/kernel/internal/core/index';
import { callLabels, shortness, wordsSaid } from '../rl/call-labels.ts';
import { isRight, type StepReviewer } from '../rl/guidance/verdict.ts';
import type { EpisodeJudge } from '../rl/judging.ts';
import { turnsInLog } from '../rl/log-turns.ts';
import { type AnswerOf, ownChance, paidAnswer } from '../rl/own-chance.ts';
import type { Recipe } from '../rl/recipe.ts';
import type { GainGround } from './gain.ts';
import { helpedGain } from './helped-gain.ts';
import { policyFor } from './seat-policies.ts';

/** A judge for each channel that neither the environment nor its penalties pay. */
export async function channelJudges(
  { rewards = {}, phases = [] }: Recipe,
  cwd: string,
  trust: Trust,
  game: JudgedGame,
): Promise<Readonly<Record<string, EpisodeJudge>>> {
  const all = Object.assign({}, rewards, ...phases.map((phase) => phase.rewards ?? {})) as NonNullable<Recipe['rewards']>;
  const judged = Object.entries(all).filter(([name]) => name !== 'environment' && name !== 'penalty');
  return Object.fromEntries(
    await Promise.all(judged.map(async ([name, { by = name }]) => [name, await judgeBy(by, cwd, trust, game)] as const)),
  );
}

/** Who pays turns in place of the environment, where the recipe names somebody; else a program must bring the judge. */
export async function assignmentJudge(
  { assignment }: Recipe,
  cwd: string,
  trust: Trust,
  game: JudgedGame,
): Promise<EpisodeJudge | undefined> {
  if ((assignment.kind !== 'checklist' && assignment.kind !== 'human-gain') || assignment.by === undefined) return undefined;
  return judgeBy(assignment.by, cwd, trust, game);
}

/** Who is judged, and in what: for judges that look at more than a log. */
export interface JudgedGame {
  readonly learner: Learner;
  readonly ground: GainGround;
}

const ofAnswers = 'own-chance:';
const ofPartners = 'partner-gain:';
const ofSteps = 'verdict:';

async function judgeBy(by: string, cwd: string, trust: Trust, { learner, ground }: JudgedGame): Promise<EpisodeJudge> {
  if (by === 'length') return ({ sample }) => sample.turns.map(({ written }) => written.length);
  if (by === 'words') return wordsSaid;
  if (by === 'shortness') return shortness;
  if (by === 'call-labels') return callLabels;
  if (by === 'own-chance') return ownChance(learner, paidAnswer);
  if (by.startsWith(ofAnswers)) return ownChance(learner, await functionIn<AnswerOf>(by.slice(ofAnswers.length), cwd, trust, 'answer'));
  if (by.startsWith(ofPartners)) {
    const { environment, mine } = ground;
    return helpedGain(ground, await policyFor(by.slice(ofPartners.length), { seat: mine[0]!, environment, cwd, trust }));
  }
  if (by.startsWith(ofSteps)) {
    const { environment, mine } = ground;
    return stepVerdicts({ environment, writer: await policyFor(by.slice(ofSteps.length), { seat: mine[0]!, environment, cwd, trust }) });
  }
  if (!isFileName(by)) return byScorer(by, cwd, trust);
  return functionIn<EpisodeJudge>(by, cwd, trust, 'judge');
}

/** One for a step that somebody finds right, and minus one for a wrong one, by the number of steps: self-attributing (AgentEvolver). */
function stepVerdicts(asked: StepReviewer): EpisodeJudge {
  return async ({ log, seat, sample }) => {
    const turns = turnsInLog(log, [seat]);
    const right = await Promise.all(turns.map((one) => isRight(asked, one)));
    return sample.turns.map((_, i) => (right[i] === undefined ? 0 : right[i] ? 1 : -1) / sample.turns.length);
  };
}

const expected = {
  judge: 'a default function of an episode that gives one reward for each turn of its seat',
  answer: 'a default function of an episode that gives its right answer as a text, or null',
} as const;

async function functionIn<F>(file: string, cwd: string, trust: Trust, what: keyof typeof expected): Promise<F> {
  const { default: found } = await importFile(checkCode(resolve(cwd, file), trust, { cwd, env: process.env }));
  if (typeof found === 'function') return found as F;
  throw new Fault('input', `${file} exports no ${what}: expected ${expected[what]}.`);
}

/** The mean of a scorer's values, paid to the last turn; a score that speaks of a turn of the seat is paid to that turn. */
async function byScorer(name: string, cwd: string, trust: Trust): Promise<EpisodeJudge> {
  const scorer = await loadScorer(name, cwd, trust);
  const signal = new AbortController().signal;
  return async ({ log, seat, sample }) => {
    const episodes = [{ id: 'training', events: log }];
    const scores = (await scorer.score({ episodes, seat, rng: rng(0, 'judge', name) }, signal)).filter(
      (score) => score.value !== null && (score.seat === undefined || score.seat === seat),
    );
    const out = sample.turns.map(() => 0);
    const last = out.length - 1;
    for (const { value, turn, lowerIsBetter } of scores) {
      const at = turn === undefined ? last : Math.min(last, turn);
      if (at >= 0) out[at] = out[at]! + ((lowerIsBetter === true ? -1 : 1) * (value as number)) / scores.length;
    }
    return out;
  };
}
