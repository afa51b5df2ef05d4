/**
 * @file A pipeline makes data with a model: one item after another, each in a few steps, and accepted only if it is proved or judged good.
 *
 * A pipeline is a plain function over steps. The runner records every step's result in a journal, so a restarted pipeline is called again
 * from the beginning of an item and gets the same results: it must depend only on its steps and its random generator.
 */

import type { ChatMessage, JsonObject, Rng, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The subject of a role dialogue, as sentences. */
export type RoleProfile = {
  readonly name: string;
  /** One line that only names the role: the only part of the profile that a trained model sees. */
  readonly card: string;
  readonly facts: readonly ProfileFact[];
};

export type ProfileFact = {
  readonly text: string;
  /** Words of which a right answer contains at least one. */
  readonly keys: readonly string[];
};

/** A question with a known answer. */
export type KnownQuestion = {
  readonly question: string;
  readonly answer: string;
  /** The right answer and wrong ones. */
  readonly choices?: readonly string[];
  readonly topic?: string;
};

/** The source of a pipeline; its `takes` names the kind. */
export type PipelineSource =
  | { readonly kind: 'persona'; readonly profile: RoleProfile; readonly others: readonly RoleProfile[] }
  | { readonly kind: 'questions'; readonly questions: readonly KnownQuestion[] }
  | { readonly kind: 'text'; readonly text: string };

/** The class of a reply: it answers, refuses, or denies the question's assumption. */
export type ReplyReading = 'answer' | 'refuse' | 'correct' | 'broken';

export interface StepOptions {
  readonly sampling?: Sampling;
  /** The source of the right answer, only for the scripted stand-in. */
  readonly facts?: JsonObject;
}

/** The steps of one item. A step's name is unique within the item. */
export interface MakeSteps {
  /** The number of the item, from 0. */
  readonly item: number;
  /** The item's random generator: the same after resuming. */
  readonly dice: Rng;
  readonly source: PipelineSource;
  /** The number of judges; without any, `poll` asks the model itself. */
  readonly judges: number;
  /** Asks the model. */
  ask(step: string, prompt: string | readonly ChatMessage[], options?: StepOptions): Promise<string>;
  /** Runs the body of a JavaScript function in a sandbox that only allows computation. */
  run(step: string, code: string): Promise<{ readonly ok: boolean; readonly text: string }>;
  /** Asks every judge of the committee a question with a short answer; returns their answers. */
  poll(step: string, prompt: string, options?: StepOptions): Promise<readonly string[]>;
  /** Whether more than half of the committee says yes; an answer that is neither yes nor no counts as no. */
  agree(step: string, prompt: string, options?: StepOptions): Promise<boolean>;
  reads(reply: string): ReplyReading;
}

/** An accepted item: a conversation, whose assistant messages are trained on, and its facts. */
export interface MadeItem {
  /** The identity of the item: later items with the same key are refused. */
  readonly key: string;
  readonly messages: readonly ChatMessage[];
  readonly facts: JsonObject;
}

/** The result of an attempt: an item, or the reason for its refusal. */
export type Made = { readonly kept: MadeItem } | { readonly refused: string };

/** The input of a scripted stand-in. */
export interface StandInCall {
  readonly step: string;
  readonly facts: JsonObject;
  readonly dice: Rng;
}

/** A method of generating one kind of data. */
export interface Pipeline {
  readonly name: string;
  /** A one-line description of its output. */
  readonly about: string;
  /** Where the method was published. */
  readonly source?: string;
  /** The differences from the published method. */
  readonly differs?: string;
  /** A persona, questions with known answers, or any text file. */
  readonly takes: PipelineSource['kind'];
  /** The proof of an item. */
  readonly proof: string;
  make(steps: MakeSteps): Promise<Made>;
  /** Answers in place of a model, for trials without one: usually well, and sometimes badly. */
  standIn?(call: StandInCall): string;
}

/** Returns a pipeline unchanged; it gives a pipeline in your own file its type. */
export function definePipeline(pipeline: Pipeline): Pipeline {
  return pipeline;
}

/** Lower case, single spaces, no punctuation at the ends: for comparing texts. */
export function plainText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/.\-+]+/gu, ' ')
    .replace(/\.(?=\s|$)/g, '')
    .trim();
}

/** The text after "LABEL:" up to the next label or the end; null if the label is missing. */
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
