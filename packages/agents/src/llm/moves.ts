/** @file Prepares a model's turn and parses its answer: limits, stops, and choices before, labels and moves after. */

import type { Ask, Model, ModelCall, Prompt, Sampling, View } from '@ludus-agents/kernel/internal/core/index';
import { choose, Fault } from '@ludus-agents/kernel/internal/core/index';
import { actionText, type ExtraField, formSchema, type ParsedAnswer } from './answer.ts';
import type { ThinkResult } from './architectures/architecture.ts';
import { readChoice } from './choice.ts';
import { ownWords, stopsFor } from './labels.ts';
import { answerLimit, answerReserve } from './limits.ts';
import type { Player } from './perception.ts';
import type { LlmSettings } from './settings.ts';

/** In a small context, a prompt takes at most half: the rest is for the answer and for errors in counting tokens. */
const smallShare = 0.5;

/** The most tokens of a prompt for a model with this context. */
export function promptRoom(settings: LlmSettings, holds: number, counted: boolean): number {
  const limit = settings.sampling.maxTokens ?? (settings.prompt === 'compact' ? 160 : 700);
  const room = holds - answerReserve(limit, holds, counted);
  return settings.prompt === 'compact' ? Math.max(200, Math.min(room, Math.floor(holds * smallShare))) : room;
}

interface TurnAsked {
  readonly extras: readonly ExtraField[];
  /** Every legal move, if the environment lists them. */
  readonly moves: readonly string[];
  readonly ask: Ask;
}

/** The settings of a turn's call: those of the spec, and defaults that fit this ask. */
export function samplingFor(model: Model, { settings, tokens, persona }: Player, { extras, moves, ask }: TurnAsked): Sampling {
  const { sampling, answer: form, prompt, memo } = settings;
  const compact = prompt === 'compact';
  // Only an answer that is nothing but the move can be constrained to the moves; other architectures write more than one answer.
  const choices = form === 'plain' && settings.architecture === 'plain' && ask.fields === undefined ? moves : [];
  const requestedSchema = ask.schema ?? ask.fields;
  const schema = requestedSchema === undefined ? undefined : JSON.stringify(requestedSchema);
  const limit = answerLimit({ form, extras, choices, schema, memo, compact, thinks: model.thinks === true }, tokens);
  const others = [settings.user ?? '', ...settings.others.map(({ name }) => name), persona?.name ?? ''];
  const stops = compact && form === 'plain' && choices.length === 0 && schema === undefined ? { stop: stopsFor(others) } : {};
  return {
    ...(model.usual?.maxTokens === undefined ? { maxTokens: limit } : {}),
    ...(model.usual?.stop === undefined ? stops : {}),
    ...sampling,
    ...(form === 'json' ? { schema: formSchema(extras, moves, ask.fields) } : {}),
    ...(choices.length > 0 ? { choices } : {}),
  };
}

/** An answer without speaker labels. A model may by mistake speak for any other speaker in the view. */
export function withoutLabels({ settings, names }: Player, { seat, seen }: View, answer: ParsedAnswer): ParsedAnswer {
  const message = new Set(
    seen.flatMap((item) => (item.kind === 'message' && item.from !== undefined && item.from !== seat ? [item.from] : [])),
  );
  const others = [settings.user ?? '', ...settings.others.flatMap(({ id, name }) => [id, name]), ...message];
  const speakers = { own: names, others, cut: settings.prompt === 'compact' };
  return { ...answer, speech: ownWords(answer.speech, speakers), action: ownWords(answer.action, speakers) };
}

/** The text for the environment. A text that is not exactly a legal move is parsed leniently; another move is never substituted. */
export function moveIn(answer: ParsedAnswer, moves: readonly string[]): { readonly text: string; readonly note?: string } {
  const text = actionText(answer);
  if (moves.length === 0 || choose({ text }, moves).ok) return { text };
  const read = readChoice(answer.action === '' ? text : answer.action, moves);
  return read === null ? { text } : { text: read.move, note: `The move ${read.move} was read from the answer ${read.how}.` };
}

export function withNote(call: ModelCall, note: string | undefined): ModelCall {
  return note === undefined ? call : { ...call, notes: [...(call.notes ?? []), note] };
}

/** The legal move with the highest probability under the model. */
export async function scoredMove(
  model: Model,
  { prompt, moves, who }: { readonly prompt: Prompt; readonly moves: readonly string[]; readonly who: string },
  signal: AbortSignal,
): Promise<ThinkResult> {
  if (model.score === undefined)
    throw new Fault('input', `${who}: ${model.id} cannot score given answers, which "choose": "score" requires.`);
  const { logprobs, call } = await model.score(prompt, moves, signal);
  const best = logprobs.indexOf(Math.max(...logprobs));
  const note = `The likeliest legal move was taken; log-probabilities: ${moves.map((move, i) => `${move} ${(logprobs[i]!).toFixed(3)}`).join(', ')}.`;
  const answer: ParsedAnswer = { thought: '', speech: '', action: moves[best] ?? '', memo: '', plan: '', remember: [] };
  return { answer, calls: [withNote(call, note)] };
}
