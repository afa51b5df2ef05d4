/**
 * @file Writes comments on moves: reasons, critiques. A model is asked outside of the game, by a prompt with the seat's view and the move,
 * so that it answers with a sentence and not with a move.
 */

import { readSeatSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { type AnyEnvironment, type Model, type Policy, type Seat, textOf } from '@ludus-agents/kernel/internal/core/index';
import { policyFor } from './seat-policies.ts';

/** The maximum tokens of one comment. */
const mostTokens = 80;

export async function reviewerFor(
  name: string,
  place: NamingPlace & { readonly seat: Seat; readonly environment: AnyEnvironment },
): Promise<Policy> {
  const { environment, seat, cwd, trust } = place;
  if (name === 'random' || Object.hasOwn(environment.scripts ?? {}, name)) return policyFor(name, place);
  const { kind, model } = await readSeatSpec(name, seat, { cwd, trust });
  return kind === 'llm' && model !== undefined ? modelReviewer(await loadModel(model, cwd, trust)) : policyFor(name, place);
}

/** A model that comments on moves: the last message of the view names the move and the request. */
export function modelReviewer(model: Model): Policy {
  const { signal } = new AbortController();
  return {
    name: model.id,
    act: (turns) =>
      Promise.all(
        turns.map(async ({ view, rng }) => {
          const messages = [
            { role: 'system' as const, content: 'You comment on the moves of a player. Answer with one plain sentence, and make no move.' },
            { role: 'user' as const, content: textOf(view) },
          ];
          const call = await model.complete({ messages }, { maxTokens: mostTokens, seed: rng.int(2 ** 31) }, signal);
          return { action: { text: plainSentence(call.text) }, calls: [call] };
        }),
      ),
  };
}

/** The sentence without a label that a model may put before it. */
function plainSentence(text: string): string {
  return text
    .trim()
    .replace(/^(?:thought|reason|comment|feedback|action)\s*:\s*/i, '')
    .split('\n', 1)[0]
    .trim();
}
