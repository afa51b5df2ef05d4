/** @file How one turn is thought through: an architecture gets a prompt and a model, and gives an answer with the calls it took. */

import type { ChatMessage, JsonObject, Model, ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import type { InducedRule, SeenTransition } from '../../induced-rules.ts';
import type { RecallEncoder } from '../../mind/relevance.ts';
import type { Persona } from '../../personas/index.ts';
import type { KeptTool } from '../../tools/kept-tools.ts';
import type { ToolRecord, Toolset } from '../../tools/tool.ts';
import type { ToolContextSettings, ToolState } from '../../tools/tool-context.ts';
import { type AnswerForm, isAllThought, type ParsedAnswer, readAnswer } from '../answer.ts';
import { thinking } from '../limits.ts';

/** What code finds when it runs, and leaves for the next run. */
export interface CodeState {
  readonly vars: JsonObject;
  /** Functions that were kept. */
  readonly box: readonly KeptTool[];
  /** Every legal move, where the world lists them. */
  readonly choices: readonly string[];
  /** Starts the dice of the code. */
  readonly seed: number;
}

/** Rules by which moves are looked ahead from here, and those of the texts that this episode has violated. */
export interface RuleView {
  readonly situation: string;
  readonly rules: readonly InducedRule[];
  readonly struck: readonly SeenTransition[];
}

/** What was thought to come of a move, by whom, and what that is worth from 0 to 1. */
export type ForeseenMove = { readonly move: string; readonly next: string; readonly by: 'rule' | 'model'; readonly value: number };

export interface ThinkInput {
  readonly prompt: Prompt;
  /** The same turn without a character: the prompt without the persona. */
  readonly neutral: () => Prompt;
  readonly model: Model;
  readonly sampling: Sampling;
  readonly form: AnswerForm;
  readonly tools: Toolset | null;
  readonly toolContext: ToolContextSettings;
  /** What the tools of the turn before left. */
  readonly toolState: ToolState | undefined;
  /** Chooses passages of long results by meaning. */
  readonly encoder: RecallEncoder | undefined;
  readonly steps: number;
  readonly code: CodeState;
  /** Only for those who look ahead by rules. */
  readonly foresight?: RuleView;
  readonly signal: AbortSignal;
}

export interface ThinkResult {
  readonly answer: ParsedAnswer;
  readonly calls: readonly ModelCall[];
  readonly uses?: readonly ToolRecord[];
  /** What the tools leave for the next turn. */
  readonly toolState?: ToolState | undefined;
  /** Results of tools that left the prompt, where old ones do. */
  readonly removedResults?: number;
  /** What code has left, where it was run. */
  readonly code?: CodeState;
  /** Moves that were weighed, and rules that were found wrong. */
  readonly foreseen?: { readonly moves: readonly ForeseenMove[]; readonly struck?: readonly SeenTransition[] };
  readonly ensemble?: EnsembleChoice;
}

/** How an answer in the role and one without it became one. */
export type EnsembleChoice = { readonly chosen: 'same' | 'role' | 'neutral' | 'undecided'; readonly comparisons: number };

export interface Architecture {
  /** Words for the stable part of the prompt. */
  readonly manner?: string;
  /** Chat turns before the history. */
  before?(persona: Persona | null, feedback: string | null): readonly ChatMessage[];
  play(round: ThinkInput): Promise<ThinkResult>;
}

/** One call, one answer; a second one with more room only where the first was cut off in the middle of its thoughts. */
export const plain: Architecture = {
  async play({ prompt, model, sampling, form, signal }) {
    const call = await model.complete(prompt, sampling, signal);
    if (call.finish !== 'length' || sampling.maxTokens === undefined || !isAllThought(call.text))
      return { answer: readAnswer(call.text, form), calls: [call] };
    const longer = await model.complete(prompt, { ...sampling, maxTokens: sampling.maxTokens + thinking }, signal);
    return { answer: readAnswer(longer.text, form), calls: [call, longer] };
  },
};
