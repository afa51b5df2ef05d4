/**
 * @file What does each faculty of one mind contribute? A pipeline of five modules (memory, plan, world model, curiosity, affect) walks five
 * kinds of roads. Each ends with a question that one of them can answer: the program compares predictions with what comes, and counts
 * visits. `ludus improve ablate` plays the roads again without each module. A script replaces the model: it knows only what is in its
 * prompt, and errs in one of ten answers.
 *
 * Options: without ("each"; "nothing": the whole mind five more times, on other seeds; "shuffled": the drops under the names of other
 * modules), games (per kind and arm), seed. Prints the drop in return on the roads that need the missing module minus the drop on the
 * others, both drops, the return of the whole mind, the number of episodes without a module, and the drop of every cell.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { ablate } from '@ludus-agents/evaluation/internal/ablation';
import type { Action, AgentSpec, AnyEnvironment, Json, Plan, Prompt, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { run as performPlan } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import type { ProgramOptions } from '../arms.ts';
import { scripts } from './_stages.ts';
import { found } from './_values.ts';

/** The modules, each with what it is told to write and under which label, the question that it can answer, and the answers to that. */
const faculties = {
  explore: { label: 'New', tell: 'Is this place new to you?', asks: 'Were you at this place before?', answers: ['yes', 'no'] },
  remember: {
    label: 'Summary',
    tell: 'What should be kept?',
    asks: 'What was in the box?',
    answers: ['a coin', 'a key', 'a ring', 'a nut'],
  },
  feel: { label: 'Mood', tell: 'How is the mood?', asks: 'How does Ann feel?', answers: ['glad', 'sad', 'cross', 'calm'] },
  plan: { label: 'Plan', tell: 'What is to be done at the end?', asks: 'And now, at last?', answers: ['north', 'south', 'east', 'west'] },
  predict: { label: 'Expect', tell: 'What comes next?', asks: 'Does the sign tell what comes?', answers: ['yes', 'no'] },
} as const;
type Faculty = keyof typeof faculties;
const names = Object.keys(faculties) as readonly Faculty[];
/** Turns before the question; what was told after the first is out of sight by then. */
const gap = 7;
const filler = 'The road goes on past a hedge and a wall, and nothing else happens on this part of the way. '.repeat(12);
const sights = ['a mill', 'a pond', 'a barn', 'a well', 'a tower', 'a bridge'];

interface State {
  readonly kind: Faculty;
  readonly right: string;
  readonly turn: number;
  /** What the sign says will come. */
  readonly sign: string;
}

const road: AnyEnvironment = {
  id: 'road@1',
  about: { summary: 'A walk that ends with a question.', tasks: [{}], turns: gap + 1 },
  parameters: {},
  task: (input: Json) => input as { readonly kind: Faculty },
  seats: () => ['walker'],
  start: ({ kind }: { readonly kind: Faculty }, random: Rng) =>
    onward({ kind, right: random.pick(faculties[kind].answers), turn: 0, sign: random.pick(sights) }, 'You set out.'),
  step({ kind, right, turn: before, sign: last }: State, actions: Readonly<Record<string, Action>>, random: Rng) {
    const turn = before + 1;
    const state = { kind, right, turn, sign: random.pick(sights.filter((other) => other !== last)) };
    if (turn > gap) return { state, messages: [], asks: [], rewards: { walker: actions['walker']?.text.includes(right) ? 1 : 0 } };
    const news = { remember: `In the box is ${right}.`, feel: `Ann says that she is ${right}.`, plan: `At the end go ${right}.` };
    const asks = turn === gap ? ` ${faculties[kind].asks}` : '';
    if (kind === 'predict') {
      const comes = right === 'yes' ? last : random.pick(sights.filter((other) => other !== last));
      return onward(state, turn === gap ? `${filler}${asks}` : `You see ${comes}.\n${filler}\nThe sign says: ${state.sign}.`);
    }
    if (kind !== 'explore') return onward(state, turn === 1 ? news[kind] : `${filler}${asks}`);
    // The place of the question is also the second one, or was never seen. Its question is unsaid, so that the place reads as before.
    return onward(state, `You stand at ${turn === gap || (turn === 2 && right === 'yes') ? 'the old oak' : `stone ${turn}`}. ${filler}`);
  },
} as AnyEnvironment;

function onward(state: State, text: string) {
  return { state, messages: [{ to: ['walker'], text }], asks: [{ seat: 'walker' }] };
}

const lastTell = 'Say what you answer, or go on.';

