/** @file The checks of a training's written tasks: the named ones, or those of its proposer that apply to the environment. */

import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { LibraryDocument } from '@ludus-agents/environments/internal/library/corpus';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import type { AnyEnvironment, Environment, Json, Policy, Seat } from '@ludus-agents/kernel/internal/core/index';
import { parameter, readTask, rng } from '@ludus-agents/kernel/internal/core/index';
import { createCheck, type TaskCheck } from '../curricula/proposers/checks.ts';
import type { QuestionReader } from '../curricula/proposers/question.ts';
import { policyFor } from './seat-policies.ts';

interface CheckedGround {
  readonly environment: AnyEnvironment;
  readonly seat: Seat;
  readonly others: Readonly<Record<Seat, Policy>>;
  readonly cwd: string;
  readonly trust: Trust;
}

/** The checks by name on a ground. */
export function checksBy(
  names: readonly string[],
  { environment, seat, others, cwd, trust }: CheckedGround,
): Promise<readonly TaskCheck[]> {
  const agent = (name: string) => policyFor(name, { seat, environment, cwd, trust });
  const reader = async (name: string): Promise<QuestionReader> =>
    readerBy(await policyFor(name, { seat: 'reader', environment: answering, cwd, trust }));
  return Promise.all(names.map((name) => createCheck(name, { environment, seat, others, agent, reader })));
}

/** Named checks all apply. A proposer's default checks are skipped, with a message, if the environment does not support them. */
export async function taskChecks(
  named: readonly string[] | undefined,
  usual: readonly string[],
  ground: CheckedGround & { readonly base: Json; readonly say: (sentence: string) => void },
): Promise<readonly TaskCheck[]> {
  if (named !== undefined) return checksBy(named, ground);
  const fit = usual.filter((name) => applies(name, ground));
  const missing = usual.filter((name) => !fit.includes(name));
  if (missing.length > 0)
    ground.say(
      `${ground.environment.id} has nothing for the check ${missing.join(', ')}; written tasks pass without it. Name other checks with coevolution.checks.`,
    );
  return checksBy(fit, ground);
}

/** The node limit for trees built to check tasks. */
const mostNodes = 20_000;

function applies(name: string, { environment, base }: { readonly environment: AnyEnvironment; readonly base: Json }): boolean {
  if (name === 'program') return Object.hasOwn(environment.parameters, 'program');
  if (name === 'retrieval') return environment.documents !== undefined || Object.hasOwn(environment.parameters, 'documents');
  if (name !== 'winnable' || environment.winnable !== undefined) return true;
  try {
    gameTree(environment, environment.task(base), mostNodes);
    return true;
  } catch {
    return false;
  }
}

const parameters = { question: parameter.string({ default: '', description: 'the question and its documents' }) } as const;

/** One question about some documents, for agents that check others' questions. */
const answering: Environment<{ readonly over: boolean }, { readonly question: string }> = {
  id: 'answering@1',
  about: { summary: 'A reader answers a question from the documents that it is shown, and from nothing else.', tasks: [{}], turns: 1 },
  parameters,
  task: (input) => readTask('answering', parameters, input),
  seats: () => ['reader'],
  start: ({ question }) => ({ state: { over: false }, messages: [{ to: ['reader'], text: question }], asks: [{ seat: 'reader' }] }),
  step: () => ({ state: { over: true }, messages: [], asks: [] }),
};

/** An agent that answers questions about documents. */
function readerBy(policy: Policy): QuestionReader {
  return async (question, documents) => {
    const pages = documents.map(({ id, text }: LibraryDocument) => `${id}\n${text}`).join('\n\n');
    const text = `${pages}\n\nQuestion: ${question}\nAnswer from these documents alone, with the answer and nothing else. Answer "unknown" if they do not tell.`;
    const message = { kind: 'message' as const, to: ['reader'], text };
    const [reply] = await policy.act([{ view: { seat: 'reader', seen: [message] }, ask: { seat: 'reader' }, rng: rng(0, 'reader', text) }]);
    return reply.action.text.trim().replace(/\.$/, '');
  };
}
