/**
 * @file Sums of eight digits, added one by one in steps of reasoning. The base model errs in a fifth of its steps, and the judge says
 * whether the latest step is right, with noise; scripts replace both. Options: structure, supervision, noise, calls, seed. Prints the
 * share of right answers over 100 problems, the calls, and the number of judged steps.
 */

import { searchAgent } from '@ludus-agents/agents/internal/search/agent';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import { type Json, type JsonObject, type Rng, rng, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const problems = 100;
const digits = 8;
const stepError = 0.2;

export default async function run(options: ProgramOptions): Promise<Json> {
  const { structure = 'tree', supervision = 'outcome', noise = 0.1, calls: budget = 40, seed = 1 } = options;
  let [right, calls, judged] = [0, 0, 0];
  for (let problem = 0; problem < problems; problem++) {
    const random = rng(Number(seed), 'sum', problem);
    const numbers = Array.from({ length: digits }, () => 1 + random.int(9));
    const base = scripted('base', (turn) => {
      calls++;
      return { text: nextStep(stepsIn(turn), numbers, random) };
    });
    const judge = scripted('judge', (turn) => {
      calls++;
      judged++;
      return { text: `Score: ${(10 * clamp(qualityOf(stepsIn(turn), numbers) + Number(noise) * gaussian(random))).toFixed(2)}` };
    });
    // A judged step costs two calls, a step of a chain one.
    const simulations = structure === 'chain' ? Number(budget) : Math.floor(Number(budget) / 2);
    const settings: JsonObject = {
      ...{ strategy: 'reasoning', structure, supervision, simulations, depth: digits + 2, width: 2, backup: 'max', exploration: 0.1 },
    };
    const agent = searchAgent({
      ...{ name: 'thinker', environment: 'sums', base, judge },
      settings: readSearch({ name: 'thinker', kind: 'search', settings }),
    });
    const question = { kind: 'message', to: ['solver'], text: `Add ${numbers.join(' + ')}.` } as const;
    const turn: Turn = { view: { seat: 'solver', seen: [question] }, ask: { seat: 'solver' }, rng: random };
    const { action } = await agent.act(turn, new AbortController().signal);
    const sum = numbers.reduce((total, number) => total + number, 0);
    if (action.text.replace('Answer: ', '') === String(sum)) right++;
  }
  return { accuracy: right / problems, calls: calls / problems, judged };
}

/** The partial sums that were written so far, and the answer where there is one. */
function stepsIn({ view }: Turn): readonly number[] {
  const text = view.seen.map((item) => (item.kind === 'message' ? item.text : '')).findLast((item) => item.startsWith('Your steps')) ?? '';
  return [...text.matchAll(/= (\d+)|Answer: (\d+)/g)].map(([, sum, answer]) => Number(sum ?? answer));
}

function nextStep(steps: readonly number[], numbers: readonly number[], random: Rng): string {
  const before = steps.length === 0 ? numbers[0] : steps[steps.length - 1];
  const next = numbers[steps.length + 1];
  if (next === undefined) return `Answer: ${before}`;
  const slip = random.next() < stepError ? random.pick([-2, -1, 1, 2]) : 0;
  return `Step: ${before} + ${next} = ${before + next + slip}`;
}

/** 1 where every step is right, 0 where the latest line has a wrong one. */
function qualityOf(steps: readonly number[], numbers: readonly number[]): number {
  let sum = numbers[0];
  for (const [i, step] of steps.entries()) {
    const next = numbers[i + 1];
    if (next !== undefined) sum += next;
    if (step !== sum) return 0.2;
  }
  return 0.5 + (0.4 * steps.length) / numbers.length;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function gaussian(random: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
