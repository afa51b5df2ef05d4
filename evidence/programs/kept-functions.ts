/**
 * @file Series of 20 tasks that share two hidden computations. A task needs one of them, or one after the other. An agent acts with
 * code, and keeps functions that pass the task's three worked examples as tests. A script replaces the model that writes: it makes a
 * mistake in three of ten functions, and calls functions that it is shown.
 *
 * Options: box ("kept": functions last for the series; "gone": for the task; "other": for the series, which starts with faulty
 * functions of the same names), seed. Prints the model calls per task, the share of right answers, and the uses of functions from
 * earlier tasks.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { readMind } from '@ludus-agents/agents/internal/mind/mind';
import type { KeptTool } from '@ludus-agents/agents/internal/tools/kept-tools';
import type { Action, AgentSpec, AnyEnvironment, Json, Prompt, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { scripts } from './_stages.ts';

const [series, tasks] = [2, 20];
const examples = [3, 10, 12];
const names = ['crc', 'mix'];

interface Computation {
  readonly factor: number;
  readonly shift: number;
}

type Job = { readonly needs: readonly string[]; readonly number: number };

const apply = ({ factor, shift }: Computation, number: number) => (factor * number + shift) % 97;

function taskOf(job: Job, computations: ReadonlyMap<string, Computation>): AnyEnvironment {
  const rules = job.needs.map((name) => {
    const computation = computations.get(name) as Computation;
    return `${name} is ${computation.factor} times its number plus ${computation.shift}, modulo 97: ${examples.map((x) => `${name} of ${x} is ${apply(computation, x)}`).join(', ')}.`;
  });
  const right = job.needs.reduce((value, name) => apply(computations.get(name) as Computation, value), job.number);
  const wanted = [...job.needs].reverse().join(' of the ');
  return {
    id: 'computations@1',
    about: { summary: 'A computation.', tasks: [{}], turns: 1 },
    parameters: {},
    task: () => ({}),
    seats: () => ['solver'],
    start: () => ({
      state: {},
      messages: [{ to: ['solver'], text: `What is the ${wanted} of ${job.number}? ${rules.join(' ')}` }],
      asks: [{ seat: 'solver' }],
    }),
    step: (state: object, actions: Readonly<Record<string, Action>>) => ({
      state,
      messages: [],
      asks: [],
      rewards: { solver: actions['solver']?.text.trim() === String(right) ? 1 : 0 },
    }),
  };
}

/** Writes what is missing, with a slip in three of ten, and calls what there is. */
function writerBy(job: () => Job, computations: ReadonlyMap<string, Computation>, dice: Rng) {
  return ({ messages }: Prompt): string => {
    const text = messages.map(({ content }) => content).join('\n');
    const { needs, number } = job();
    const missing = needs.find((name) => !text.includes(`box.${name}(${examples[0]}) gives`) && !text.includes(`Kept: box.${name}`));
    const block = (program: string) => `\`\`\`js\n${program}\n\`\`\``;
    if (missing === undefined)
      return block(`await move(String(${needs.reduce((inner, name) => `box.${name}(${inner})`, String(number))}));`);
    const { factor, shift } = computations.get(missing) as Computation;
    const slip = dice.next() < 0.3 ? 1 : 0;
    const tests = examples.map((x) => `{ args: [${x}], result: ${apply({ factor, shift }, x)} }`).join(', ');
    return block(`await keep({ name: '${missing}', code: '(x) => (${factor} * x + ${shift + slip}) % 97', tests: [${tests}] });`);
  };
}

export default async function run({ box: arm = 'kept', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  let [calls, right, reused] = [0, 0, 0];
  const settings = { architecture: 'code', steps: 8, lasting: arm !== 'gone' };
  const spec: AgentSpec = { name: 'solver', kind: 'llm', model: 'writer', settings };
  for (let at = 0; at < series; at++) {
    const dice = rng(Number(seed), 'series', at);
    const computations = new Map(names.map((name): [string, Computation] => [name, { factor: 3 + dice.int(40), shift: dice.int(97) }]));
    let box: readonly KeptTool[] = [];
    let job: Job = { needs: [], number: 0 };
    const model = stage.writer(writerBy(() => job, computations, dice));
    for (let task = 0; task < tasks; task++) {
      job = { needs: dice.pick([['crc'], ['mix'], ['crc', 'mix'], ['mix', 'crc']]), number: 100 + dice.int(900) };
      const before = box;
      const world = taskOf(job, computations);
      const load = createAgentLoader({ model: async () => model, toolbox: async () => before });
      const { events, returns } = await playOne(
        world,
        { solver: await load(spec, 'solver', world) },
        {},
        Number(seed) * 1000 + at * 100 + task,
      );
      const act = events.find((event) => event.kind === 'action');
      if (act?.kind !== 'action') throw new Error(JSON.stringify(events.at(-1)));
      calls += (act.calls?.length ?? 0) / (series * tasks);
      right += (returns['solver'] ?? 0) / (series * tasks);
      reused += job.needs.filter((name) => before.some((tool) => tool.name === name)).length;
      if (arm !== 'gone') box = readMind(act.mind)?.box ?? [];
    }
  }
  return { calls, right, reused };
}
