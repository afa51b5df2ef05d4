/**
 * @file What does each part of a language agent contribute? An agent with a memory, a plan, a tool, a persona, and an instruction plays
 * five kinds of tasks. Each kind asks for a color that only one part has. `ludus improve ablate` plays them again without each part. A
 * script replaces the model: it knows only what is in its prompt, and errs in one of ten answers.
 *
 * Options: without ("each"; "nothing": the whole agent five more times, on other seeds; "shuffled": the drops under the names of other
 * parts), games (per kind and arm), seed. Prints the drop in return on the tasks that need the missing part minus the drop on the
 * others, both drops, the return of the whole agent, and the number of arms without a part.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { ablate } from '@ludus-agents/evaluation/internal/ablation';
import type { Action, AgentSpec, AnyEnvironment, Json, Plan, Prompt, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { run as performPlan } from '@ludus-agents/kernel/internal/engine/run';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import type { ProgramOptions } from '../arms.ts';
import { scripts } from './_stages.ts';
import { found } from './_values.ts';

const colors = ['red', 'green', 'blue', 'white', 'black', 'brown'];
/** Kinds of tasks by the part that they need: the question that they end with, and what is said about it before. */
const kinds = {
  memory: { asks: 'What was the color of the box?', says: (color: string) => `The color of the box is ${color}.` },
  plan: { asks: 'And now, at last?', says: (color: string) => `Later comes ${color}.` },
  'tool gauge': { asks: 'What does the gauge show?', says: (color: string) => `The gauge shows ${color}.` },
  persona: { asks: 'What do you wear?', says: (color: string) => `Ann wears ${color}.` },
  'text instruction': { asks: 'What opens the gate?', says: (color: string) => `The gate opens at ${color}.` },
} as const;
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as readonly Kind[];
/** Turns between what is told and the question; what was told is out of sight by then. */
const gap = 7;
const filler = 'The road goes on past a field and a farm, and nothing else happens on this part of the way. '.repeat(12);

interface State {
  readonly kind: Kind;
  readonly turn: number;
}

type Colors = Readonly<Record<Kind, string>>;

function roadOf(colors: Colors): AnyEnvironment {
  const onward = (state: State, text: string) => ({ state, messages: [{ to: ['walker'], text }], asks: [{ seat: 'walker' }] });
  return {
    id: 'road@1',
    about: { summary: 'A walk that ends with a question.', tasks: [{}], turns: gap + 1 },
    parameters: {},
    task: (input: Json) => input as { readonly kind: Kind },
    seats: () => ['walker'],
    start: ({ kind }: { readonly kind: Kind }) => onward({ kind, turn: 0 }, 'You set out.'),
    step({ kind, turn }: State, actions: Readonly<Record<string, Action>>) {
      const state = { kind, turn: turn + 1 };
      const isTold = state.turn === 1 && (kind === 'memory' || kind === 'plan');
      if (state.turn < gap) return onward(state, isTold ? kinds[kind].says(colors[kind]) : filler);
      if (state.turn === gap) return onward(state, kinds[kind].asks);
      return { state, messages: [], asks: [], rewards: { walker: actions['walker']?.text.includes(colors[kind]) ? 1 : 0 } };
    },
  } as AnyEnvironment;
}

/** Writes down what is to come, uses the gauge when it is asked about it, and answers by what its prompt says; any color where that is nothing. */
function read({ messages, tools = [] }: Prompt, dice: Rng): string {
  const text = messages.map(({ content }) => String(content)).join('\n');
  const kind = names.find((name) => text.includes(kinds[name].asks));
  const colorOf = (name: Kind) => new RegExp(kinds[name].says('(\\w+)')).exec(text)?.[1];
  if (kind === undefined)
    return colorOf('plan') === undefined ? 'Action: on' : `Action: on\nPlan: walk on; ${kinds.plan.says(colorOf('plan') as string)}`;
  if (kind === 'tool gauge' && tools.length > 0 && colorOf(kind) === undefined) return 'Tool: gauge {}';
  return `Action: ${dice.next() < 0.1 ? dice.pick(colors) : (colorOf(kind) ?? dice.pick(colors))}`;
}

function walkerOf(colors: Colors): AgentSpec {
  return {
    ...{ name: 'walker', kind: 'llm', model: 'fake/reader', tools: ['gauge'] },
    persona: { name: 'Ann', statements: [kinds.persona.says(colors.persona)] },
    texts: { instruction: kinds['text instruction'].says(colors['text instruction']) },
    settings: { architecture: 'react', memory: 'relevant', memories: 1, plan: true, budget: 900, tail: 200, steps: 2 },
  };
}

export default async function run({ without = 'each', games = 4, seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const random = rng(Number(seed), 'parts');
  const palette = random.shuffle(colors);
  const colorByKind = Object.fromEntries(names.map((name, i) => [name, palette[i]])) as Colors;
  const environment = roadOf(colorByKind);
  const tool = {
    spec: { name: 'gauge', description: 'Shows a color.', parameters: { type: 'object' } },
    call: async () => ({ ok: true, text: kinds['tool gauge'].says(colorByKind['tool gauge']) }),
  };
  const tools = { open: async () => ({ tools: [tool], close: async () => undefined }) };
  const load = createAgentLoader({ model: async () => stage.writer(read), tools });
  const returnsOf = async (kind: Kind, from: number, only?: readonly string[]) => {
    const store = memoryStore();
    const request = {
      spec: walkerOf(colorByKind),
      environment: 'road',
      tasks: [{ kind }],
      seat: 'walker',
      others: {},
      games: Number(games),
      seed: from,
    };
    const perform = (plan: Plan) => performPlan(plan, { store, environment: async () => environment, agent: load });
    const { arms } = await ablate({ ...request, ...(only && { only }) }, { store, perform });
    return arms;
  };
  const wholes: number[] = [];
  const drops: { readonly needed: boolean; readonly drop: number }[] = [];
  const order = without === 'shuffled' ? random.shuffle(names) : names;
  let lacking = 0;
  for (const kind of names) {
    const from = Number(seed) * 1000;
    const [whole, ...arms] = await returnsOf(kind, from, without === 'nothing' ? [] : undefined);
    wholes.push(whole.mean);
    for (const [i, part] of names.entries()) {
      const needed = order[i] === kind;
      if (without === 'nothing') {
        const [again] = await returnsOf(kind, from + 100 * (i + 1), []);
        drops.push({ needed, drop: whole.mean - again.mean });
        continue;
      }
      const arm = found(arms.find(({ arm: name }) => name === `without ${part}`));
      drops.push({ needed, drop: whole.mean - arm.mean });
      lacking += arm.episodes;
    }
  }
  const meanOf = (needed: boolean) => meanOrZero(drops.filter((item) => item.needed === needed).map(({ drop }) => drop));
  return { contrast: meanOf(true) - meanOf(false), needed: meanOf(true), elsewhere: meanOf(false), whole: meanOrZero(wholes), lacking };
}
