/**
 * @file A shed of tools with partly wrong labels. Each job needs one kind of tool; every tool states a cost, has a true cost, and sometimes
 * fails. The shed is the same in every episode, so knowledge about a tool can be reused.
 */

import { defineEnvironment, parameter, rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  tools: parameter.integer({ min: 2, max: 120, default: 12, description: 'tools in the shed' }),
  kinds: parameter.integer({ min: 1, max: 8, default: 3, description: 'kinds of jobs; a tool does one of them' }),
  jobs: parameter.integer({ min: 1, max: 10, default: 2, description: 'number of jobs in an episode' }),
  tries: parameter.integer({ min: 1, max: 10, default: 3, description: 'number of tools that can be tried per job' }),
  fails: parameter.number({ min: 0, max: 1, default: 0.2, description: 'the probability that the right kind of tool fails anyway' }),
  cost: parameter.number({ min: 0, max: 1, default: 0.3, description: 'the highest true cost of a tool' }),
  honest: parameter.number({
    min: 0,
    max: 1,
    default: 0.5,
    description: 'the share of tools that state their true cost; others state another',
  }),
  shed: parameter.integer({ min: 0, max: 1_000_000, default: 0, description: 'the number of the shed' }),
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly job: number; readonly kind: number; readonly tries: number; readonly last: string };

const seat = 'worker';
const jobs = ['dig', 'cut', 'nail', 'paint', 'saw', 'weld', 'sweep', 'lift'] as const;

export const toolshed = defineEnvironment({
  id: 'toolshed@1',
  about: {
    summary:
      'A worker picks a tool from a shed for each of several jobs. A tool of the right kind does the job and pays 1, unless it fails. Each pick costs the true cost of the tool, which its label may misstate. Laboratory testbed: the best tool for a job and its value are exact.',
    tasks: [{}, { tools: 4, kinds: 2, jobs: 1, fails: 0 }, { tools: 120, kinds: 8, honest: 1 }],
    turns: 10 * 10 * 11,
    complete: true,
  },
  parameters,
  seats: [seat],
  start(task, dice) {
    const state: State = { job: 0, kind: dice.int(task.kinds), tries: 0, last: '' };
    return { state, messages: textAt(state, task) };
  },
  turn: ({ task }) => ({ seat, choices: Array.from({ length: task.tools }, (_, i) => `[tool ${i + 1}]`) }),
  play(state, move, { rng: dice }) {
    const { task } = state;
    const tool = toolAt(task, Number(move.slice(6, -1)) - 1);
    const isDone = tool.kind === state.kind && (task.fails === 0 || dice.weighted([1 - task.fails, task.fails]) === 0);
    const tries = state.tries + 1;
    const isNext = isDone || tries >= task.tries;
    const last = isDone ? 'Done.' : 'It does not work.';
    const next: State = isNext ? { ...state, job: state.job + 1, kind: dice.int(task.kinds), tries: 0, last } : { ...state, tries, last };
    const over = next.job >= task.jobs;
    const rewards = { [seat]: (isDone ? 1 : 0) - tool.cost };
    return { state: next, messages: over ? `${last} The day is over.` : textAt(next, task), rewards, over };
  },
  knows: ({ job, kind, tries, last, task }) => (job >= task.jobs ? { job, last } : { job, kind, tries, last }),
  scripts: {
    /** Believes the labels: tries the cheapest tool labeled with the right kind, then the next. */
    trusting({ ask, view }) {
      const last = view.seen.findLast((item) => item.kind === 'message');
      const text = last?.kind === 'message' ? last.text : '';
      const wanted = /Job: (\w+)\. Try (\d+)/.exec(text);
      const fit = [...text.matchAll(/tool (\d+): (\w+), cost ([\d.]+)/g)].filter(([, , kind]) => kind === wanted?.[1]);
      const sorted = fit.sort((a, b) => Number(a[3]) - Number(b[3]));
      const pick = sorted[(Number(wanted?.[2] ?? 1) - 1) % Math.max(1, sorted.length)];
      return { text: pick === undefined ? (ask.choices ?? [])[0] : `[tool ${pick[1]}]` };
    },
    first: ({ ask }) => ({ text: (ask.choices ?? [])[0] }),
  },
});

/** Returns a tool of a shed: its kind, its true cost, and its label. */
export function toolAt({ shed, kinds, cost, honest }: Task, tool: number): { kind: number; cost: number; stated: number } {
  const dice = rng(shed, 'toolshed', tool);
  const cents = () => Math.round(100 * cost * dice.next()) / 100;
  const kind = tool < kinds ? tool : dice.int(kinds);
  const truth = cents();
  const other = cents();
  return { kind, cost: truth, stated: dice.next() < honest ? truth : other };
}

function textAt({ kind, tries, last }: State, task: Task): string {
  const labels = Array.from({ length: task.tools }, (_, i) => {
    const { kind: does, stated } = toolAt(task, i);
    return `tool ${i + 1}: ${jobs[does]}, cost ${stated}`;
  });
  return `${last === '' ? '' : `${last} `}Job: ${jobs[kind]}. Try ${tries + 1} of ${task.tries}.\nShed: ${labels.join('; ')}.`;
}
