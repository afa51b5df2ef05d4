/**
 * @file A learner with a partial view: it plays through the same prompts as any language agent, with a window, a summary or a memo, and
 * with tools. Its calls are logged with their tokens, so that it is trained on exactly its input; its notes to itself are among the written
 * tokens, messages and tool results among the input tokens.
 */

import { type LlmOptions, llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { cutTo, estimate } from '@ludus-agents/agents/internal/mind/budget';
import { createToolSet } from '@ludus-agents/agents/internal/workspace/tools';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type {
  Agent,
  AnyEnvironment,
  JsonObject,
  Learner,
  Model,
  ModelCall,
  Policy,
  PromptCall,
  PromptForm,
  Reply,
  Seat,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, listsMoves, rng } from '@ludus-agents/kernel/internal/core/index';
import { unlistedMoves } from '../learners/tabular.ts';
import type { LearnerView } from '../rl/recipe.ts';
import { gather, WeightGate } from '../rl/weight-gate.ts';

/** A view that is rendered as prompts. */
export type PromptView = Extract<LearnerView, { readonly tokens: number }>;

export function isPromptView(view: LearnerView | undefined): view is PromptView {
  return view !== undefined && 'tokens' in view;
}

/** The default token limit of a memo or summary. */
const usualMemo = 40;

const contexts = { window: 'window', summary: 'summary', memo: 'constant' } as const;

/** Whether answers have several parts: a memo or summary next to the move. */
function writesMemos(view: PromptView): boolean {
  return view.kind !== 'window';
}

interface Place {
  readonly environment: AnyEnvironment;
  readonly cwd: string;
  /** The origin of the names in the recipe. */
  readonly trust: Trust;
}

/** The settings of the language agent that writes a view's prompts. */
function settingsOfView(view: PromptView): JsonObject {
  const { kind, tokens, memo = usualMemo, tools = [], steps = 4 } = view;
  return {
    prompt: 'compact',
    answer: writesMemos(view) || view.thoughts === true ? 'labels' : 'plain',
    context: contexts[kind],
    memory: 'off',
    tail: 50,
    budget: tokens,
    memo,
    ...(tools.length > 0 && { architecture: 'react', steps }),
  };
}

/** The prompt form of a learner under a view, stored with its weights: it samples with temperature 1 and writes at most `answer` tokens. */
export function formOfView(view: LearnerView | undefined, answer: number): Pick<PromptForm, 'settings' | 'tools'> {
  if (!isPromptView(view)) return { settings: { prompt: 'view', temperature: 1, maxTokens: answer } };
  return { settings: { ...settingsOfView(view), temperature: 1 }, ...(view.tools !== undefined && { tools: view.tools }) };
}

/** The language agent of a seat with the given model. */
export function agentOfView(view: PromptView, model: Model, seat: Seat, { environment, cwd, trust }: Place): Promise<Agent> {
  const { tools = [] } = view;
  const settings = settingsOfView(view);
  const options: LlmOptions = {
    spec: { name: model.id, kind: 'llm', settings, ...(tools.length > 0 && { tools }) },
    ...{ seat, model, seeded: true, complete: listsMoves(environment.about) },
    ...(tools.length > 0 && { tools: createToolSet(cwd, trust) }),
  };
  return llmAgent(options);
}

/** The policy of a learner under a view. Concurrent prompts are batched; with a gate, also those that arrived while it was closed. */
export function viewPolicy(learner: Learner, view: PromptView, place: Place, gate?: WeightGate): Policy {
  if (learner.rowFor === undefined) return choosingPolicy(learner, view, place);
  const model = gatherModel(learner, gate);
  const agents = new Map<Seat, Promise<Agent>>();
  const { signal } = new AbortController();
  const agentAt = (seat: Seat) => {
    const agent = agents.get(seat) ?? agentOfView(view, model, seat, place);
    agents.set(seat, agent);
    return agent;
  };
  return {
    name: learner.id,
    act(turns: readonly Turn[]) {
      return model.during(() => Promise.all(turns.map(async (turn) => (await agentAt(turn.ask.seat)).act(turn, signal))));
    },
  };
}

/** All answers to a turn in the prompts' form: each move, combined with each visible item as the memo or thought, if one is written. */
export function answersTo(turn: Turn, view: PromptView, moves: readonly string[] = turn.ask.choices ?? []): readonly string[] {
  const isMemo = writesMemos(view);
  if (!isMemo && view.thoughts !== true) return moves;
  const notes = thingsInSight(turn).map((note) => cutTo(note, view.memo ?? usualMemo, estimate));
  const label = isMemo ? 'Memo' : 'Thought';
  return [...new Set(notes.length === 0 ? ['-'] : notes)].flatMap((note) => moves.map((move) => `${label}: ${note}\nAction: ${move}`));
}

/** The previous memo, and the first line of each message since the last answer. */
function thingsInSight({ view, mind }: Turn): readonly string[] {
  const memo = (mind as { readonly memo?: { readonly text: string } } | undefined)?.memo?.text;
  const from = view.seen.findLastIndex(({ kind }) => kind === 'action') + 1;
  const statements = view.seen.slice(from).flatMap((item) => (item.kind === 'message' ? [item.text.split('\n', 1)[0]] : []));
  return [...(memo === undefined ? [] : [memo]), ...statements];
}

/** A learner that chooses among listed answers, such as a table, reads the same prompts and gets the list of possible answers. */
function choosingPolicy(learner: Learner, view: PromptView, place: Place): Policy {
  if ((view.tools ?? []).length > 0)
    throw new Fault('input', `${learner.id} chooses among listed answers, so it cannot call tools. Train a language model to use tools.`);
  let current: Turn | null = null;
  const model: Model = {
    id: learner.id,
    price: learner.price ?? null,
    complete(prompt, sampling, signal) {
      const choices = answersTo(current!, view);
      if (choices.length === 0) throw unlistedMoves(learner.id, current!.ask.seat);
      return learner.complete(prompt, { ...sampling, choices }, signal);
    },
  };
  const agents = new Map<Seat, Agent>();
  const { signal } = new AbortController();
  const answerAll = async (turns: readonly Turn[]) => {
    const replies: Reply[] = [];
    for (const turn of turns) {
      const { seat } = turn.ask;
      const agent = agents.get(seat) ?? (await agentOfView(view, model, seat, place));
      agents.set(seat, agent);
      current = turn;
      replies.push(await agent.act(turn, signal));
    }
    return replies;
  };
  // Overlapping episodes run one turn after another, because the model answers for the current one.
  let before: Promise<unknown> = Promise.resolve();
  return {
    name: learner.id,
    act(turns: readonly Turn[]) {
      const answered = before.then(() => answerAll(turns));
      before = answered.catch(() => {});
      return answered;
    },
  };
}

/** A model whose concurrent calls form one batch. Each call of a turn has its own random generator. */
function gatherModel(learner: Learner, gate?: WeightGate): Model & { readonly during: <T>(play: () => Promise<T>) => Promise<T> } {
  /** The number of calls of each active turn, by its random generator. */
  const calls = new Map<number, number>();
  let underway = 0;
  const { signal } = new AbortController();
  const answer = gather<PromptCall, ModelCall>(gate ?? new WeightGate({ concurrent: true }), async (prompts) => {
    const all = learner.completeAll?.(prompts, signal);
    const answers = await (all ?? Promise.all(prompts.map(({ prompt, sampling }) => learner.complete(prompt, sampling, signal))));
    return gate?.stamped(answers) ?? answers;
  });
  return {
    id: learner.id,
    price: learner.price ?? null,
    async during(play) {
      underway++;
      try {
        return await play();
      } finally {
        if (--underway === 0) calls.clear();
      }
    },
    complete(prompt, { seed = 0, ...sampling }) {
      const before = calls.get(seed) ?? 0;
      calls.set(seed, before + 1);
      const dice = before === 0 ? seed : rng(seed, 'call', before).int(2 ** 31);
      return answer({ prompt, sampling: { ...sampling, seed: dice } });
    },
  };
}
