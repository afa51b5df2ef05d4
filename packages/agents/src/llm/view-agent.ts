/**
 * @file A language agent without a mind: its prompt is its texts as the system message, then its seat's observations, word for word.
 * Learners trained on views play like this, as do agents that answer test cases, whose prompt is the one their users deploy.
 */

import { samplingFields } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { Agent, AgentSpec, ChatMessage, Model, Prompt, Reply, Turn } from '@ludus-agents/kernel/internal/core/index';
import { chatOf, Fault } from '@ludus-agents/kernel/internal/core/index';
import { type ParsedAnswer, readAnswer } from './answer.ts';
import { moveIn, scoredMove, withNote } from './moves.ts';
import { imagesIn, withImages } from './prompt.ts';
import type { LlmSettings } from './settings.ts';

/** What is asked when a view is put before a model. */
function viewPrompt(turn: Turn, { texts = {} }: AgentSpec, images: number): Prompt {
  const { instruction = '', ...others } = texts;
  const content = [instruction, ...Object.entries(others).map(([name, text]) => `${name}:\n${text}`)].filter((text) => text.trim() !== '');
  const system: readonly ChatMessage[] = content.length === 0 ? [] : [{ role: 'system', content: content.join('\n\n') }];
  return { messages: [...system, ...withImages(chatOf(turn.view), imagesIn(turn, images))] };
}

/** Whether an agent consists only of its texts and its model: then test cases send it only these. */
export function isBare({ persona, notes = [], tools = [], settings = {} }: AgentSpec): boolean {
  return (
    persona === undefined &&
    notes.length + tools.length === 0 &&
    Object.entries(settings).every(([name, value]) => value === null || Object.hasOwn(samplingFields, name))
  );
}

interface ViewAgentOptions {
  readonly spec: AgentSpec;
  readonly model: Model;
  readonly settings: LlmSettings;
  /** True if the environment lists every move it accepts, so that an answer can be constrained to one of them. */
  readonly complete?: boolean | undefined;
  readonly seeded?: boolean | undefined;
}

/** The default maximum length of an answer in tokens, unless the agent has an instruction. */
const usualAnswer = 150;

export function viewAgent({ spec, model, settings, complete, seeded }: ViewAgentOptions): Agent {
  const more = ['persona', 'notes', 'tools'].filter((name) => ![undefined, '[]'].includes(JSON.stringify(spec[name as keyof AgentSpec])));
  if (more.length > 0)
    throw new Fault(
      'input',
      `${spec.name}: a "view" prompt contains only the agent's texts and what the seat has seen, so ${more.join(', ')} would be ignored. Remove them, or set "prompt" to "full" or "compact".`,
    );
  return {
    name: spec.name,
    async act(turn: Turn, signal: AbortSignal): Promise<Reply> {
      const prompt = viewPrompt(turn, spec, settings.images ?? 0);
      const moves = complete === true || settings.choose === 'listed' ? (turn.ask.choices ?? []) : [];
      if (settings.choose === 'score' && moves.length > 0) {
        const { answer, calls } = await scoredMove(model, { prompt, moves, who: spec.name }, signal);
        return { action: { text: answer.action }, calls };
      }
      const sampling = {
        ...(model.usual?.maxTokens === undefined && settings.prompt === 'view' && spec.texts === undefined
          ? { maxTokens: usualAnswer }
          : {}),
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
