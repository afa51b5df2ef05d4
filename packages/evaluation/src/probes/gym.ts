/**
 * @file A complete PersonaGym run: settings and questions for the persona, its answers, and two judges from 1 to 5 whose mean
 * is the PersonaScore. Without judges, a rule judge evaluates the answers.
 *
 * Differs from the published code: a task without a readable verdict has no score (there it counts as 0), every task asks its own
 * questions in a fixed number, and an unread question is omitted and counted.
 */

import { type Persona, withNames } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, type Episode, type Model, rng, type Score, type Seed, type Store } from '@ludus-agents/kernel/internal/core/index';
import { createJudge, type Rubric } from '../scoring/judges/index.ts';
import { personaGym } from '../scoring/rubrics/role-play.ts';
import { gramsOf, wordsOf } from '../scoring/rules/text.ts';
import type { Embedder } from '../scoring/small/small.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { type Measured, summaryOf } from '../scoring/statistics/summary.ts';
import { gymRules } from './gym-rules.ts';
import type { GymTask, WrittenQuestions } from './gym-settings.ts';
import { chooseSettings, gymQuestions, gymTasks, questionPrompt, readQuestions } from './gym-settings.ts';
import { type ProbeStore, playProbes, type StoredProbes } from './play-probes.ts';
import type { Probe, ProbeAnswers } from './probe.ts';

export interface GymOptions {
  agent(probe: Probe): Agent | Promise<Agent>;
  /** Judges by model; empty for the rule judge. `create` makes the model for a rubric. */
  readonly judges?: readonly { readonly name: string; create(rubric: Rubric): Promise<Model> }[];
  /** Writes environments and questions for the persona; rules over the card fill in missing ones. */
  readonly author?: Model | undefined;
  /** The sentence encoder for the rule judge; without one, it compares words. */
  readonly encoder?: Embedder | null;
  readonly seed?: Seed;
  readonly questions?: number;
  readonly store?: (ProbeStore & Pick<Store, 'putScores'>) | undefined;
  readonly run?: string | undefined;
  /** Stored conversations of the run, reused for the same questions. */
  readonly stored?: StoredProbes | undefined;
  readonly signal: AbortSignal;
}

export interface GymResult {
  readonly settings: readonly string[];
  /** Each task from 1 to 5, the mean over judges and batches; null if nothing could be parsed. */
  readonly tasks: Readonly<Record<GymTask, number | null>>;
  readonly judges: Readonly<Record<string, Readonly<Record<GymTask, number | null>>>>;
  /** The mean of the five tasks; null if one of them has no score. */
  readonly personaScore: number | null;
  /** Its interval over new conversations, and the number of parsed ones. */
  readonly interval: Interval | null;
  readonly conversations: number;
  /** Reused stored conversations. */
  readonly reused: number;
  readonly unread: number;
  /** Conversations in which every answer was empty, which earns the lowest score. */
  readonly empty: number;
  /** Why the scores should not be relied on, if there is a reason. */
  readonly warning: string | null;
  /** Questions by the author, and those generated from the card by rule. */
  readonly written: number;
  readonly byRule: number;
}

/** Questions asked in one conversation. */
const batch = 5;

export async function runGym(persona: Persona, options: GymOptions): Promise<GymResult> {
  const { seed = 0, questions = 10, judges = [], signal } = options;
  const authored = await writeQuestions(persona, options);
  const settings = authored.environments.length > 0 ? authored.environments : chooseSettings(persona, Math.ceil(questions / 2));
  let written = 0;
  const probes = gymTasks.flatMap((task) => {
    const question = authored.questions[task].slice(0, questions);
    written += question.length;
    const rest = gymQuestions(task, persona, { settings, count: questions - question.length, rng: rng(seed, 'gym', task) });
    const taskQuestions = [...question, ...rest];
    return Array.from({ length: Math.ceil(taskQuestions.length / batch) }, (_, i): Probe => {
      const turns = taskQuestions.slice(i * batch, (i + 1) * batch);
      return { id: `gym ${task} ${i + 1}`, section: 'drift', kind: task, source: 'statements', turns, gold: 'answer', key: [] };
    });
  });
  const spoken = new Set<string>();
  const answered = await playProbes(probes, {
    ...options,
    agent: (probe) => noting(options.agent(probe), () => spoken.add(probe.id)),
    persona,
    seed,
  });
  const rules = gymRules(withNames(persona), options.encoder ?? null);
  const readers: readonly GymReader[] =
    judges.length === 0 ? [rules] : await Promise.all(judges.map((judge) => judgeReader(judge, persona, signal)));
  const isFailed = ({ probe, reused }: ProbeAnswers) => reused !== true && !spoken.has(probe.id);
  const isSilent = ({ answers }: ProbeAnswers) => !answers.some((text) => wordsOf(text).length > 0);
  let unread = 0;
  const rows: Measured[] = [];
  const byJudge: Record<string, Record<GymTask, number | null>> = {};
  for (const [i, reader] of readers.entries()) {
    const scores = {} as Record<GymTask, number | null>;
    for (const task of gymTasks) {
      const values: number[] = [];
      for (const conversation of answered.filter(({ probe }) => probe.kind === task)) {
        const { probe, answers, episode } = conversation;
        const value = isFailed(conversation) ? null : isSilent(conversation) ? 1 : await reader.read(task, probe.turns, answers);
        if (value === null) {
          unread++;
          continue;
        }
        values.push(value);
        rows.push({ scene: task, task: probe.id, seed: 0, value: (value - 1) / 4, episode: probe.id });
        if (episode !== undefined) await options.store?.putScores(episode, [gymScore(task, value, reader.name)]);
      }
      scores[task] = meanOrNone(values);
    }
    // The same judge may be asked twice.
    byJudge[Object.hasOwn(byJudge, reader.name) ? `${reader.name} (${i + 1})` : reader.name] = scores;
  }
  const tasks = Object.fromEntries(
    gymTasks.map((task) => [task, meanOrNone(Object.values(byJudge).flatMap((scores) => scores[task] ?? []))]),
  ) as Record<GymTask, number | null>;
  const summary = summaryOf(rows);
  // The interval assumes a range from 0 to 1, and the score has one from 1 to 5.
  const [low, high] = summary?.interval ?? [];
  const interval: Interval | null = low === undefined || high === undefined ? null : [1 + 4 * low, 1 + 4 * high];
  const conversations = summary?.episodes ?? 0;
  const byRule = gymTasks.length * questions - written;
  const reused = answered.filter((answers) => answers.reused === true).length;
  const empty = answered.filter((conversation) => !isFailed(conversation) && isSilent(conversation)).length;
  return {
    ...{
      settings,
      tasks,
      judges: byJudge,
      personaScore: personaScore(tasks),
      interval,
      conversations,
      reused,
      unread,
      empty,
      written,
      byRule,
    },
    warning: warningFor(judges.length === 0 && !rules.isEnglish, copiedShare(persona, answered)),
  };
}

