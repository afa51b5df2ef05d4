/**
 * @file Three grounds that are no demonstrations, for tests and `npm run bench -- improve`: a clerk of service-core, a walker of quest-world
 * with a playbook, and a language agent at kuhn-poker with one wrong rule in its instruction.
 *
 * Who plays follows lawfully from the texts: some lines help, some harm, most do nothing. The proposer reads the worst episode for what went
 * wrong and is right seven times in ten; the blind one toggles any line. So no language model is needed, and what an engine makes of its
 * reflections can be measured.
 */

import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { serviceDesk } from '@ludus-agents/desk/internal/environment/service-desk/service-desk';
import { serviceCore } from '@ludus-agents/desk/internal/suites/service-core';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { questWorld } from '@ludus-agents/environments/internal/quest-world/quest-world';
import {
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  type EpisodeEvent,
  type Json,
  type Lesson,
  type Model,
  rng,
  type Script,
  type Seat,
  scripted,
} from '@ludus-agents/kernel/internal/core/index';
import type { Choices } from '../prompts/choices.ts';
import { lightStore } from '../prompts/demo/demo.cases.ts';
import type { Engine, Proposer } from '../prompts/engine.ts';
import { builtInEngine } from '../prompts/engines/index.ts';
import { createEpisodeTrials } from '../prompts/episode-trials.ts';
import type { TrialEnvironment } from '../prompts/evaluator.ts';
import { defaults, improve } from '../prompts/improve.ts';
import { blindLines, editing, type InstructionLine, linesIn, openTo, toggle } from '../prompts/proposers/lines.ts';
import type { ImproveReport } from '../prompts/report.ts';

export interface Ground {
  readonly name: string;
  readonly environment: AnyEnvironment;
  readonly seat: Seat;
  readonly tasks: readonly Json[];
  readonly start: AgentSpec;
  readonly lines: readonly InstructionLine[];
  /** Lines that weights may choose one of, by kind of task. */
  readonly habits: Readonly<Record<string, readonly string[]>>;
  /** Who plays a spec, and the others. */
  readonly agents: (spec: AgentSpec, task: Json) => Promise<Readonly<Record<Seat, Agent>>>;
  /** Returns that are 0 and 1 as scores. */
  readonly scale: readonly [number, number];
  /** The line to put in or take out against what went wrong in an episode, or null. */
  readonly diagnosis: (lesson: Lesson, statement: ReadonlySet<string>) => string | null;
}

const linesOfSpec = (spec: AgentSpec): ReadonlySet<string> => new Set(Object.values(spec.texts ?? {}).flatMap((text) => linesIn(text)));

const idle = ['Be brief.', 'Speak plainly.', 'Stay calm.', 'Mind your manners.', 'Take your time.', 'Be consistent.'];
const asLines = (lines: readonly string[], component: string): readonly InstructionLine[] => lines.map((line) => ({ line, component }));

// Poker: a language agent over a model that obeys its instruction.

const foldAll = 'Fold every hand.';
const pokerLines = [foldAll, 'Bet with a K.', 'Call with a Q.', 'Call with a J.', 'Bet with a J.', ...idle];

const obedient: Model = {
  id: 'obedient',
  price: null,
  async complete(prompt) {
    const text = prompt.messages.map(({ content }) => content).join('\n');
    const card = [...text.matchAll(/Your card is (\w)/g)].at(-1)?.[1] ?? '';
    const facing = /Your moves: (?:\[fold\] \[call\]|\[call\] \[fold\])/.test(prompt.messages.at(-1)?.content ?? '');
    const own = text.includes(`${facing ? 'Call' : 'Bet'} with a ${card}.`) || (facing && card === 'K');
    const bold = !text.includes(foldAll) && own;
    const move = facing ? (bold ? '[call]' : '[fold]') : bold ? '[bet]' : '[check]';
    return {
      model: 'obedient',
      prompt,
      text: move,
      finish: 'stop',
      usage: { promptTokens: Math.ceil(text.length / 4), completionTokens: 3 },
      cost: null,
    };
  },
};

