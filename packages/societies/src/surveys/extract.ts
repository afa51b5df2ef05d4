/**
 * @file Extracts results from talk: fields of a schema, found by a pattern or by a model. A value counts only with a quote that occurs
 * verbatim in the talk; anything else from a model is reported as unsupported.
 */

import type { ChatMessage, EpisodeEvent, Json, JsonObject, Model } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Shape } from '@ludus-agents/kernel/internal/core/shape';
import { list, object, one, pattern, readAs, required, text, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';

export const extractKinds = ['text', 'number', 'yesno', 'one'] as const;

export type ExtractField = {
  readonly name: string;
  readonly kind: (typeof extractKinds)[number];
  /** The allowed values of a field of the kind that lists them. */
  readonly of: readonly string[];
  readonly about: string;
  /** A regular expression that finds the value without a model. Its first group is the value. */
  readonly pattern: string;
  /** The seats whose talk is searched. Empty means all. */
  readonly seats: readonly string[];
};

export type ExtractSchema = { readonly fields: readonly ExtractField[] };

const form: Shape<ExtractSchema> = object<ExtractSchema>(
  {
    fields: required(
      list(
        object<ExtractField>({
          name: required(pattern('up to 40 letters, digits, or underscores, starting with a letter', /^[A-Za-z]\w{0,39}$/)),
          kind: withDefault(one(...extractKinds), 'text'),
          of: withDefault(list(words), [], 'the values of a field that is one of several'),
          about: withDefault(text, '', 'a description of the field, for a model'),
          pattern: withDefault(text, '', 'a regular expression that finds it without a model'),
          seats: withDefault(list(words), [], "whose messages are read (default: everyone's)"),
        }),
        { from: 1, to: 40 },
      ),
    ),
  },
  { document: true },
);

export function readExtractSchema(input: Json, where = 'The schema'): ExtractSchema {
  const read = readAs(form, input, { where, called: 'a schema of fields' });
  for (const { name, kind, of, pattern: input } of read.fields) {
    if (kind === 'one' && of.length < 2)
      throw new Fault('input', `${where}: the field "${name}" needs at least two values in "of", but has ${of.length}.`);
    try {
      linear(new RegExp(input, 'iu')).test('');
    } catch {
      throw new Fault(
        'input',
        `${where}: the pattern of "${name}" must be a regular expression without backreferences or unbounded lookarounds, got ${input}`,
      );
    }
  }
  return read;
}

/**
 * found; none if the talk contains no value; unsupported if a value came without a quote from the talk; broken if the answer could not be
 * parsed.
 */
export type ExtractStatus = 'found' | 'none' | 'unsupported' | 'broken';

export interface Extracted {
  readonly field: string;
  readonly status: ExtractStatus;
  readonly value: string;
  readonly quote: string;
}

/** One line of the talk. */
export interface TalkLine {
  readonly seat: string;
  readonly text: string;
}

export function talkIn(events: readonly EpisodeEvent[]): readonly TalkLine[] {
  return events.flatMap((event) =>
    event.kind === 'action' && event.action.text.trim() !== '' ? [{ seat: event.seat, text: event.action.text }] : [],
  );
}

/** Extracts fields with a pattern directly, and asks the model, if any, for the others. */
export async function extractFields(
  talk: readonly TalkLine[],
  { fields }: ExtractSchema,
  model: Model | null,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly Extracted[]> {
  const extractFields = fields.filter((field) => field.pattern === '');
  if (extractFields.length > 0 && model === null)
    throw new Fault(
      'input',
      `The fields ${extractFields.map(({ name }) => name).join(', ')} have no pattern. Pass a model that reads the conversation.`,
    );
  const answers =
    extractFields.length === 0 || model === null ? new Map<string, Extracted>() : await byModel(talk, extractFields, model, signal);
  return fields.map((field) => (field.pattern === '' ? answers.get(field.name)! : byPattern(talk, field)));
}

const linesOfField = (talk: readonly TalkLine[], { seats }: ExtractField) =>
  talk.filter(({ seat }) => seats.length === 0 || seats.includes(seat));

function byPattern(talk: readonly TalkLine[], field: ExtractField): Extracted {
  const form = linear(new RegExp(field.pattern, 'iu'));
  for (const { text: line } of linesOfField(talk, field)) {
    const match = form.exec(line);
    if (match !== null) return checkedValue(field, match[1] ?? match[0], match[0], [line]);
  }
  return { field: field.name, status: 'none', value: '', quote: '' };
}

const plain = (line: string) => line.replace(/\s+/g, ' ').trim().toLowerCase();

/** Validates a value against its field, and checks that its quote occurs in the talk. */
function checkedValue(field: ExtractField, input: Json | undefined, quote: string, lines: readonly string[]): Extracted {
  const result = (status: ExtractStatus, value = '') => ({ field: field.name, status, value, quote });
  if (input === null || input === undefined || input === '') return result('none');
  const value = valueIn(field, input);
  if (value === null) return result('broken');
  const stands = quote.trim() !== '' && lines.some((line) => plain(line).includes(plain(quote)));
  // A number must occur in its quote; otherwise, any quote from the talk would do.
  const shows = field.kind !== 'number' || quote.replace(/[,\s]/g, '').includes(value);
  return result(stands && shows ? 'found' : 'unsupported', value);
}

function valueIn({ kind, of }: ExtractField, input: Json): string | null {
  const word = typeof input === 'string' ? input.trim() : typeof input === 'number' || typeof input === 'boolean' ? String(input) : null;
  if (word === null) return null;
  if (kind === 'number') return Number.isFinite(Number(word.replace(/,/g, ''))) ? String(Number(word.replace(/,/g, ''))) : null;
  if (kind === 'yesno') return /^(yes|true)$/i.test(word) ? 'yes' : /^(no|false)$/i.test(word) ? 'no' : null;
  if (kind === 'one') return of.find((item) => item.toLowerCase() === word.toLowerCase()) ?? null;
  return word;
}

const tries = 3;

async function byModel(
  talk: readonly TalkLine[],
  fields: readonly ExtractField[],
  model: Model,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Extracted>> {
  const messages: ChatMessage[] = [
    { role: 'system', content: askingText(fields) },
    { role: 'user', content: talk.map(({ seat, text: line }) => `${seat}: ${line.replace(/\s+/g, ' ').trim()}`).join('\n') },
  ];
  let extracteds: readonly Extracted[] = [];
  for (let time = 0; time < tries; time++) {
    const { text: answer } = await model.complete({ messages }, { schema: answerSchema(fields) }, signal);
    const json = jsonIn(answer);
    extracteds = fields.map((field) => {
      const input = json?.[field.name];
      if (!isObject(input ?? null)) return { field: field.name, status: 'broken', value: '', quote: '' };
      const { value, quote } = input as { value?: Json; quote?: Json };
      return checkedValue(
        field,
        value,
        typeof quote === 'string' ? quote : '',
        linesOfField(talk, field).map(({ text: line }) => line),
      );
    });
    const wrong = extracteds.filter(({ status }) => status === 'broken' || status === 'unsupported');
    if (wrong.length === 0) break;
    const observations = wrong.map(
      ({ field, status }) => `${field} is ${status === 'broken' ? 'missing or not in its form' : 'not shown by a quote from the talk'}`,
    );
    messages.push(
      { role: 'assistant', content: answer },
      {
        role: 'user',
        content: `Not yet: ${observations.join('; ')}. Answer with the whole JSON object; use null where the talk says nothing.`,
      },
    );
  }
  return new Map(extracteds.map((extracted) => [extracted.field, extracted]));
}

function askingText(fields: readonly ExtractField[]): string {
  const lines = fields.map(
    ({ name, kind, of, about }) => `- ${name} (${kind === 'one' ? of.join(' | ') : kind})${about === '' ? '' : `: ${about}`}`,
  );
  return `You read a conversation and fill in these fields:\n${lines.join('\n')}\nAnswer with one JSON object and nothing else: for each field {"value": …, "quote": "the words that show it, copied from the conversation"}. Use null as the value where the conversation says nothing.`;
}

function answerSchema(fields: readonly ExtractField[]): JsonObject {
  const field = { type: 'object', properties: { value: {}, quote: { type: 'string' } }, required: ['value', 'quote'] };
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name }) => [name, field])),
    required: fields.map(({ name }) => name),
  };
}

function jsonIn(answer: string): JsonObject | null {
  try {
    const json = parseJson(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}
