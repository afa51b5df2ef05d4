/** @file A user-supplied site: pages parsed from HTML, submitted forms, and tasks. */

import { toFact } from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  boolean,
  either,
  list,
  number,
  object,
  one,
  optional,
  record,
  required,
  type Shape,
  short,
  text,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { textOrNumber, texts } from '../content/content.ts';
import { wordsIn } from './graph.ts';
import { formField, type ReplicaPage, replicaRoot } from './html-page.ts';
import { cellText, heading, link, type PageNode, type SitePage, text as textNode } from './page.ts';
import { type AnswerRubric, rubricShape } from './rubric.ts';
import { parseAddress, type Query } from './site.ts';
import { type ImpossibleReason, reasons, type SiteCase } from './template.ts';

/** Pages by their path in the folder, and their task. */
export type Replica = { readonly pages: { readonly [path: string]: ReplicaPage }; readonly errand: ReplicaTask };

/** A submitted form. */
export type SentForm = { readonly form: string; readonly fields: { readonly [name: string]: string } };

/** A task on a replica. */
export type ReplicaTask = {
  readonly id: string;
  readonly goal: string;
  readonly start: string;
  /** The forms that must have been submitted in the end, in this order, and no others. */
  readonly sends?: readonly SentForm[];
  readonly answer?: string | number;
  readonly rubric?: AnswerRubric;
  readonly impossible?: ImpossibleReason;
  /** A demonstration: the expert's steps. */
  readonly steps: readonly string[];
  readonly held: boolean;
};

/** A form value: a text, possibly empty. */
const fieldValue: Shape<string> = short(text, { type: 'number' }, (value) => (typeof value === 'number' ? String(value) : value));

const sentShape: Shape<SentForm> = object<SentForm>({
  form: required(words, 'the name of the form'),
  fields: withDefault(record(fieldValue), {}, 'values by the names of the fields'),
});

export const errandShape: Shape<ReplicaTask> = object<ReplicaTask>({
  id: required(textOrNumber, 'its name'),
  goal: required(words, 'what is asked for'),
  start: withDefault(words, 'index.html', 'the page on which it starts'),
  sends: optional(list(sentShape), 'forms that must have been sent in the end, and nothing else'),
  answer: optional(either<string | number>('a text or a number', words, number()), 'the one right answer: a number, a date, or words'),
  rubric: optional(rubricShape, 'points that a free answer must make'),
  impossible: optional(one(...reasons), 'why it cannot be done'),
  steps: withDefault(texts, [], 'a demonstration, such as ["click Hours", "answer 9"]'),
  held: withDefault(boolean, false, 'true keeps it out of training'),
});

export const replicaShape: Shape<Replica> = object<Replica>({
  pages: required(
    record(object<ReplicaPage>({ title: required(text), nodes: required(list(anything) as unknown as Shape<readonly PageNode[]>) })),
  ),
  errand: required(errandShape),
});

/** Converts a replica's task to the form that all site tasks have. */
export function errandCase(errand: ReplicaTask): SiteCase {
  const { goal, sends, answer, impossible, steps } = errand;
  const typed = steps.flatMap((step) => /^(?:type|select) .*? = (.*)$/s.exec(step)?.[1] ?? []);
  return {
    goal,
    fields: Object.fromEntries(typed.map((value, i) => [String(i + 1), value])),
    ...(sends === undefined ? {} : { want: { sent: sends.map(({ form, fields }) => ({ form, fields })) } }),
    ...(answer === undefined ? {} : { answer: toFact(answer) }),
    ...(impossible === undefined ? {} : { reason: impossible }),
  };
}

export function startOf({ start }: ReplicaTask): string {
  return `${replicaRoot}${start}`;
}

/** Returns the page at an address. A query keeps only the table rows that contain all its words, so search forms work. */
export function showReplica({ pages }: Pick<Replica, 'pages'>, url: string, sentCount: number): SitePage {
  const { path, query } = parseAddress(url);
  const name = path.slice(replicaRoot.length);
  const page = path.startsWith(replicaRoot) && Object.hasOwn(pages, name) ? pages[name] : undefined;
  if (page === undefined) {
    const [first = ''] = Object.keys(pages);
    const home = Object.hasOwn(pages, 'index.html') ? 'index.html' : first;
    return {
      status: 404,
      title: 'Not found',
      nodes: [heading('Not found', 1), textNode('There is no page at this address.'), link('Home', `${replicaRoot}${home}`)],
    };
  }
  const { sent: receipt, ...search } = query;
  const wanted = Object.values(search).flatMap(wordsIn);
  const notes: PageNode[] = receipt === undefined || sentCount === 0 ? [] : [{ kind: 'status', text: `The form “${receipt}” was sent.` }];
  return { status: 200, title: page.title, nodes: [...notes, ...page.nodes.map((node) => filterRows(node, wanted))] };
}

function filterRows(node: PageNode, wanted: readonly string[]): PageNode {
  if (node.kind !== 'table' || wanted.length === 0) return node;
  const rows = node.rows.filter((row) => {
    const present = new Set(wordsIn(row.map(cellText).join(' ')));
    return wanted.every((word) => present.has(word));
  });
  return { ...node, rows };
}

/** Returns what a POST submits and where it redirects, or null if it belongs to no form. */
export function sendReplica(url: string, message: Query): { readonly sent: SentForm; readonly to: string } | null {
  const { [formField]: form, ...fields } = message;
  return form === undefined ? null : { sent: { form, fields }, to: `${parseAddress(url).path}?sent=${encodeURIComponent(form)}` };
}