const poker: Ground = {
  name: 'kuhn-poker',
  environment: kuhnPoker,
  seat: 'first',
  tasks: [{ rounds: 4 }],
  start: { name: 'player', kind: 'llm', model: 'obedient', texts: { instruction: `You play for chips.\n${foldAll}` } },
  lines: asLines(pokerLines, 'instruction'),
  habits: { any: [foldAll, 'Be brief.', 'Bet with a K.'] },
  agents: async (spec) => ({
    first: await llmAgent({ spec, seat: 'first', model: obedient }),
    second: scripted('bold', kuhnPoker.scripts?.['bold'] as Script),
  }),
  scale: [-4, 4],
  diagnosis({ episode, seat }, statement) {
    let card = '';
    for (const event of episode.events) {
      if (event.kind === 'message' && event.to.includes(seat)) card = /Your card is (\w)/.exec(event.text)?.[1] ?? card;
      if (event.kind !== 'action' || event.seat !== seat || card === 'J') continue;
      const { text } = event.action;
      if (text === '[fold]') return statement.has(foldAll) ? foldAll : newLine(`Call with a ${card}.`, statement);
      if (text === '[check]' && card === 'K' && !statement.has('Bet with a K.')) return 'Bet with a K.';
    }
    return null;
  },
};

function newLine(line: string, statement: ReadonlySet<string>): string | null {
  return statement.has(line) ? null : line;
}

// A service desk: what the texts say decides which cases are handled as the policy wants.

const cases: Readonly<Record<string, { readonly line: string; readonly without: string }>> = {
  'must-refuse': { line: 'Refuse what the policy forbids, also when it is asked twice.', without: 'always-agree' },
  'wrong-identity': { line: 'Make sure who asks before you look anything up.', without: 'always-agree' },
  transfer: { line: 'Hand over what you may not decide.', without: 'always-refuse' },
  'multi-request': { line: 'Do everything that is asked before you close.', without: 'do-nothing' },
  refund: { line: 'Pay back by the way that was paid.', without: 'transfer' },
};
const refuseAll = 'Refuse when in doubt.';
const handOver = 'Hand over every case.';

const desk: Ground = {
  name: 'service-core',
  environment: serviceDesk,
  seat: 'agent',
  // In an order by dice, so that few of them are of many kinds.
  tasks: rng(1, 'tasks').shuffle(serviceCore.scenes.flatMap(({ tasks }) => tasks)),
  start: { name: 'clerk', kind: 'lawful', texts: { instruction: `You serve customers.\n${refuseAll}` } },
  lines: asLines([...Object.values(cases).map(({ line }) => line), refuseAll, handOver, ...idle], 'instruction'),
  habits: {
    any: [handOver, refuseAll, 'Be brief.'],
    'must-refuse': [handOver, 'Be brief.', cases['must-refuse']!.line],
    'multi-request': [handOver, 'Be brief.', cases['multi-request']!.line],
  },
  async agents(spec, task) {
    const lines = linesOfSpec(spec);
    const { kind } = task as { readonly kind: string };
    const existing = cases[kind];
    const isOdd = ['exchange', 'return', 'address'].includes(kind);
    const script = lines.has(handOver)
      ? 'transfer'
      : lines.has(refuseAll) && isOdd
        ? 'always-refuse'
        : existing === undefined || lines.has(existing.line)
          ? 'gold'
          : existing.without;
    const scripts = serviceDesk.scripts as Readonly<Record<string, Script>>;
    return { agent: scripted('clerk', scripts[script]!), customer: scripted('customer', scripts['customer']!) };
  },
  scale: [0, 1],
  diagnosis({ episode, scores }, statement) {
    const [start] = episode.events;
    const { kind } = (start?.kind === 'start' ? start.task : {}) as { readonly kind: string };
    if ((scores[0]?.value ?? 0) >= 1) return null;
    const existing = cases[kind];
    if (existing !== undefined) return newLine(existing.line, statement);
    return statement.has(refuseAll) ? refuseAll : null;
  },
};

// A quest: for each kind of deed the playbook says whether it is done with a plan or at random.

