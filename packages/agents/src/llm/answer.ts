/**
 * @file A model's answer in one call: a private thought, a message, a move, and notes; and a tolerant parser.
 *
 * The move is passed to the environment as written, including brackets. A reply cut off by its token limit is passed on as far as it goes;
 * invalid parts stay invalid for the environment to judge. Only the private parts are removed.
 */

import { isObject, type Json, type JsonObject, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { answerFields, forms } from './templates.ts';

/** json: one object that fits a schema. labels: labeled lines, which any model can write. plain: the whole answer is the action. */
export type AnswerForm = 'json' | 'labels' | 'plain';
export const answerForms: readonly AnswerForm[] = ['json', 'labels', 'plain'];

/** How an answer is read. "lines": like labels, but lines with other labels are said aloud, because a discussion asks for them. */
export type ReadForm = AnswerForm | 'lines';

/** Fields besides thought, speech and action that an agent's settings may ask for. */
export type ExtraField = 'remember' | 'plan' | 'memo';

export interface ParsedAnswer {
  readonly thought: string;
  readonly speech: string;
  readonly action: string;
  readonly memo: string;
  readonly plan: string;
  /** Facts to store: the subject of each, and its current value. */
  readonly remember: readonly { readonly key: string; readonly text: string }[];
  /** Data that accompanies the move, if the model wrote an object. */
  readonly data?: Json;
}

const fields = ['thought', 'speech', 'action', 'remember', 'plan', 'memo'] as const;
type Field = (typeof fields)[number];

const about: Readonly<Record<Field, string>> = answerFields;

/** Instructions for the answer format, for the stable part of a prompt. */
export function formWords(form: AnswerForm, extras: readonly ExtraField[]): string {
  if (form === 'plain') return forms.plain;
  const wanted = fieldsOf(extras);
  if (form === 'json') return `${forms.json}\n${wanted.map((name) => `${name}: ${about[name]}`).join('\n')}`;
  return `${forms.labels}\n${wanted.map((name) => `${label(name)}: ${about[name]}`).join('\n')}`;
}

/**
 * The format as JSON Schema, for models with constrained output. Every field is required, as strict servers demand; an empty text means no
 * value.
 */
export function formSchema(extras: readonly ExtraField[], moves: readonly string[] = [], data?: Json): Json {
  const wanted = fieldsOf(extras);
  // If every move is listed, the action is one of them, or empty if only talk is wanted.
  const action = moves.length === 0 ? {} : { action: { type: 'string', description: about.action, enum: [...moves, ''] } };
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(wanted.map((name) => [name, { type: 'string', description: about[name] }])),
      ...action,
      ...(data === undefined ? {} : { data }),
    },
    required: data === undefined ? wanted : [...wanted, 'data'],
    additionalProperties: false,
  };
}

function fieldsOf(extras: readonly ExtraField[]): readonly Field[] {
  return fields.filter((name) => name === 'thought' || name === 'speech' || name === 'action' || extras.includes(name));
}