/** From this share on, the character counts as reciting its card, which no rule judge can tell from playing it. */
const muchCopied = 0.3;

/** The share of runs of three words that are on the card. */
function copiedShare(persona: Persona, answered: readonly ProbeAnswers[]): number {
  const card = new Set(withNames(persona).statements.flatMap(({ text }) => gramsOf(wordsOf(text), 3)));
  const grams = answered.flatMap(({ answers }) => answers.flatMap((text) => gramsOf(wordsOf(text), 3)));
  return grams.length === 0 ? 0 : grams.filter((gram) => card.has(gram)).length / grams.length;
}

function warningFor(isForeign: boolean, copied: number): string | null {
  const foreign = 'The rules understand English only, and this card seems to be in another language. Use --judge.';
  const recited = `${Math.round(100 * copied)}% of the answers are copied word for word from the card: this is reciting, not playing.`;
  const warnings = [...(isForeign ? [foreign] : []), ...(copied > muchCopied ? [recited] : [])];
  return warnings.length === 0 ? null : warnings.join(' ');
}

/** The score of one conversation, stored so that reports and the studio show each task. */
function gymScore(task: GymTask, value: number, judge: string): Score {
  return {
    ...{ name: `persona-gym/${task}`, status: 'ok', seat: 'character', value, scale: [1, 5], floor: 1, evidence: [] },
    cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 },
    provenance: { judge },
  };
}

/** The agent, with a note of every answer: an agent that answers nothing is told from one that fails. */
async function noting(agent: Agent | Promise<Agent>, note: () => void): Promise<Agent> {
  const player = await agent;
  return {
    ...player,
    async act(turn, signal, simulator) {
      const reply = await player.act(turn, signal, simulator);
      note();
      return reply;
    },
  };
}

async function writeQuestions(persona: Persona, { author, questions = 10, signal }: GymOptions): Promise<WrittenQuestions> {
  if (author === undefined) return readQuestions('');
  const { text } = await author.complete(questionPrompt(persona, questions), {}, signal);
  return readQuestions(text);
}

/** The mean of the five tasks. */
function personaScore(tasks: Readonly<Record<GymTask, number | null>>): number | null {
  const values = gymTasks.map((task) => tasks[task]);
  return values.some((value) => value === null) ? null : meanOrNone(values as number[]);
}

function meanOrNone(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

interface GymReader {
  readonly name: string;
  read(task: GymTask, asked: readonly string[], answers: readonly string[]): Promise<number | null>;
}

/** A judge is asked only about the axis of the task. */
async function judgeReader(
  { name, create }: NonNullable<GymOptions['judges']>[number],
  persona: Persona,
  signal: AbortSignal,
): Promise<GymReader> {
  const judges = new Map<GymTask, ReturnType<typeof createJudge>>();
  for (const task of gymTasks) {
    const rubric = { ...personaGym, name: `persona-gym-${task}`, axes: personaGym.axes.filter(({ id }) => id === task) };
    judges.set(task, createJudge(rubric, { model: await create(rubric) }));
  }
  return {
    name,
    async read(task, questions, answers) {
      const events: Episode['events'] = [
        { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['character', 'user'], cast: { character: 'one', user: 'two' } },
        ...questions.flatMap((text, i) => [
          { kind: 'message' as const, from: 'user', to: ['character'], text },
          { kind: 'action' as const, seat: 'character', action: { text: answers[i] ?? '' } },
        ]),
        { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: questions.length },
      ];
      const input = { episodes: [{ id: 'gym', events }], seat: 'character', persona: persona, rng: rng(0, 'gym') };
      const [score] = await judges.get(task)!.score(input, signal);
      return score?.value ?? null;
    },
  };
}
