/**
 * @file Orders of two to five calls of ten tools, in order and each with its own value. A failed call is reported. Scripts replace the
 * models: a planner, which costs ten per call, names the steps in words (one in twelve wrong); an action model, which costs one per
 * call, turns a step into a call (one in twenty wrong); and a single model does both, for ten.
 *
 * Options: arm ("on": the plan is kept between moves; "anew": the planner plans at each move; "joint": the single model), seed. Prints
 * the completed orders per 1,000 of cost, the share of completed orders, the cost per order, and the moves that came from a kept plan.
 */

import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import {
  type Action,
  type Agent,
  type AnyEnvironment,
  type Json,
  type Rng,
  scripted,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { playOne } from './_play.ts';
import { counting, textsIn } from './_readers.ts';
import { scripts } from './_stages.ts';

const [orders, mostMoves, dear, cheap] = [60, 10, 10, 1];
const tools = ['brew', 'pack', 'send', 'bill', 'print', 'call', 'book', 'lock', 'scan', 'note'];
const phrases: Readonly<Record<string, string>> = {
  ...{ brew: 'make the tea', pack: 'put it in a box', send: 'get it on its way', bill: 'ask for the money', print: 'have it on paper' },
  ...{ call: 'ring them up', book: 'keep a place', lock: 'make it safe', scan: 'take a picture', note: 'write it down' },
};

type State = { readonly steps: readonly string[]; readonly done: number; readonly moves: number };

const office: AnyEnvironment = {
  id: 'office@1',
  about: { summary: 'Orders of several calls.', tasks: [{}], turns: mostMoves, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => ['clerk'],
  start(_: object, random: Rng) {
    const steps = random.shuffle(tools).slice(0, 2 + random.int(4));
    const text = `Order: ${steps.map((tool) => phrases[tool]).join(', then ')}.`;
    return { state: { steps, done: 0, moves: 0 }, messages: [{ to: ['clerk'], text }], asks: [{ seat: 'clerk', choices: choices() }] };
  },
  step({ steps, done, moves }: State, actions: Readonly<Record<string, Action>>) {
    const isRight = actions['clerk']?.text === `[${steps[done]}]`;
    const state: State = { steps, done: done + (isRight ? 1 : 0), moves: moves + 1 };
    const isOver = state.done === steps.length || state.moves === mostMoves;
    return {
      state,
      messages: [{ to: ['clerk'], text: isRight ? `Done: ${state.done} of the steps.` : 'Nothing came of it.' }],
      asks: isOver ? [] : [{ seat: 'clerk', choices: choices() }],
      ...(isOver ? { rewards: { clerk: state.done === steps.length ? 1 : 0 } } : {}),
    };
  },
};

function choices(): readonly string[] {
  return tools.map((tool) => `[${tool}]`);
}

/** The steps that are left, as far as was told. */
function remainingSteps(turn: Turn): readonly string[] {
  const texts = textsIn(turn);
  const steps = /Order: (.+)\./.exec(texts.join('\n'))?.[1]?.split(', then ') ?? [];
  const done = texts.flatMap((text) => /Done: (\d) of/.exec(text)?.[1] ?? []).at(-1);
  return steps.slice(Number(done ?? 0));
}

const toolOf = (step: string) => tools.find((tool) => step.includes(phrases[tool] as string)) ?? tools[0];

export default async function run({ arm = 'on', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const discussion = await builtInEnvironment('discussion');
  let [completed, cost, plans, dearCalls] = [0, 0, 0, 0];
  const speaking = (name: string, price: number, answer: (turn: Turn) => string): Agent => {
    const tell = () => {
      cost += price;
      if (price === dear) dearCalls++;
    };
    return counting(
      stage.player(
        scripted(
          name,
          Object.assign((turn: Turn) => ({ text: answer(turn) }), { speaks: true as const }),
        ),
      ),
      tell,
    );
  };
  const planner = speaking('planner', dear, (turn) => {
    const named = remainingSteps(turn).map((step) => (turn.rng.next() < 1 / 12 ? (phrases[turn.rng.pick(tools)] as string) : step));
    return named.map((step) => `Step actor: ${step}`).join('\n');
  });
  const actor = speaking('actor', cheap, (turn) => {
    const wanted = /asks you to make this move: (.+?) If it cannot/.exec(textsIn(turn).at(-1) ?? '')?.[1] ?? '';
    return `Answer: [${turn.rng.next() < 1 / 20 ? turn.rng.pick(tools) : toolOf(wanted)}]`;
  });
  // It errs where the planner would, and where the action model would.
  const joint = speaking('joint', dear, (turn) => {
    const slips = turn.rng.next() < 1 / 12 || turn.rng.next() < 1 / 20;
    return `Answer: [${slips ? turn.rng.pick(tools) : toolOf(remainingSteps(turn)[0] ?? '')}]`;
  });
  const members: Readonly<Record<string, Agent>> = arm === 'joint' ? { joint } : { planner, actor };
  const settings = {
    members: Object.keys(members),
    ...(arm === 'joint' ? { modules: [{ name: 'act', tell: 'Act.' }] } : { protocol: 'planner', ...(arm === 'anew' && { off: ['plan'] }) }),
  };
  await forEachOf(Array.from({ length: orders }), async (_, i) => {
    const agent = teamAgent({ name: 'clerk', settings: readTeam({ name: 'clerk', kind: 'team', settings }), members, discussion });
    const { events, returns } = await playOne(office, { clerk: agent }, {}, Number(seed) * 1000 + i);
    completed += returns['clerk'] ?? 0;
    const minds = events.flatMap((event) => (event.kind === 'action' ? [readTeamMind(event.mind)] : []));
    plans += minds.at(-1)?.acted['plan'] ?? 0;
  });
  return {
    worth: (1000 * completed) / cost,
    completed: completed / orders,
    cost: cost / orders,
    kept: arm === 'on' ? plans : 0,
    dearCalls,
  };
}