function label(name: Field): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A past action of the agent in this format, so that the model sees its own answers in the requested format. */
export function pastAnswer(text: string, form: AnswerForm): string {
  if (form === 'plain') return text;
  const [, before = '', move = '', after = ''] = /^([^[]*)(\[[^[\]]*\])([^[]*)$/s.exec(text) ?? [];
  const speech = move === '' ? text.trim() : `${before.trim()} ${after.trim()}`.trim();
  if (form === 'json') return JSON.stringify(move === '' ? { speech } : speech === '' ? { action: move } : { speech, action: move });
  return [...(speech === '' ? [] : [`Speech: ${speech}`]), ...(move === '' ? [] : [`Action: ${move}`])].join('\n');
}

/** Parses a model's answer, in any format. If no part of the format is recognized, all of it is the action. */
export function readAnswer(written: string, form: ReadForm): ParsedAnswer {
  const { thought, rest } = withoutThinking(written);
  const parsedFields = form === 'plain' ? null : form === 'lines' ? fromLines(rest) : (fromJson(rest) ?? fromLabels(rest));
  if (parsedFields === null) return { ...nothing, thought, action: rest.trim() };
  const text = (name: Field) => (parsedFields[name] ?? '').trim();
  return {
    thought: [thought, text('thought')].filter((part) => part !== '').join('\n'),
    speech: text('speech'),
    action: text('action'),
    memo: text('memo'),
    plan: text('plan'),
    remember: facts(text('remember')),
    ...(parsedFields.data === undefined ? {} : { data: parsedFields.data }),
  };
}

const dataLine = /^[ \t>*_#-]*data[ \t*_]*[:：][ \t*_`]*(?=\{)/im;

/**
 * Extracts the data of an answer if the environment requests data: a field of the JSON object, or the object after "Data:" in the text,
 * which is then removed from the text. Unreadable data is dropped, and the environment reports what is missing.
 */
export function takeData(answer: ParsedAnswer): { readonly answer: ParsedAnswer; readonly data?: Json } {
  if (answer.data !== undefined) return { answer, data: answer.data };
  for (const part of ['action', 'speech'] as const) {
    const text = answer[part];
    const mark = dataLine.exec(text);
    if (mark === null) continue;
    const from = mark.index + mark[0].length;
    for (let close = text.indexOf('}', from); close >= 0; close = text.indexOf('}', close + 1)) {
      try {
        const data = parseJson(text.slice(from, close + 1));
        const rest = `${text.slice(0, mark.index).trim()}\n${text.slice(close + 1).replace(/^[`\s]+/, '')}`.trim();
        return { answer: { ...answer, [part]: rest }, data };
      } catch {
        // An inner brace: the object continues.
      }
    }
    return { answer: { ...answer, [part]: text.slice(0, mark.index).trim() } };
  }
  return { answer };
}

const nothing: ParsedAnswer = { thought: '', speech: '', action: '', memo: '', plan: '', remember: [] };

/** The text for the environment: the message, then the move. */
export function actionText({ speech, action }: ParsedAnswer): string {
  if (action === '' || speech === action) return speech;
  if (speech === '') return action;
  return speech.includes(action) ? speech : `${speech}\n${action}`;
}

const answerLine = linear(/^[ \t>*_#-]*answer[*_ ]*:/im);

/** The text for a discussion: all lines, and the move as the line "Answer: …" that protocols read. */
export function discussionText({ speech, action }: ParsedAnswer): string {
  if (action === '') return speech;
  const line = otherLabel.test(action) || action.trimStart().startsWith('```') ? action : `Answer: ${action}`;
  return speech === '' ? line : answerLine.test(speech) ? speech : `${speech}\n${line}`;
}

/** Whether an answer was cut off while it contained only thoughts. */
export function isAllThought(written: string): boolean {
  return written.trim() !== '' && withoutThinking(written).rest.trim() === '';
}

/** Removes the thinking block of reasoning models; an unclosed block is all thought. */
function withoutThinking(written: string): { readonly thought: string; readonly rest: string } {
  const thoughts: string[] = [];
  const take = (_: string, inner: string) => {
    thoughts.push(inner.trim());
    return '';
  };
  let rest = written.replace(/<think(?:ing)?>(.*?)(?:<\/think(?:ing)?>|$)/gis, take);
  // Some templates open the block themselves, so only its end is in the text.
  rest = rest.replace(/^(.*?)<\/think(?:ing)?>/is, take);
  return { thought: thoughts.filter((thought) => thought !== '').join('\n'), rest };
}

type Found = Partial<Record<Field, string>> & { data?: Json };

function fromJson(text: string): Found | null {
  const open = text.indexOf('{');
  if (open < 0) return null;
  const close = text.lastIndexOf('}');
  if (close > open) {
    try {
      const value = parseJson(text.slice(open, close + 1));
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? pickFields(value as JsonObject) : null;
    } catch {
      // Broken or cut off: the readable part is parsed below.
    }
  }
  const out: Found = {};
  for (const [, name, value] of text.slice(open).matchAll(/"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)/gs)) {
    const field = fields.find((field) => field === name?.toLowerCase());
    if (field !== undefined) out[field] ??= unescapeText(value as string);
  }
  return Object.keys(out).length > 0 ? out : null;
}

function pickFields(value: JsonObject): Found | null {
  const out: Found = {};
  for (const [name, part] of Object.entries(value)) {
    const field = fields.find((field) => field === name.toLowerCase());
    if (name.toLowerCase() === 'data' && isObject(part)) out.data = part;
    if (field === undefined || part === null) continue;
    if (field === 'remember' && typeof part === 'object') out.remember = toNoteText(part);
    else out[field] = typeof part === 'string' ? part : Array.isArray(part) && part.every(isText) ? part.join('\n') : JSON.stringify(part);
  }
  return Object.keys(out).length > 0 ? out : null;
}

function isText(part: Json): part is string {
  return typeof part === 'string';
}

/** Converts facts to text: a list of lines, or an object from names to values. */
function toNoteText(part: Json): string {
  if (Array.isArray(part)) return part.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n');
  return Object.entries(part as JsonObject)
    .map(([key, value]) => `${key} = ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

function unescapeText(value: string): string {
  try {
    return JSON.parse(`"${value.replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\\$/, '')}"`) as string;
  } catch {
    return value;
  }
}

const labelled = linear(/^[ \t>*_#-]*(thought|speech|action|remember|plan|memo)[ \t*_]*[:：][*_]*[ \t]*/gim);

function fromLabels(text: string): Found | null {
  const marks = [...text.matchAll(labelled)];
  if (marks.length === 0) return null;
  const out: Found = {};
  const before = text.slice(0, marks[0]?.index).trim();
  // Text before the first label is a thought, unless only notes follow: then it is an answer without a label.
  const noted = marks.every(([, name = '']) => /^(?:remember|plan|memo)$/i.test(name));
  if (before !== '') out[noted ? 'action' : 'thought'] = before;
  for (const [i, mark] of marks.entries()) {
    const field = mark[1]!.toLowerCase() as Field;
    const part = text.slice(mark.index + mark[0].length, marks[i + 1]?.index).trim();
    out[field] = out[field] === undefined ? part : `${out[field]}\n${part}`;
  }
  return out;
}

/** A field of an answer in a discussion. "Plan" is not one: many protocols ask for a plan aloud. */
const discussedField = linear(/^[ \t>*_#-]*(thought|speech|action|remember|memo)[ \t*_]*[:：][*_]*[ \t]*/i);
/** A line that a protocol asks for, such as "Progress: yes" or "Step Ann: [raise]". */
const otherLabel = linear(/^[ \t>*_#\d.-]*\p{Lu}[^:：\n]{0,80}[:：]/u);

/** The fields of an answer in a discussion. A thought ends where the next labeled line or program begins. */
function fromLines(text: string): Found {
  const object = ['{', '```json'].some((start) => text.trimStart().startsWith(start)) ? fromJson(text) : null;
  if (object !== null) return object;
  const rows: Record<string, string[]> = {};
  let field: Field = 'speech';
  let isProgram = false;
  for (const row of text.split('\n')) {
    const isFence = row.trimStart().startsWith('```');
    const mark = isProgram ? null : discussedField.exec(row);
    if (mark !== null) field = (mark[1] ?? '').toLowerCase() as Field;
    else if (!isProgram && (isFence || otherLabel.test(row))) field = 'speech';
    if (isFence) isProgram = !isProgram;
    rows[field] = [...(rows[field] ?? []), mark === null ? row : row.slice(mark[0].length)];
  }
  return Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, list.join('\n')]));
}

const mostFacts = 4;

/** Parses facts, one "NAME = VALUE" per line. */
function facts(text: string): ParsedAnswer['remember'] {
  return text
    .split('\n')
    .map((line) => linear(/^[\s*•-]*([^=]{1,60}?)\s*=\s*(.{1,300})$/).exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, key, fact]) => ({ key: (key as string).toLowerCase(), text: (fact as string).trim() }))
    .slice(0, mostFacts);
}
