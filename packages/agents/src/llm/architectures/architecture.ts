/** @file How a turn is processed: an architecture gets a prompt and a model, and returns an answer with the calls it made. */

import type { ChatMessage, JsonObject, Model, ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import type { InducedRule, SeenTransition } from '../../induced-rules.ts';
import type { RecallEncoder } from '../../mind/relevance.ts';
import type { Persona } from '../../personas/index.ts';
import type { KeptTool } from '../../tools/kept-tools.ts';
import type { ToolRecord, Toolset } from '../../tools/tool.ts';
import type { ToolContextSettings, ToolState } from '../../tools/tool-context.ts';
import { isAllThought, type ParsedAnswer, type ReadForm, readAnswer } from '../answer.ts';
import { thinking } from '../limits.ts';

/** The state in which code runs, and which it leaves for the next run. */
export interface CodeState {
  readonly vars: JsonObject;
  /** Functions stored by the agent. */
  readonly box: readonly KeptTool[];
  /** Every legal move, if the environment lists them. */
  readonly choices: readonly string[];
  /** Seeds the random numbers of the code. */
  readonly seed: number;
}

/** Rules for looking ahead from here, and rules of the texts that this episode has violated. */
export interface RuleView {
  readonly situation: string;
  readonly rules: readonly InducedRule[];
  readonly struck: readonly SeenTransition[];
}

/** The predicted result of a move, its source, and its value from 0 to 1. */
export type ForeseenMove = { readonly move: string; readonly next: string; readonly by: 'rule' | 'model'; readonly value: number };

export interface ThinkInput {
  readonly prompt: Prompt;
  /** The same turn without a character: the prompt without the persona. */
  readonly neutral: () => Prompt;
  readonly model: Model;
  readonly sampling: Sampling;
  readonly form: ReadForm;
  readonly tools: Toolset | null;
  readonly toolContext: ToolContextSettings;
  /** The tool state after the previous turn. */
  readonly toolState: ToolState | undefined;
  /** Selects passages of long results by meaning. */
  readonly encoder: RecallEncoder | undefined;
  readonly steps: number;
  readonly code: CodeState;
  /** Only for architectures that look ahead by rules. */
  readonly foresight?: RuleView;
  readonly signal: AbortSignal;
}

export interface ThinkResult {
  readonly answer: ParsedAnswer;
  readonly calls: readonly ModelCall[];
  readonly uses?: readonly ToolRecord[];
  /** The tool state for the next turn. */
  readonly toolState?: ToolState | undefined;
  /** The number of old tool results removed from the prompt. */
  readonly removedResults?: number;
  /** The state of the code after this turn, if code was run. */
  readonly code?: CodeState;
  /** Moves that were evaluated, and rules that were violated. */
  readonly foreseen?: { readonly moves: readonly ForeseenMove[]; readonly struck?: readonly SeenTransition[] };
  readonly ensemble?: EnsembleChoice;
}

/** How the final answer was chosen from one in the role and one without it. */
export type EnsembleChoice = { readonly chosen: 'same' | 'role' | 'neutral' | 'undecided'; readonly comparisons: number };

export interface Architecture {
  /** Instructions for the stable part of the prompt. */
  readonly manner?: string;
  /** Chat turns before the history. */
  before?(persona: Persona | null, feedback: string | null): readonly ChatMessage[];
  play(round: ThinkInput): Promise<ThinkResult>;
}

/** One call, one answer; a second call with a higher limit only if the first was cut off while thinking. */
export const plain: Architecture = {
  async play({ prompt, model, sampling, form, signal }) {
    const call = await model.complete(prompt, sampling, signal);
    if (call.finish !== 'length' || sampling.maxTokens === undefined || !isAllThought(call.text))
      return { answer: readAnswer(call.text, form), calls: [call] };
    const longer = await model.complete(prompt, { ...sampling, maxTokens: sampling.maxTokens + thinking }, signal);
    return { answer: readAnswer(longer.text, form), calls: [call, longer] };
  },
};
