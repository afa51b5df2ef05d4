/**
 * @file Word problems, and training rows made from them by the pipeline "mmat": a rationale, a program that is run, and a reflection. A
 * language model is trained on these rows and works in the same way, with a tool that runs its programs.
 *
 * Options: rows ("tool", "rationale", or "answer"), server, seed. Prints the share of right answers to fresh problems, and the number
 * of programs that ran.
 */

import { runCode } from '@ludus-agents/agents/internal/tools/sandbox';
import { type Json, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { mmat } from '@ludus-agents/learning/internal/pipelines/mmat';
import type { KnownQuestion, MadeItem, MakeSteps } from '@ludus-agents/learning/internal/pipelines/pipeline';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { type Lesson, taught } from './_taught.ts';

interface Problem extends KnownQuestion {
  readonly numbers: readonly [number, number, number];
}

const places = ['farm', 'ship', 'shop', 'mill', 'school', 'camp'];
const goods = ['eggs', 'nails', 'books', 'plums', 'coins', 'tiles'];

export default async function run({ rows = 'tool', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const lessons = async () => (await madeRows(Number(seed))).flatMap(({ problem, item }) => lessonsOf(String(rows), problem, item));
  const model = await taught({ key: `problems ${rows}`, server: String(server), seed: Number(seed), lessons, steps: 120, answer: 64 });
  const random = rng(Number(seed), 'fresh problems');
  const problems = Array.from({ length: 100 }, () => problemOf(random));
  const first = await model.answers(problems.map(({ question }) => question));
  const programs = first.map(codeIn);
  const results = await forEachOf(programs, async (text) => (text === null ? null : runCode(text)));
  const second = await model.answers(
    problems.map(({ question }, i) => {
      const result = results[i];
      return result === null ? question : withResult(question, first[i], result.ok ? String(result.value) : result.problem);
    }),
  );
  const right = problems.filter(({ answer }, i) => answerIn(results[i] === null ? first[i] : second[i]) === answer).length;
  return { right: right / problems.length, programs: programs.filter((text) => text !== null).length };
}

function problemOf(random: Rng): Problem {
  const numbers = [12 + random.int(80), 12 + random.int(80), 10 + random.int(90)] as const;
  const [a, b, c] = numbers;
  const [place, good] = [random.pick(places), random.pick(goods)];
  const question = `A ${place} has ${a} boxes of ${b} ${good} each, and ${c} ${good} more. How many ${good} are there?`;
  return { question, answer: String(a * b + c), numbers };
}

/** Rows that the pipeline keeps. The writer names a result at a glance, wrong in a third of its drafts, and fixes it once the program has run. */
async function madeRows(seed: number): Promise<readonly { readonly problem: Problem; readonly item: MadeItem }[]> {
  const random = rng(seed, 'problems');
  const problems = Array.from({ length: 300 }, () => problemOf(random));
  const rows = await forEachOf(problems, async (problem, item) => {
    const dice = rng(seed, 'problem', item);
    const ask = async (step: string, _: unknown, options?: { readonly facts?: JsonObject }) =>
      replyOf(step, problem, options?.facts ?? {}, dice.next() < 1 / 3);
    const steps: MakeSteps = {
      ...{ item, dice, ask, judges: 0, source: { kind: 'questions', questions: problems } },
      async run(_, code) {
        const result = await runCode(code);
        return { ok: result.ok, text: result.ok ? JSON.stringify(result.value) : result.problem };
      },
      poll: async () => [],
      agree: async () => false,
      reads: () => 'answer',
    };
    const outcome = await mmat.make(steps);
    return 'kept' in outcome ? [{ problem, item: outcome.kept }] : [];
  });
  return rows.flat();
}

function replyOf(step: string, { numbers: [a, b, c], answer }: Problem, facts: JsonObject, slips: boolean): string {
  const glance = slips ? ` At a glance the result is ${answer}7.` : '';
  if (step === 'rationale') return `Thought: I multiply ${a} by ${b} and add ${c}.${glance}\nCode: return ${a} * ${b} + ${c};`;
  return `Thought: I multiply ${a} by ${b} and add ${c}. The result is ${facts['value']}.\nAnswer: ${facts['value']}`;
}

/** The turns of the assistant in a row, or a rationale without its tool, or the answer alone. */
function lessonsOf(rows: string, { question, answer, numbers: [a, b, c] }: Problem, { messages }: MadeItem): readonly Lesson[] {
  if (rows === 'answer') return [{ prompt: question, answer: `Answer: ${answer}` }];
  if (rows === 'rationale')
    return [{ prompt: question, answer: `I multiply ${a} by ${b} and add ${c}: ${a * b} + ${c} = ${answer}.\nAnswer: ${answer}` }];
  const [, call, result, last] = messages;
  const code = call.toolCalls?.map(({ arguments: input }) => String((input as JsonObject)['code'])).join('\n');
  const draft = `${call.content}\nCode: ${code}`;
  return [
    { prompt: question, answer: draft },
    { prompt: withResult(question, draft, result.content), answer: last.content },
  ];
}

function withResult(question: string, draft: string, result: string): string {
  return `${question}\n${draft}\nResult: ${result}`;
}

function codeIn(text: string): string | null {
  return /^Code: (.+)$/m.exec(text)?.[1] ?? null;
}

function answerIn(text: string): string {
  return /^Answer: (\S+)$/m.exec(text)?.[1] ?? '';
}