/** Writes what a module is asked for, as far as its prompt tells; answers a question by what it finds, and with anything where that is nothing. */
function read({ messages }: Prompt, dice: Rng): string {
  const text = messages.map(({ content }) => String(content)).join('\n');
  const now = text.includes(lastTell)
    ? 'act'
    : names.toSorted((a, b) => text.lastIndexOf(faculties[b].tell) - text.lastIndexOf(faculties[a].tell))[0];
  const line = (label: string) => [...text.matchAll(new RegExp(`${label}: ([^\\n]+)`, 'g'))].at(-1)?.[1];
  const lines: Readonly<Record<Faculty, string | undefined>> = {
    explore: text.includes('You have seen this before') ? 'no' : 'yes',
    remember: /In the box is ([\w ]+)\./.exec(text)?.[1] ?? line('Summary'),
    feel: /Ann says that she is (\w+)\./.exec(text)?.[1] ?? line('Mood'),
    plan: /At the end go (\w+)\./.exec(text)?.[1] ?? line('Plan'),
    predict: `You see ${[...text.matchAll(/The sign says: ([\w ]+)\./g)].at(-1)?.[1] ?? 'a road'}.`,
  };
  if (now !== 'act') return lines[now] === undefined ? 'Nothing.' : `${faculties[now].label}: ${lines[now]}`;
  const kind = names.find((name) => text.includes(faculties[name].asks)) ?? 'explore';
  const [, of, came] = /Of your last (\d+) predictions (\d+) came true/.exec(text) ?? [];
  const isTrusted = of === undefined ? undefined : Number(came) / Number(of) > 0.5 ? 'yes' : 'no';
  const isNew = line('New');
  const isKnown = isNew === undefined ? undefined : isNew === 'no' ? 'yes' : 'no';
  const answer = kind === 'predict' ? isTrusted : kind === 'explore' ? isKnown : lines[kind];
  return `Answer: ${answer === undefined || dice.next() < 0.1 ? dice.pick(faculties[kind].answers) : answer}`;
}

const walker: AgentSpec = {
  ...{ name: 'walker', kind: 'team' },
  settings: {
    ...{ protocol: 'pipeline', curiosity: true },
    modules: [
      ...names.map((name) => ({ name, tell: faculties[name].tell, keep: [faculties[name].label] })),
      { name: 'act', tell: lastTell },
    ],
    members: [{ name: 'mind', kind: 'llm', model: 'fake/reader', settings: { budget: 900, tail: 200 } }],
  },
};

export default async function run({ without = 'each', games = 4, seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'faculties');
  const load = createAgentLoader({ model: async () => scripts.writer(read), environment: async () => builtInEnvironment('discussion') });
  const returnsOf = async (kind: Faculty, from: number, only?: readonly string[]) => {
    const store = memoryStore();
    const request = {
      ...{ spec: walker, environment: 'road', tasks: [{ kind }], seat: 'walker', others: {} },
      ...{ games: Number(games), seed: from },
    };
    const perform = (plan: Plan) => performPlan(plan, { store, environment: async () => road, agent: load });
    const { arms } = await ablate({ ...request, ...(only && { only }) }, { store, perform });
    return arms;
  };
  const wholes: number[] = [];
  const drops: { readonly needed: boolean; readonly drop: number; readonly cell: string }[] = [];
  const order = without === 'shuffled' ? random.shuffle(names) : names;
  let lacking = 0;
  for (const kind of names) {
    const from = Number(seed) * 1000;
    const [whole, ...arms] = await returnsOf(kind, from, without === 'nothing' ? [] : undefined);
    wholes.push(whole.mean);
    for (const [i, module] of names.entries()) {
      const needed = order[i] === kind;
      const arm =
        without === 'nothing'
          ? (await returnsOf(kind, from + 100 * (i + 1), []))[0]
          : found(arms.find(({ arm: name }) => name === `without ${module}`));
      drops.push({ needed, drop: whole.mean - arm.mean, cell: `${kind} without ${module}` });
      if (without !== 'nothing') lacking += arm.episodes;
    }
  }
  const meanOf = (needed: boolean) => meanOrZero(drops.filter((item) => item.needed === needed).map(({ drop }) => drop));
  return {
    ...{ contrast: meanOf(true) - meanOf(false), needed: meanOf(true), elsewhere: meanOf(false), whole: meanOrZero(wholes), lacking },
    cells: Object.fromEntries(drops.map(({ cell, drop }) => [cell, drop])),
  };
}
