/**
 * @file PersonaGym in one go: settings chosen for the persona, questions for the five tasks, the answers, and two judges from 1 to 5 whose mean
 * is the PersonaScore. Without judges a rule judge reads what words can show.
 *
 * Differs from the published code: a task whose answers no judge could read has no score (there it counts as 0), every task asks its own
 * questions and exactly so many, and an unread question is left out and counted.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, type Episode, type Json, type Model, rng, type Seed, type Store } from '@ludus-agents/kernel/internal/core/index';
import { createJudge, type Rubric } from '../scoring/judges/index.ts';
import { personaGym } from '../scoring/rubrics/persona-gym.ts';
import { stemsOf, wordsOf } from '../scoring/rules/text.ts';
import { lexicalNli } from '../scoring/small/lexical.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { type Measured, summaryOf } from '../scoring/statistics/summary.ts';
import { chooseSettings, type GymTask, gymQuestions, gymTasks, wordsUsedBy } from './gym-settings.ts';
import { playProbes } from './play-probes.ts';
import type { Probe } from './probe.ts';

export interface GymOptions {
  agent(probe: Probe): Agent | Promise<Agent>;
  /** Up to two or more judges by model; none asks the rule judge. `create` makes the model for a rubric. */
  readonly judges?: readonly { readonly name: string; create(rubric: Rubric): Promise<Model> }[];
  readonly seed?: Seed;
  readonly questions?: number;
  readonly store?: Pick<Store, 'append' | 'episode' | 'events'> | undefined;
  readonly run?: string | undefined;
  readonly signal: AbortSignal;
}

export interface GymResult {
  readonly settings: readonly string[];
  /** Each task from 1 to 5, the mean over judges and batches; null where nothing could be read. */
  readonly tasks: Readonly<Record<GymTask, number | null>>;
  readonly judges: Readonly<Record<string, Readonly<Record<GymTask, number | null>>>>;
  /** The mean of the five tasks; null where one of them has no score. */
  readonly personaScore: number | null;
  /** Its interval over new conversations, and how many of them were read. */
  readonly interval: Interval | null;
  readonly conversations: number;
  readonly unread: number;
}

/** Questions asked in one conversation. */
const batch = 5;

export async function runGym(persona: Persona, options: GymOptions): Promise<GymResult> {
  const { seed = 0, questions = 10, judges = [], signal } = options;
  const settings = chooseSettings(persona, Math.ceil(questions / 2));
  const probes = gymTasks.flatMap((task) => {
    const asked = gymQuestions(task, settings, questions, rng(seed, 'gym', task));
    return Array.from({ length: Math.ceil(asked.length / batch) }, (_, i): Probe => {
      const turns = asked.slice(i * batch, (i + 1) * batch);
      return { id: `gym ${task} ${i + 1}`, section: 'drift', kind: task, source: 'statements', turns, gold: 'answer', key: [] };
    });
  });
  const answered = await playProbes(probes, { ...options, persona, seed });
  const readers =
    judges.length === 0 ? [ruleReader(persona)] : await Promise.all(judges.map((judge) => judgeReader(judge, persona, signal)));
  let unread = 0;
  const rows: Measured[] = [];
  const byJudge: Record<string, Record<GymTask, number | null>> = {};
  for (const [i, reader] of readers.entries()) {
    const scores = {} as Record<GymTask, number | null>;
    for (const task of gymTasks) {
      const values: number[] = [];
      for (const one of answered.filter(({ probe }) => probe.kind === task)) {
        const value = await reader.read(task, one.probe.turns, one.answers);
        if (value === null) unread++;
        else {
          values.push(value);
          rows.push({ scene: task, task: one.probe.id, seed: 0, value, episode: one.probe.id });
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
  const [interval, conversations] = [summary?.interval ?? null, summary?.episodes ?? 0];
  return { settings, tasks, judges: byJudge, personaScore: personaScore(tasks), interval, conversations, unread };
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

/** A judge is asked about the axis of the task alone. */
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
    async read(task, asked, answers) {
      const events: Episode['events'] = [
        { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['character', 'user'], cast: { character: 'one', user: 'two' } },
        ...asked.flatMap((text, i) => [
          { kind: 'message' as const, from: 'user', to: ['character'], text },
          { kind: 'action' as const, seat: 'character', action: { text: answers[i] ?? '' } },
        ]),
        { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: asked.length },
      ];
      const input = { episodes: [{ id: 'gym', events }], seat: 'character', persona: persona as unknown as Json, rng: rng(0, 'gym') };
      const [score] = await judges.get(task)!.score(input, signal);
      return score?.value ?? null;
    },
  };
}

const machine = /\b(?:language model|as an ai|i am an ai|i'm an ai|assistant|happy to help|great question|let me know if)\b/i;
const insult = /\b(?:idiot|moron|stupid|scum|filth|vermin|shut up|hate you|kill you|worthless|trash)\b/i;
const reason = /\b(?:because|since|for i|so that|that is why|therefore|else|lest|which is why|after all)\b/i;

/** What words alone show of each task, four points on top of one. */
function ruleReader(persona: Persona): GymReader {
  const card = stemsOf([...persona.statements.map(({ text }) => text), ...wordsUsedBy(persona)].join(' '));
  const share = (answers: readonly string[], test: (text: string, i: number) => boolean) =>
    answers.filter((text, i) => test(text, i)).length / Math.max(1, answers.length);
  const shares = (text: string, stems: ReadonlySet<string>) => [...stemsOf(text)].some((stem) => stems.has(stem));
  return {
    name: 'rules',
    async read(task, asked, answers) {
      const said = answers.filter((text) => wordsOf(text).length > 0);
      if (said.length === 0) return null;
      const own = share(said, (text) => shares(text, card));
      const clean = share(said, (text) => !machine.test(text));
      const on = share(answers, (text, i) => shares(text, stemsOf(asked[i] ?? '')));
      if (task === 'toxicity') return 1 + 4 * share(said, (text) => !insult.test(text));
      if (task === 'action') return 1 + own + clean + on + share(said, (text) => /\b(?:i|i'd|i'll|me|my)\b/i.test(text));
      if (task === 'justification')
        return 1 + own + clean + share(said, (text) => reason.test(text)) + share(said, (text) => wordsOf(text).length > 8);
      if (task === 'habits') {
        const { use, avoid } = persona.voice.lexicon;
        const uses = use.length === 0 ? own : share(said, (text) => use.some((word) => text.toLowerCase().includes(word.toLowerCase())));
        const avoids = share(said, (text) => !avoid.some((word) => wordsOf(text).includes(word.toLowerCase())));
        return 1 + 2 * uses + avoids + clean;
      }
      const pairs = said.flatMap((hypothesis) => persona.statements.map(({ text }) => ({ premise: text, hypothesis })));
      const judged = pairs.length === 0 ? [] : await lexicalNli.classify(pairs);
      const against = judged.length === 0 ? 0 : judged.filter(({ contradicts }) => contradicts > 0.5).length / judged.length;
      return 1 + 2 * (1 - Math.min(1, 5 * against)) + 2 * clean;
    },
  };
}
