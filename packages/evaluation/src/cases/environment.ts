/** @file One question, one answer: the environment of suites made of cases. The rules of the case, if any, check the answer. */

import { type Environment, Fault, isObject, type Json, type Message, parameter, readTask } from '@ludus-agents/kernel/internal/core/index';
import { casesEnvironment, criteriaOf, messagesIn, type TestCase } from './case.ts';
import { checkAnswer } from './check-answer.ts';
import { matchRules } from './match-rules.ts';

const parameters = {
  id: parameter.string({ default: 'case', description: 'the name of the case in reports' }),
  input: parameter.string({ default: 'Answer with the word yes.', description: 'what the agent is sent' }),
  expected: parameter.json({ default: null, description: 'the expected answer' }),
  match: parameter.choice({ options: ['', ...matchRules], default: '', description: 'how the answer is compared with the expected one' }),
  regex: parameter.string({ default: '', description: 'a regular expression that the answer must match' }),
  schema: parameter.json({ default: null, description: 'a JSON Schema for the answer' }),
  paths: parameter.json({ default: null, description: 'expected values at paths of the answer, parsed as JSON' }),
  rubric: parameter.string({ default: '', description: 'what a grader looks for, one criterion on each line' }),
  conversation: parameter.json({ default: null, description: 'the messages before the input, each with from and text' }),
  data: parameter.json({ default: null, description: 'other columns, for a program that checks answers' }),
} as const;

type State = { readonly task: Json; readonly answer: string | null };

const longest = 20_000;

export const cases: Environment<State, Json> = {
  id: 'cases@1',
  about: {
    summary:
      'The agent is sent the input of a case and answers once. The reward is the share of checks that the answer passes: the expected answer, a regular expression, JSON. A rubric or a program is left to a scorer.',
    tasks: [
      { id: 'sum', input: 'What is 2 + 3? Answer with the number.', expected: '5' },
      { id: 'json', input: 'Order two teas as {"item", "count"}.', paths: { item: 'tea', count: 2 } },
      { id: 'date', input: 'When does the shop open on Sunday? Answer like 9:00.', regex: '^\\d+:\\d\\d$' },
    ],
    turns: 1,
    taskDice: true,
    bare: true,
  },
  parameters,
  task: (input) => caseTask(readCaseTask(input)),
  seats: () => ['agent'],
  start(task) {
    const { input, conversation = [] } = readCaseTask(task);
    const messages = [
      ...conversation.map(({ from, text }) => ({ to: ['agent'], text: `${from}: ${text}` })),
      { to: ['agent'], text: input },
    ];
    return { state: { task, answer: null }, messages, asks: [{ seat: 'agent' }] };
  },
  step({ task }, actions) {
    const testCase = readCaseTask(task);
    const answer = (actions['agent']?.text ?? '').trim().slice(0, longest).toWellFormed();
    const check = checkAnswer(testCase, answer);
    const message: Message = { to: ['agent'], text: feedback(testCase, check?.problems ?? []) };
    return { state: { task, answer }, messages: [message], asks: [], ...(check === null ? {} : { rewards: { agent: check.score } }) };
  },
  knows({ task, answer }) {
    const { input, conversation } = readCaseTask(task);
    return { input, answer, ...(conversation !== undefined && { conversation }) };
  },
  scripts: {
    // The null agent copies its input.
    echo: ({ view }) => ({ text: view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).at(-1) ?? '' }),
  },
};

/** The feedback after the last answer. The agent is not asked again; proposers read it. */
function feedback(testCase: TestCase, problems: readonly string[]): string {
  if (problems.length > 0) return `Wrong: ${problems.join('; ')}.`;
  return criteriaOf(testCase).length > 0 ? 'The answer is recorded.' : 'The answer passes the checks of this case.';
}

/** A case as a task, without its undefined fields. */
function caseTask(testCase: TestCase): Json {
  return Object.fromEntries(Object.entries(testCase).filter(([, value]) => value !== undefined)) as Json;
}

export function readCaseTask(input: Json): TestCase {
  const task = readTask(casesEnvironment, parameters, input);
  const { id, input: question, expected, match, regex, schema, paths, rubric, conversation, data } = task;
  for (const [name, value] of Object.entries({ paths, data }))
    if (value !== null && !isObject(value))
      throw new Fault('input', `cases: "${name}" must be an object, got ${JSON.stringify(value).slice(0, 60)}.`);
  return {
    ...{ id, input: question },
    ...(expected === null ? {} : { expected }),
    ...(match === '' ? {} : { match: match as Exclude<TestCase['match'], undefined> }),
    ...(regex === '' ? {} : { regex }),
    ...(schema === null ? {} : { schema }),
    ...(paths === null ? {} : { paths: paths as Exclude<TestCase['paths'], undefined> }),
    ...(rubric === '' ? {} : { rubric }),
    ...(conversation === null ? {} : { conversation: messagesIn(conversation, 'cases, conversation') }),
    ...(data === null ? {} : { data: data as Exclude<TestCase['data'], undefined> }),
  };
}
