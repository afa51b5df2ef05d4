/**
 * @file Who plays in a program: scripts and rules, or a language model in their place, inside the product's own agents. The model is
 * taught by what the scripts and rules were asked and answered on other material, and then frozen.
 */

import { readSettings } from '@ludus-agents/agents/internal/llm/settings';
import { viewAgent } from '@ludus-agents/agents/internal/llm/view-agent';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import type { Agent, Json, Model, ModelCall, Prompt, Rng, Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Lesson, TaughtModel } from './_taught.ts';

type Rule = (prompt: Prompt, dice: Rng) => string;

/** Players and writers of an experiment. */
export interface Stage {
  /** A player: a script, or a language agent that was taught by it; the agent reads its card first. */
  player(script: Agent, card?: string): Agent;
  /** A model: a rule, or a language model that was taught by it. */
  writer(rule: Rule, seed?: Seed): Model;
  /** What takes long and is the same in several arms. */
  once<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Scripts and rules themselves. */
export const scripts: Stage = {
  player: (script) => script,
  once: (_, work) => work(),
  writer: (answers, seed) => fakeModel({ id: 'fake/rule', answers, ...(seed !== undefined && { seed }) }),
};

/** Scripts and rules, of which every question and answer becomes a lesson. */
export function teachers(lessons: Lesson[]): Stage {
  const taking = (rule: Rule, seed?: Seed): Model => {
    const model = scripts.writer(rule, seed);
    return {
      ...model,
      async complete(prompt, sampling, signal) {
        const call = await model.complete(prompt, sampling, signal);
        lessons.push({ prompt: textOf(prompt), answer: call.text });
        return call;
      },
    };
  };
  return {
    once: (_, work) => work(),
    writer: taking,
    player: (script, card) =>
      asPlayer(script, card, async (turn, signal) => {
        const { action, mind } = await script.act(turn, signal);
        return { model: taking(() => action.text), mind };
      }),
  };
}

const stages = new WeakMap<TaughtModel, Stage>();

/** A taught model in the place of all scripts and rules. */
export function apprentices(taught: TaughtModel): Stage {
  const model: Model = {
    id: 'apprentice',
    price: null,
    complete: async (prompt) => callOf(prompt, (await taught.answers([textOf(prompt)]))[0]),
  };
  const done = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const result = done.get(key) ?? work();
    done.set(key, result);
    return result as Promise<T>;
  };
  const stage: Stage = stages.get(taught) ?? {
    writer: () => model,
    player: (script, card) => asPlayer(script, card, async () => ({ model })),
    once,
  };
  stages.set(taught, stage);
  return stage;
}

/** The product's language agent, which reads what its seat has seen, word for word. A script that teaches keeps its own mind. */
function asPlayer(
  { name, speaks }: Agent,
  card: string | undefined,
  modelFor: (...turn: Parameters<Agent['act']>) => Promise<{ readonly model: Model; readonly mind?: Json | undefined }>,
): Agent {
  const spec = {
    name,
    kind: 'llm',
    settings: { prompt: 'view', choose: 'listed' },
    ...(card !== undefined && { texts: { instruction: card } }),
  };
  const settings = readSettings(spec, null);
  return {
    name,
    ...(speaks !== undefined && { speaks }),
    async act(turn, signal) {
      const { model, mind } = await modelFor(turn, signal);
      const reply = await viewAgent({ spec, model, settings }).act(turn, signal);
      return mind === undefined ? reply : { ...reply, mind };
    },
  };
}

/** The most characters that a taught model reads: the beginning and the end of a longer prompt. */
const [head, tail] = [900, 2300];

function textOf({ messages }: Prompt): string {
  const text = messages.map(({ role, content }) => (role === 'assistant' ? `You: ${content}` : content)).join('\n');
  return text.length <= head + tail ? text : `${text.slice(0, head)}\n…\n${text.slice(-tail)}`;
}

function callOf(prompt: Prompt, text: string): ModelCall {
  return { model: 'apprentice', prompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
}
