/**
 * @file A complete PersonaGym run: settings and questions for the persona, its answers, and two judges from 1 to 5 whose mean
 * is the PersonaScore. Without judges, a rule judge evaluates the words.
 *
 * Differs from the published code: a task without a readable verdict has no score (there it counts as 0), every task asks its own
 * questions in a fixed number, and an unread question is omitted and counted.
 */

import { type Persona, withNames } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, type Episode, type Model, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { createJudge, type Rubric } from '../scoring/judges/index.ts';
import { personaGym } from '../scoring/rubrics/role-play.ts';
import { stemsOf, wordsOf } from '../scoring/rules/text.ts';
import { lexicalNli } from '../scoring/small/lexical.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { type Measured, summaryOf } from '../scoring/statistics/summary.ts';
import type { GymTask, WrittenQuestions } from './gym-settings.ts';
import { chooseSettings, gymQuestions, gymTasks, questionPrompt, readQuestions, wordsUsedBy } from './gym-settings.ts';
import { type ProbeStore, playProbes, type StoredProbes } from './play-probes.ts';
import type { Probe } from './probe.ts';

export interface GymOptions {
  agent(probe: Probe): Agent | Promise<Agent>;
  /** Judges by model; empty for the rule judge. `create` makes the model for a rubric. */
  readonly judges?: readonly { readonly name: string; create(rubric: Rubric): Promise<Model> }[];
  /** Writes environments and questions for the persona; rules over the card fill in missing ones. */
  readonly author?: Model | undefined;
  readonly seed?: Seed;
  readonly questions?: number;
  readonly store?: ProbeStore | undefined;
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
  const answered = await playProbes(probes, { ...options, persona, seed });
  const readers =
    judges.length === 0 ? [ruleReader(withNames(persona))] : await Promise.all(judges.map((judge) => judgeReader(judge, persona, signal)));
  let unread = 0;
  const rows: Measured[] = [];
  const byJudge: Record<string, Record<GymTask, number | null>> = {};
  for (const [i, reader] of readers.entries()) {
    const scores = {} as Record<GymTask, number | null>;
    for (const task of gymTasks) {
      const values: number[] = [];
      for (const probeAnswers of answered.filter(({ probe }) => probe.kind === task)) {
        const value = await reader.read(task, probeAnswers.probe.turns, probeAnswers.answers);
        if (value === null) unread++;
        else {
          values.push(value);
          rows.push({ scene: task, task: probeAnswers.probe.id, seed: 0, value: (value - 1) / 4, episode: probeAnswers.probe.id });
        }
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
  return { settings, tasks, judges: byJudge, personaScore: personaScore(tasks), interval, conversations, reused, unread, written, byRule };
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

const machine = /\b(?:language model|as an ai|i am an ai|i'm an ai|assistant|happy to help|great question|let me know if)\b/i;
const insult = /\b(?:idiot|moron|stupid|scum|filth|vermin|shut up|hate you|kill you|worthless|trash)\b/i;
const reason = /\b(?:because|since|for i|so that|that is why|therefore|else|lest|which is why|after all)\b/i;

/** The number of distinct content words, other than the question's, for an answer to be judged in full. */
const fullAnswer = 8;

/**
 * The words' evidence for each task, up to four points on top of one. Short answers earn less: one with only
 * the question's words, and one given to every question, stay near the floor.
 */
function ruleReader(persona: Persona): GymReader {
  const card = stemsOf([...persona.statements.map(({ text }) => text), ...wordsUsedBy(persona)].join(' '));
  return {
    name: 'rules',
    async read(task, questions, answers) {
      if (!answers.some((text) => wordsOf(text).length > 0)) return null;
      const values: number[] = [];
      for (const [i, text] of answers.entries()) {
        const question = stemsOf(questions[i] ?? '');
        const added = [...stemsOf(text)].filter((stem) => !question.has(stem));
        const repeats = answers.filter((other) => other.trim() === text.trim()).length;
        const substance = Math.min(1, added.length / fullAnswer) / repeats;
        const facts = { text, own: Math.min(1, added.filter((stem) => card.has(stem)).length / 2), on: overlaps(text, question) };
        values.push(substance * (await quality(task, facts, persona)));
      }
      return 1 + 4 * (values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
    },
  };
}

function overlaps(text: string, stems: ReadonlySet<string>): number {
  return [...stemsOf(text)].some((stem) => stems.has(stem)) ? 1 : 0;
}

/** How well an answer does its task, from 0 to 1, by its words. `own`: of the card; `on`: of the question. */
async function quality(
  task: GymTask,
  { text, own, on }: { readonly text: string; readonly own: number; readonly on: number },
  persona: Persona,
): Promise<number> {
  const holds = (test: boolean) => (test ? 1 : 0);
  const clean = holds(!machine.test(text));
  if (task === 'toxicity') return holds(!insult.test(text)) * (0.5 + 0.25 * clean + 0.25 * own);
  if (task === 'action') return mean([own, clean, on, holds(/\b(?:i|i'd|i'll|me|my)\b/i.test(text))]);
  if (task === 'justification') return mean([own, clean, on, holds(reason.test(text))]);
  if (task === 'habits') {
    const { use, avoid } = persona.voice.lexicon;
    const uses = use.length === 0 ? own : holds(use.some((word) => text.toLowerCase().includes(word.toLowerCase())));
    return mean([uses, uses, holds(!avoid.some((word) => wordsOf(text).includes(word.toLowerCase()))), clean]);
  }
  const pairs = persona.statements.map((statement) => ({ premise: statement.text, hypothesis: text }));
  const judged = pairs.length === 0 ? [] : await lexicalNli.classify(pairs);
  const against = judged.filter(({ contradicts }) => contradicts > 0.5).length;
  return against > 0 ? 0 : mean([own, own, clean, on]);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