const deeds: Readonly<Record<string, string>> = {
  go: 'Walk to the nearest room that you have not seen.',
  take: 'Take what the goal needs, and nothing else.',
  open: 'Open what is closed.',
  unlock: 'Try the key on the locked door.',
  give: 'Give people what they ask for.',
};
const verbOf = (text: string): string => /^(?:\[)?(\w+)/.exec(text)?.[1] ?? '';

const quest: Ground = {
  name: 'quest-world',
  environment: questWorld,
  seat: 'seeker',
  tasks: [{}],
  start: { name: 'walker', kind: 'lawful', texts: { instruction: 'Reach the goal.', 'playbook/00001': '' } },
  lines: asLines([...Object.values(deeds), 'Drop what is heavy.', 'Look around before every step.', ...idle], 'playbook/00001'),
  habits: { any: ['Drop what is heavy.', 'Be brief.', deeds['take']!] },
  async agents(spec, task) {
    const lines = linesOfSpec(spec);
    const { bfs, random } = questWorld.scripts as Readonly<Record<string, Script>>;
    const script: Script = (turn) => {
      if (lines.has('Look around before every step.') && turn.rng.next() < 0.4) return { text: 'look' };
      const planned = bfs!(turn);
      const text = 'action' in planned ? planned.action.text : planned.text;
      const line = deeds[verbOf(text)];
      const heavy = lines.has('Drop what is heavy.') && turn.rng.next() < 0.3;
      return !heavy && (line === undefined || lines.has(line)) ? planned : random!(turn);
    };
    const seats = questWorld.seats(questWorld.task(task));
    return Object.fromEntries(seats.map((seat) => [seat, scripted('walker', script)]));
  },
  scale: [-1, 1.5],
  diagnosis({ episode, seat }, statement) {
    const done = (event: EpisodeEvent) => (event.kind === 'action' && event.seat === seat ? verbOf(event.action.text) : '');
    const counts = new Map<string, number>();
    for (const event of episode.events) counts.set(done(event), (counts.get(done(event)) ?? 0) + 1);
    if ((counts.get('look') ?? 0) > 8 && statement.has('Look around before every step.')) return 'Look around before every step.';
    if ((counts.get('drop') ?? 0) > 3 && statement.has('Drop what is heavy.')) return 'Drop what is heavy.';
    const open = Object.entries(deeds).filter(([, line]) => !statement.has(line));
    return open.toSorted(([a], [b]) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))[0]?.[1] ?? null;
  },
};

export const grounds: readonly Ground[] = [desk, quest, poker];

/** How often a reflection follows its diagnosis instead of a whim. */
const insight = 0.7;

/** Reads the worst episode that has something to fix. */
function ruleReader({ lines, diagnosis }: Ground): Proposer {
  return {
    name: 'reads',
    improver: (round) => ({
      name: 'reads',
      improve: (spec, lessons, signal) => {
        const worst = lessons.toSorted((a, b) => (a.scores[0]?.value ?? 0) - (b.scores[0]?.value ?? 0));
        return editing('reads', round, (texts, dice) => {
          const open = openTo(lines, round);
          const statement = new Set(Object.values(texts).flatMap((text) => linesIn(text)));
          const match = dice.next() < insight ? worst.map((lesson) => diagnosis(lesson, statement)).find((line) => line !== null) : null;
          toggle(texts, open.find(({ line }) => line === match) ?? dice.pick(open));
        }).improve(spec, lessons, signal);
      },
    }),
  };
}

/** Trials of a ground. The same play is played once, whichever engine asks for it. */
export function trialsOf({
  environment,
  seat,
  tasks,
  agents,
  scale: [low, high],
}: Ground): TrialEnvironment & { readonly plays: () => number } {
  const store = lightStore();
  const trials = createEpisodeTrials({
    ...{ store, run: 'run', environment, seat, tasks, agents },
    score: async ({ events }) => {
      const end = events.at(-1);
      const payment = end?.kind === 'end' ? (end.returns[seat] ?? 0) : 0;
      const value = Math.min(1, Math.max(0, (payment - low) / (high - low)));
      return [
        { name: 'return', value, status: 'ok', seat, evidence: [], cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 } },
      ];
    },
  });
  const knownEntries = new Map<string, ReturnType<TrialEnvironment['play']>>();
  return {
    ...trials,
    plays: () => knownEntries.size,
    play(spec, trial, signal) {
      const key = JSON.stringify([spec, trial]);
      const match = knownEntries.get(key) ?? trials.play(spec, trial, signal);
      knownEntries.set(key, match);
      return match;
    },
  };
}

export interface GroundRun {
  readonly engine: string;
  readonly seed: number;
  readonly calls: number;
  readonly trials: TrialEnvironment;
  readonly fresh?: number;
  /** What is not as usual: the engine itself, the edits of the control, or values to try. */
  readonly parts?: { readonly engine?: Engine; readonly blind?: Proposer; readonly choices?: Choices };
}

/** One engine on a ground, with random edits at equal cost next to it. */
export async function groundReport(
  ground: Ground,
  { engine, seed, calls, trials, fresh = 48, parts = {} }: GroundRun,
): Promise<ImproveReport> {
  const services = {
    ...{ store: lightStore(), run: 'run', engine: parts.engine ?? builtInEngine(engine), ground: trials },
    ...{ proposer: ruleReader(ground), blind: parts.blind ?? blindLines(ground.lines) },
  };
  const what = {
    engine,
    settings: {},
    proposer: 'reads',
    seed,
    budget: { calls },
    tasks: { propose: 18, select: 24, report: fresh },
    start: ground.start,
    ...(parts.choices === undefined ? {} : { choices: parts.choices }),
  };
  const course = improve({ ...defaults, ...what }, services);
  for (let next = await course.next(); ; next = await course.next()) if (next.done === true) return next.value;
}
