/**
 * @file Reward sources of a recipe: the length of answers, their form, tools and actions, labels of calls, the learner's chance of an answer,
 * the gain of a partner, any scorer, a checklist, a critic, a model under a rubric, or a program in a file.
 */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkCode, checkFile } from '@ludus-agents/agents/internal/workspace/consent';
import { isFileName } from '@ludus-agents/agents/internal/workspace/load';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { importFile } from '@ludus-agents/agents/internal/workspace/programs';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { cardFrom } from '@ludus-agents/evaluation/internal/judges';
import { loadRubricJudge, loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { creditByAnswer } from '@ludus-agents/evaluation/internal/scoring/rules/checklist';
import { logOf } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { permitTraining } from '@ludus-agents/evaluation/internal/scoring/trust/use';
import type { Json, JsonObject, Learner, Score, Scorer } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { callLabels, shortness, wordsSaid } from '../rl/call-labels.ts';
import { skillReward } from '../rl/chain-game.ts';
import { isRight, type StepReviewer } from '../rl/guidance/verdict.ts';
import type { EpisodeJudge } from '../rl/judging.ts';
import { turnsInLog } from '../rl/log-turns.ts';
import { type AnswerOf, ownChance, paidAnswer } from '../rl/own-chance.ts';
import type { PaySource, Recipe } from '../rl/recipe.ts';
import { channelsOf } from '../rl/recipe-support.ts';
import { actionMatch, payByEvent, toolCount, toolSuccess, wellFormed } from '../rl/tool-rewards.ts';
import type { GainGround } from './gain.ts';
import { helpedGain } from './helped-gain.ts';
import { policyFor, scriptNamed } from './seat-policies.ts';

/** Loads a judge for each channel except the environment's reward and its penalties. */
export async function channelJudges(
  recipe: Recipe,
  cwd: string,
  trust: Trust,
  game: JudgedGame,
): Promise<Readonly<Record<string, EpisodeJudge>>> {
  const judged = Object.entries(channelsOf(recipe)).filter(([name]) => name !== 'environment' && name !== 'penalty');
  return Object.fromEntries(
    await Promise.all(
      judged.map(async ([name, source]) => [name, await judgeBy({ ...source, by: source.by ?? name }, { cwd, trust }, game)] as const),
    ),
  );
}

/** The reward source that replaces the environment's reward, if the recipe names one; otherwise the calling program must supply a judge. */
export async function assignmentJudge(
  { assignment }: Recipe,
  cwd: string,
  trust: Trust,
  game: JudgedGame,
): Promise<EpisodeJudge | undefined> {
  if ((assignment.kind !== 'checklist' && assignment.kind !== 'human-gain') || assignment.by === undefined) return undefined;
  return judgeBy({ ...assignment, by: assignment.by }, { cwd, trust }, game);
}

/** The learner and its game, for judges that need more than a log. */
export interface JudgedGame {
  readonly learner: Learner;
  readonly ground: GainGround;
}

const ofAnswers = 'own-chance:';
const ofPartners = 'partner-gain:';
const ofSteps = 'verdict:';
const ofActions = 'action:';

/** Scorers with a prefix, such as "judge=./rubric.json,MODEL": the part after the sign may be a file. */
const form = /^[a-z]+=./s;

async function judgeBy(
  source: PaySource & { readonly by: string },
  { cwd, trust }: NamingPlace,
  { learner, ground }: JudgedGame,
): Promise<EpisodeJudge> {
  const { by } = source;
  if (by === 'length') return ({ sample }) => sample.turns.map(({ written }) => written.length);
  if (by === 'words') return wordsSaid;
  if (by === 'shortness') return shortness;
  if (by === 'call-labels') return callLabels;
  if (by === 'form') return wellFormed;
  if (by === 'tool-success') return toolSuccess;
  if (by === 'tool-calls') return toolCount;
  if (by === 'reused-skills') return skillReward;
  if (by.startsWith(ofActions)) return actionMatch(scriptNamed(ground.environment, by.slice(ofActions.length)));
  if (by === 'own-chance') return ownChance(learner, paidAnswer);
  if (by.startsWith(ofAnswers)) return ownChance(learner, await answerIn(by.slice(ofAnswers.length), cwd, trust));
  if (by.startsWith(ofPartners)) {
    const { environment, mine } = ground;
    return helpedGain(ground, await policyFor(by.slice(ofPartners.length), { seat: mine[0], environment, cwd, trust }));
  }
  if (by.startsWith(ofSteps)) {
    const { environment, mine } = ground;
    return stepVerdicts({ environment, writer: await policyFor(by.slice(ofSteps.length), { seat: mine[0], environment, cwd, trust }) });
  }
  const reference = readReference(source.reference, { cwd, trust });
  if (by === 'checklist') return checklistJudge(reference);
  if (form.test(by) || !isFileName(by)) return scorerJudge(await loadPayer(source, { cwd, trust }), reference);
  if (/\.json$/.test(by)) return checklistJudge(itemsIn(by, { cwd, trust }));
  return programJudge(by, reference, { cwd, trust });
}

/** Loads the paying scorer; a model with a rubric needs a trust card of grade A, unless the card is "none". */
async function loadPayer({ by = '', card }: PaySource, { cwd, trust }: NamingPlace): Promise<Scorer> {
  if (!by.startsWith('judge=')) return loadScorer(by, cwd, trust);
  const judge = await loadRubricJudge(by, cwd, trust);
  if (card !== 'none') permitTraining(card === undefined ? undefined : cardFrom(card, cwd), judge);
  return judge;
}

/** A source's reference answers: given inline or read from a file. */
function readReference(input: Json | undefined, { cwd, trust }: NamingPlace): JsonObject {
  const value = typeof input === 'string' ? readJsonFile(input, { cwd, trust }) : input;
  if (value === undefined) return {};
  if (isObject(value)) return value;
  throw new Fault(
    'input',
    `The reference of a reward source must be an object, such as {"checklist": [{"calls": "search"}]}, or a file of one.`,
  );
}

/** The items of a checklist file: a list, or an object with "checklist". Refuses rubrics, which need a model. */
function itemsIn(file: string, place: NamingPlace): JsonObject {
  const value = readJsonFile(file, place);
  if (isObject(value) && 'form' in value) throw new Fault('input', `${file} is a rubric, which needs a model. Write judge=${file},MODEL.`);
  return Array.isArray(value) ? { checklist: value } : isObject(value) ? value : {};
}

function readJsonFile(file: string, { cwd, trust }: NamingPlace): Json {
  const path = checkFile(resolve(cwd, file), trust, { cwd, env: process.env });
  if (!existsSync(path)) throw new Fault('input', `${file} does not exist.`);
  return jsonFrom(readFileSync(path, 'utf8'), file) as Json;
}

/** Pays the weight of each item to the turn that first satisfies it (CM2). */
function checklistJudge(reference: JsonObject): EpisodeJudge {
  if (!Array.isArray(reference['checklist']) || reference['checklist'].length === 0)
    throw new Fault('input', `A checklist needs items. Add reference={"checklist": [{"says": "…"}, {"calls": "TOOL"}]} or a file of them.`);
  return ({ log, seat, sample }) => {
    const credit = creditByAnswer(logOf({ id: 'training', events: log }), seat, reference);
    if (credit === null || credit.size === 0) return { missing: `the seat ${seat} answered nothing` };
    return payByEvent(sample, (at) => credit.get(at) ?? 0);
  };
}

/** A program's default export: a function that rewards turns, or a scorer or rule. */
async function programJudge(file: string, reference: JsonObject, place: NamingPlace): Promise<EpisodeJudge> {
  const { default: exported } = await importFile(checkCode(resolve(place.cwd, file), place.trust, { cwd: place.cwd, env: process.env }));
  if (typeof exported !== 'function') return scorerJudge(await loadScorer(file, place.cwd, place.trust), reference);
  return (episode) => (exported as EpisodeJudge)({ ...episode, reference });
}

/** Pays 1 for each step judged right and −1 for each wrong one, divided by the number of steps: self-attributing (AgentEvolver). */
function stepVerdicts(stepReviewer: StepReviewer): EpisodeJudge {
  return async ({ log, seat, sample }) => {
    const turns = turnsInLog(log, [seat]);
    const right = await Promise.all(turns.map((turn) => isRight(stepReviewer, turn)));
    if (right.every((verdict) => verdict === undefined)) return { missing: 'no verdict on any step could be read' };
    return sample.turns.map((_, i) => (right[i] === undefined ? 0 : right[i] ? 1 : -1) / sample.turns.length);
  };
}

/** The right answer of an episode from a file's default function. */
async function answerIn(file: string, cwd: string, trust: Trust): Promise<AnswerOf> {
  const { default: exported } = await importFile(checkCode(resolve(cwd, file), trust, { cwd, env: process.env }));
  if (typeof exported === 'function') return exported as AnswerOf;
  throw new Fault(
    'input',
    `${file} exports no answer: expected a default function that takes an episode and returns its correct answer as a string, or null.`,
  );
}

/** The mean of a scorer's values, paid to the last turn; a score of a single turn of the seat is paid to that turn. */
function scorerJudge(scorer: Scorer, reference: JsonObject): EpisodeJudge {
  const signal = new AbortController().signal;
  return async ({ log, seat, sample, personas = {} }) => {
    const episodes = [{ id: 'training', events: log }];
    const persona = personas[seat];
    const scores = await scorer.score(
      {
        ...{ episodes, seat, personas, rng: rng(0, 'judge', scorer.name) },
        ...(persona !== undefined && { persona }),
        ...(Object.keys(reference).length > 0 && { reference }),
      },
      signal,
    );
    const about = scores.filter((score) => score.seat === undefined || score.seat === seat);
    const valued = about.filter((score) => score.value !== null);
    if (valued.length === 0) return { missing: reasonOf(scorer, about, persona) };
    const places = [...new Set(sample.turns.map(({ at }) => at))];
    const earned = new Map<number, number>();
    for (const { value, turn, lowerIsBetter } of valued) {
      const at = places[Math.min(turn ?? places.length, places.length - 1)];
      if (at !== undefined) earned.set(at, (earned.get(at) ?? 0) + ((lowerIsBetter === true ? -1 : 1) * value!) / valued.length);
    }
    return payByEvent(sample, (at) => earned.get(at) ?? 0);
  };
}

function reasonOf({ name }: Scorer, scores: readonly Score[], persona: Json | undefined): string {
  const [score] = scores;
  const why = score?.reason ?? `${name} does not apply to these episodes`;
  return persona === undefined && (score === undefined || score.status === 'not-applicable')
    ? `${why} (the seat has no persona; training.personas names one)`
    : why;
}
