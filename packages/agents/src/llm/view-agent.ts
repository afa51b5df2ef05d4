/**
 * @file A language agent whose prompt is what its seat has seen, word for word, and nothing else: the way in which a learner is trained that
 * plays by its views. It has no mind: everything it knows is in the log.
 */

import {
  type Agent,
  type AgentSpec,
  chatOf,
  Fault,
  type Model,
  type Prompt,
  type Reply,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { type ParsedAnswer, readAnswer } from './answer.ts';
import { moveIn, scoredMove, withNote } from './moves.ts';
import { imagesIn, withImages } from './prompt.ts';
import type { LlmSettings } from './settings.ts';

/** What is asked when a view is put before a model. */
function viewPrompt(turn: Turn, images: number): Prompt {
  return { messages: withImages(chatOf(turn.view), imagesIn(turn, images)) };
}

interface ViewAgentOptions {
  readonly spec: AgentSpec;
  readonly model: Model;
  readonly settings: LlmSettings;
  /** The world lists every move it accepts, so that an answer can be held to one of them. */
  readonly complete?: boolean | undefined;
  readonly seeded?: boolean | undefined;
}

/** The default maximum length of an answer in tokens. */
const usualAnswer = 150;

export function viewAgent({ spec, model, settings, complete, seeded }: ViewAgentOptions): Agent {
  const more = ['persona', 'texts', 'notes', 'tools'].filter((name) => spec[name as keyof AgentSpec] !== undefined);
  if (more.length > 0)
    throw new Fault(
      'input',
      `${spec.name}: a "view" prompt contains only what the seat has seen, so ${more.join(', ')} would be ignored. Remove them, or set "prompt" to "full" or "compact".`,
    );
  return {
    name: spec.name,
    async act(turn: Turn, signal: AbortSignal): Promise<Reply> {
      const prompt = viewPrompt(turn, settings.images ?? 0);
      const moves = complete === true || settings.choose === 'listed' ? (turn.ask.choices ?? []) : [];
      if (settings.choose === 'score' && moves.length > 0) {
        const { answer, calls } = await scoredMove(model, { prompt, moves, who: spec.name }, signal);
        return { action: { text: answer.action }, calls };
      }
      const sampling = {
        ...(model.usual?.maxTokens === undefined ? { maxTokens: usualAnswer } : {}),
        ...settings.sampling,
        ...(seeded === true ? { seed: turn.rng.int(2 ** 31) } : {}),
        ...(moves.length > 0 ? { choices: moves } : {}),
      };
      const call = await model.complete(prompt, sampling, signal);
      const answer: ParsedAnswer = readAnswer(call.text, 'plain');
      const { text, note } = moveIn(answer, moves);
      return { action: { text }, calls: [withNote(call, note)] };
    },
  };
}
