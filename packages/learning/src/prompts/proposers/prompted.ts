/** @file A proposer based on requests to a model: the engine defines the prompt and how the answer is parsed. */

import { type AgentSpec, charged, type Lesson, type Model, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import type { Proposer, ProposerInput } from '../engine.ts';
import { roomOf } from './prompt-room.ts';

/** Asks the model once; the call is charged and limited like every other. */
export type AskModel = (content: string) => Promise<string>;

export interface PromptedOptions {
  readonly name: string;
  readonly model: Model;
  readonly maxTokens?: number;
  /** Creates new specs with as many requests as needed; reports to `round.refuse` why there are none. */
  improve(spec: AgentSpec, lessons: readonly Lesson[], ask: AskModel, round: ProposerInput): Promise<readonly AgentSpec[]>;
}

export function promptedProposer({ name, model: inputModel, maxTokens = 800, improve }: PromptedOptions): Proposer {
  const model = charged(inputModel);
  return {
    name: `${name}:${model.id}`,
    improver: (round) => ({
      name: model.id,
      async improve(spec, lessons, signal) {
        const room = await roomOf(inputModel, maxTokens);
        const ask: AskModel = async (content) => {
          const call = await model.complete(
            { messages: [{ role: 'user', content: room.fitting([content, content.slice(0, 12_000), content.slice(0, 4000)]) }] },
            { maxTokens: room.answer, temperature: 0.7, seed: round.rng.int(2 ** 31) },
            signal,
          );
          round.paid(call);
          return call.text.replace(/<think>.*?(?:<\/think>|$)/gs, '').trim();
        };
        return improve(spec, lessons, ask, round);
      },
    }),
  };
}

/** An episode as text for a proposer, with its score; its content cannot close the block. */
export function lessonBlock(lesson: Lesson, name: string, longest = 2000): string {
  const text = textOf(viewOf(lesson.episode.events, lesson.seat)).trim();
  const visibleText = text.length > longest ? `…${text.slice(-longest)}` : text;
  const { value = null, reason } = lesson.scores[0] ?? {};
  const verdict = reason === undefined ? '' : `\n(The scorer says: ${reason.slice(0, 500)})`;
  return `<${name} score="${value === null ? 'none' : value.toFixed(2)}">\n${escapeBlocks(`${visibleText}${verdict}`)}\n</${name}>`;
}

/** Escapes external text, so that it cannot close its block. */
export function escapeBlocks(text: string): string {
  return text.replace(/<(\/?[a-z])/gi, '‹$1');
}
