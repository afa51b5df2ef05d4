/**
 * @file A pipeline makes data with a model: one item after another, each in a few steps, and kept only where it is proved or judged good.
 *
 * A pipeline is a plain function over steps. Every step's result is journalled by anyone who runs it, so a pipeline that is started again is
 * called again from the beginning of an item and is given the same results: it must decide by its steps and its dice alone.
 */

import type { ChatMessage, JsonObject, Rng, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** Who a role dialogue is about, as sentences. */
export type RoleProfile = {
  readonly name: string;
  /** One line that names the role and nothing more: all of the profile that a trained model is shown. */
  readonly card: string;
  readonly facts: readonly ProfileFact[];
};

export type ProfileFact = {
  readonly text: string;
  /** Words one of which a right answer has. */
  readonly keys: readonly string[];
};

/** A question whose answer is known. */
export type KnownQuestion = {
  readonly question: string;
  readonly answer: string;
  /** The answer and wrong ones next to it. */
  readonly choices?: readonly string[];
  readonly topic?: string;
};

/** The source of a pipeline; its `takes` says which kind. */
export type PipelineSource =
  | { readonly kind: 'persona'; readonly profile: RoleProfile; readonly others: readonly RoleProfile[] }
  | { readonly kind: 'questions'; readonly questions: readonly KnownQuestion[] }
  | { readonly kind: 'text'; readonly text: string };

/** How a reply reads: it answers, refuses, or denies what the question takes for granted. */
export type ReplyReading = 'answer' | 'refuse' | 'correct' | 'broken';

export interface StepOptions {
  readonly sampling?: Sampling;
  /** The source of the right answer, which only the scripted stand-in reads. */
  readonly facts?: JsonObject;
}

/** The steps of one item. A step has a name of its own within the item. */
export interface MakeSteps {
  /** The number of the item, from 0. */
  readonly item: number;
  /** Dice of the item: the same whenever it is resumed. */
  readonly dice: Rng;
  readonly source: PipelineSource;
  /** How many judges were named; without any, `poll` asks the model itself. */
  readonly judges: number;
  /** Has the model answer. */
  ask(step: string, prompt: string | readonly ChatMessage[], options?: StepOptions): Promise<string>;
  /** Runs the body of a JavaScript function where it can only compute. */
  run(step: string, code: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Asks every judge of the committee a question with a short answer, and gives their answers. */
  poll(step: string, prompt: string, options?: StepOptions): Promise<readonly string[]>;
  /** True where more than half of the committee say yes; an answer that is neither yes nor no counts as no. */
  agree(step: string, prompt: string, options?: StepOptions): Promise<boolean>;
  reads(reply: string): ReplyReading;
}

/** An accepted item: a conversation, whose assistant messages are trained on, and facts about it. */
export interface MadeItem {
  /** What makes it another item than the ones before: two with one key are one. */
  readonly key: string;
  readonly messages: readonly ChatMessage[];
  readonly facts: JsonObject;
}

/** What became of an attempt: an item, or why there is none. */
export type Made = { readonly kept: MadeItem } | { readonly refused: string };

/** What a scripted stand-in is asked. */
export interface StandInCall {
  readonly step: string;
  readonly facts: JsonObject;
  readonly dice: Rng;
}

/** A method of generating one kind of data. */
export interface Pipeline {
  readonly name: string;
  /** One line about what it makes. */
  readonly about: string;
  /** Where the method was published. */
  readonly source?: string;
  /** What the published method does and this does otherwise. */
  readonly differs?: string;
  /** A persona, questions with known answers, or any text file. */
  readonly takes: PipelineSource['kind'];
  /** What proves an item. */
  readonly proof: string;
  make(steps: MakeSteps): Promise<Made>;
  /** Answers in place of a model, for trials without one: well most of the time, and badly now and then. */
  standIn?(call: StandInCall): string;
}

/** Returns a pipeline unchanged; it gives a pipeline in your own file its type. */
export function definePipeline(pipeline: Pipeline): Pipeline {
  return pipeline;
}

/** Lower case, one space between words, no punctuation at the ends: what two texts are compared by. */
export function plainText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/.\-+]+/gu, ' ')
    .replace(/\.(?=\s|$)/g, '')
    .trim();
}

/** The text after "LABEL:" up to the next label or the end; null where the label is missing. */
export function findLabelled(text: string, label: string, labels: readonly string[]): string | null {
  const others = labels.join('|');
  const match = linear(
    new RegExp(`(?:^|\\n)\\s*\\**${label}\\**\\s*:\\s*([\\s\\S]*?)(?=\\n\\s{0,20}\\*{0,4}(?:${others})\\*{0,4}\\s{0,8}:|$)`, 'i'),
  ).exec(text)?.[1];
  return match === undefined || match.trim() === '' ? null : match.trim();
}

/** The questions of a source, or none. */
export function questionAt(source: PipelineSource, item: number): KnownQuestion | null {
  if (source.kind !== 'questions' || source.questions.length === 0) return null;
  return source.questions[item % source.questions.length];
}
