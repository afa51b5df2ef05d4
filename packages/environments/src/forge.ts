/**
 * @file A forge: an order is made piece by piece, and only the last right piece pays. Most sites and ores allow only a few pieces.
 * Uniformly drawn orders are too easy or impossible, so useful ones must be written deliberately.
 */

import type { Ask, Environment, Step, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, choose, forfeitText, parameter, readTask, retries, rng } from '@ludus-agents/kernel/internal/core/index';

const pieces = [
  ...['ingot', 'rod', 'wire', 'link', 'chain', 'plate', 'rivet', 'hinge'],
  ...['clasp', 'blade', 'guard', 'hilt', 'sheath', 'crest', 'inlay', 'crown'],
] as const;
const sites = 12;
const ores = 8;

const parameters = {
  site: parameter.integer({ min: 1, max: sites, default: 7, description: 'the site of the forge, which determines the materials' }),
  ore: parameter.integer({
    min: 1,
    max: ores,
    default: 4,
    description: 'the ore to melt; most ores are only good for small pieces',
  }),
  goal: parameter.integer({ min: 1, max: pieces.length, default: pieces.length, description: 'number of pieces in the order' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly task: Task; readonly at: number; readonly misses: number };

const seat = 'smith';
const alone = [seat] as const;
const tools = ['[anvil]', '[furnace]', '[file]', '[press]'] as const;

export const forge: Environment<State, Task> = {
  id: 'forge@1',
  about: {
    summary:
      'A smith makes an order piece by piece and picks one of four tools for each piece. The wrong tool, or a material that the site lacks, spoils the order; the last piece pays 1. The smith does not know the length of the order. Most sites and ores suffice for only a few pieces. A testbed for agents that write tasks.',
    tasks: [{}, { goal: 1 }, { goal: 5, site: 3, ore: 2 }],
    turns: pieces.length * 11,
    complete: true,
  },
  parameters,
  task: (input) => readTask('forge', parameters, input),
  seats: () => alone,
  start: (task) => ({
    state: { task, at: 0, misses: 0 },
    messages: [{ to: alone, text: workText(0) }],
    asks: [ask],
  }),
  step(state, actions) {
    const { task, at } = state;
    const read = choose(actions[seat], tools);
    if (!read.ok) return askAgain(state, ask, read.problem, task.retries) ?? end(state, forfeitText(seat), 0);
    if (at >= reachOf(task)) return end(state, `The site has no material for the ${pieces[at]}. The order is spoiled.`, 0);
    if (read.move !== toolFor(at)) return end(state, `${read.move} spoils the ${pieces[at]}.`, 0);
    if (at === task.goal - 1) return end(state, `The ${pieces[at]} is made, and the order with it.`, 1);
    return { state: { ...state, at: at + 1, misses: 0 }, messages: [{ to: alone, text: workText(at + 1) }], asks: [ask] };
  },
  knows: ({ at, misses }) => ({ at, misses }),
  winnable: (task) => task.goal <= reachOf(task),
  scripts: {
    /** Knows every tool: a reference for checks. */
    master: ({ view }) => {
      const orderMessage = view.seen.findLast((item) => item.kind === 'message' && item.text.startsWith('Make the '));
      const piece = orderMessage?.kind === 'message' ? /^Make the (\w+)/.exec(orderMessage.text)?.[1] : undefined;
      return { text: toolFor(Math.max(0, pieces.indexOf((piece ?? '') as (typeof pieces)[number]))) };
    },
  },
};

const ask: Ask = { seat, choices: tools, window: 1 };

function workText(at: number): string {
  return `Make the ${pieces[at]}${at === 0 ? '' : ` from the ${pieces[at - 1]}`}. Which tool?`;
}

function toolFor(at: number): string {
  return tools[rng(0, 'forge tool', at).int(tools.length)];
}

/** Returns the number of pieces that can be made from an ore at a site: all of them at two sites from one ore, and a few elsewhere. */
function reachOf({ site, ore }: Pick<Task, 'site' | 'ore'>): number {
  if ((site === 7 || site === 11) && ore === 4) return pieces.length;
  return 1 + rng(0, 'forge site', site, ore).int(3);
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
