/**
 * @file Checks of written tasks, each small and named. A check refuses a task with a reason; if a check fails with an error, the task is
 * refused too. `ludus env tasks checks` measures them on planted bad tasks.
 */

import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { repeatedText } from '@ludus-agents/agents/internal/encoders/repeats';
import type { RecallEncoder } from '@ludus-agents/agents/internal/mind/relevance';
import { runtimeMissing } from '@ludus-agents/agents/internal/runtimes/runtimes';
import { runProgram } from '@ludus-agents/environments/internal/exam';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import type { AnyEnvironment, EpisodeEvent, Json, JsonObject, Policy, Seat } from '@ludus-agents/kernel/internal/core/index';
import { Fault, rng, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { documentsOf, type QuestionReader, questionIn, ruleReader, sameAnswer } from './question.ts';

/** A named test of a task: returns why it is refused, or null. */
export interface TaskCheck {
  readonly name: string;
  problem(task: Json): string | null | Promise<string | null>;
}

interface CheckPlace {
  readonly environment: AnyEnvironment;
  /** The solver's seat, and the policies on the others. */
  readonly seat: Seat;
  readonly others: Readonly<Record<Seat, Policy>>;
  /** An agent on the solver's seat, by name. */
  readonly agent: (name: string) => Promise<Policy>;
  /** An agent that answers a question from documents, by name. */
  readonly reader: (name: string) => Promise<QuestionReader>;
  /** Compares questions by meaning; the installed encoder by default. */
  readonly encoder?: RecallEncoder | undefined;
}

/** The checks by name; the agents that a check needs follow after a colon, joined by "+". */
export const checkNames = {
  winnable: 'the rules or its game tree show that it can be solved',
  program: 'its program runs in the sandbox and produces its answer',
  rewording: 'its question does not repeat an earlier one in other words; needs "ludus models setup minilm"',
  retrieval: 'the answer follows from its evidence among other documents, and not without it; retrieval:AGENT lets an agent answer',
  reference: 'reference:AGENT solves it at least once in four episodes',
  committee: 'committee:A+B+C: most attempts of these agents end with the same answer, and it is the right one',
} as const;

/** The check of a name such as "winnable" or "reference:scripted". */
export async function createCheck(name: string, place: CheckPlace): Promise<TaskCheck> {
  const [kind, ...rest] = name.split(':');
  const agents = rest
    .join(':')
    .split('+')
    .filter((agent) => agent !== '');
  if (kind === 'winnable') return { name, problem: winnable(place.environment) };
  if (kind === 'program') return { name, problem: (task) => programProblem(task) };
  if (kind === 'rewording') return { name, problem: rewordingProblem(place.encoder ?? recallEncoder()) };
  if (kind === 'retrieval') {
    const reader = agents[0] === undefined ? ruleReader : await place.reader(agents[0]);
    return { name, problem: (task) => retrievalProblem(task, place.environment, reader) };
  }
  if (kind === 'reference' || kind === 'committee') {
    if (agents.length === 0) throw new Fault('input', `The check "${kind}" needs agents, such as "${kind}:random".`);
    const policies = await Promise.all(agents.map((agent) => place.agent(agent)));
    return {
      name,
      problem: (task) => (kind === 'reference' ? unsolvedProblem(task, policies, place) : disagreement(task, policies, place)),
    };
  }
  throw new Fault('input', `Unknown check "${kind}". Available: ${Object.keys(checkNames).join(', ')}.`, { code: 'E_UNKNOWN_NAME' });
}

/** The first reason to refuse a task, with its check; null if all checks pass. */
export async function firstProblem(
  checks: readonly TaskCheck[],
  task: Json,
): Promise<{ readonly check: string; readonly problem: string } | null> {
  for (const check of checks) {
    const problem = await safeProblem(check, task);
    if (problem !== null) return { check: check.name, problem };
  }
  return null;
}

export async function safeProblem(check: TaskCheck, task: Json): Promise<string | null> {
  try {
    return await check.problem(task);
  } catch (thrown) {
    return `The check "${check.name}" failed: ${sentenceOf(thrown)}`;
  }
}

/** The node limit of a tree built to decide whether a task can be solved. */
const mostNodes = 20_000;

function winnable(environment: AnyEnvironment): TaskCheck['problem'] {
  const cache = new Map<string, boolean>();
  const test = (task: Json): boolean =>
    environment.winnable?.(task) ??
    gameTree(environment, task, mostNodes).nodes.some((node) => node.kind === 'terminal' && node.returns[0] > 0);
  return (task) => {
    const key = JSON.stringify(task);
    const isWinnable = cache.get(key) ?? test(task);
    cache.set(key, isWinnable);
    return isWinnable ? null : 'This task cannot be solved.';
  };
}

/** The number of earlier questions remembered, the same as of proposals. */
const mostQuestions = 100;

/** Refuses a question that rephrases an earlier one. Questions with different numbers or names are different. */
function rewordingProblem(encoder: RecallEncoder | undefined): TaskCheck['problem'] {
  if (encoder === undefined)
    throw new Fault('input', 'The check "rewording" compares questions by meaning. Install the encoder: ludus models setup minilm', {
      code: runtimeMissing,
    });
  let earlier: readonly string[] = [];
  return async (task) => {
    const question = questionIn(task)?.question;
    if (question === undefined) return null;
    const others = earlier.filter((item) => item !== question);
    const at = await repeatedText(question, others, encoder);
    earlier = [...earlier, question].slice(-mostQuestions);
    return at < 0 ? null : `It asks the same as "${others[at]}" (${encoder.name}).`;
  };
}

function programProblem(task: Json): string | null {
  const { program } = task as JsonObject;
  const written = questionIn(task);
  if (written === null || typeof program !== 'string' || program === '') return 'It has no question with an answer and a program.';
  const result = runProgram(program);
  if (result === null) return 'Its program fails.';
  return sameAnswer(result, written.answer) ? null : `Its program comes to ${result}, and its answer is ${written.answer}.`;
}

const fewestWords = 6;
const noiseDocuments = 4;

/** SSP (arXiv 2510.18821): the answer must follow from the writer's documents mixed with others, and not from the others alone. */
async function retrievalProblem(task: Json, environment: AnyEnvironment, reader: QuestionReader): Promise<string | null> {
  const written = questionIn(task);
  if (written === null || written.answer === '' || written.evidence.length === 0) return 'It has no question with an answer and evidence.';
  const { question, answer, evidence } = written;
  if (question.split(/\s+/).length < fewestWords) return `The question has fewer than ${fewestWords} words.`;
  if (question.toLowerCase().includes(answer.toLowerCase())) return 'The question contains its answer.';
  const documents = documentsOf(environment, task);
  const cited = documents.filter(({ id }) => evidence.includes(id));
  const others = rng(question.length, 'noise')
    .shuffle(documents.filter(({ id }) => !evidence.includes(id)))
    .slice(0, noiseDocuments);
  if (!sameAnswer(await reader(question, [...cited, ...others]), answer)) return 'The answer does not follow from its evidence.';
  return sameAnswer(await reader(question, others), answer) ? 'The answer follows without its evidence.' : null;
}

const referenceTries = 4;

async function unsolvedProblem(task: Json, policies: readonly Policy[], place: CheckPlace): Promise<string | null> {
  for (const policy of policies) for (const log of await attempts(task, policy, place)) if (returnOf(log, place.seat) > 0) return null;
  return `No reference agent solved it in ${referenceTries} episodes.`;
}

async function disagreement(task: Json, policies: readonly Policy[], place: CheckPlace): Promise<string | null> {
  const logs: (readonly EpisodeEvent[])[] = [];
  for (const policy of policies) logs.push(...(await attempts(task, policy, place)));
  const groups = Map.groupBy(logs, (log) => lastWords(log, place.seat));
  const [most] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (most === undefined || most.length <= logs.length / 2) return 'The committee does not agree on an answer.';
  return returnOf(most[0], place.seat) > 0 ? null : 'The committee agrees on another answer.';
}

async function attempts(task: Json, policy: Policy, { environment, seat, others }: CheckPlace) {
  const seeds = Array.from({ length: referenceTries }, (_, i) => i + 1);
  return rollout(environment, { ...others, [seat]: policy }, { seeds, task });
}

function returnOf(log: readonly EpisodeEvent[], seat: Seat): number {
  const end = log.at(-1);
  return end?.kind === 'end' ? (end.returns[seat] ?? 0) : 0;
}

/** The final message of a seat. */
export function lastWords(log: readonly EpisodeEvent[], seat: Seat): string {
  const last = log.findLast((event) => event.kind === 'action' && event.seat === seat);
  return last?.kind === 'action' ? last.action.text.trim().toLowerCase() : '';
}
