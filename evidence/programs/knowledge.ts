/**
 * @file A contact center's questions over articles with planted copies, contradictions, old versions, and noise. Methods of known order
 * answer them: none is read; a random article is read; the best hit of the desk's search is believed; all hits are compared, without
 * old versions.
 *
 * Options: labels ("true" or "shuffled"), seed. Prints the rank correlation with that order, and the share of right answers.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deskEnvironment } from '@ludus-agents/desk/internal/environment/desk';
import { type DeskDocument, readDesk } from '@ludus-agents/desk/internal/environment/document';
import { knowledgeCases } from '@ludus-agents/desk/internal/environment/make/knowledge';
import { type AnyEnvironment, type Json, type Rng, rng, type Script, scripted } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';
import { orderOf, playOne, scriptOf } from './_play.ts';

const environment = deskEnvironment as AnyEnvironment;
const goods = ['pump', 'seal', 'filter', 'hose', 'valve', 'motor', 'tank', 'sensor', 'cable', 'switch'];
const facts = [
  (it: string, value: number) => `The ${it} comes with a warranty of ${value} months from delivery.`,
  (it: string, value: number) => `A ${it} is changed by a fitter within ${value} minutes.`,
  (it: string, value: number) => `Each ${it} may be sent back for ${value} days after it was bought.`,
];

/** The sales desk with thirty articles of two sentences each. */
function deskOf(random: Rng): DeskDocument {
  const rows = goods.flatMap((it) =>
    facts.map((fact, i) => {
      const text = `${fact(it, 100 + random.int(800))} Ask the service if a ${it} is worn.`;
      return [`${it}-${i}`, { title: `About the ${it}`, text, updated: '2025-03-01' }] as const;
    }),
  );
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../examples/sales-desk.json'), 'utf8')) as DeskDocument;
  return readDesk({ ...document, database: { ...document.database, articles: Object.fromEntries(rows) } }, 'articles');
}

interface Article {
  readonly text: string;
  readonly updated?: string;
}

/** What is written in the articles of a desk. */
const articlesOf = ({ database }: Pick<DeskDocument, 'database'>) =>
  Object.values(database['articles']).map(({ text, updated }): Article => ({ text: String(text), updated: String(updated) }));
const numberIn = (text: string) => /\b\d+\b/.exec(text)?.[0] ?? '';
const gapOf = (question: string) => /"(.+?)"\?/.exec(question)?.[1] ?? '';

/** What a clerk answers from a question, the articles of the desk, and what its search has found. */
const methods: readonly ((question: string, all: readonly Article[], hits: readonly Article[], random: Rng) => string)[] = [
  () => 'I do not know.',
  (_, all, __, random) => numberIn(random.pick(all).text),
  (_, __, hits) => numberIn(hits[0]?.text ?? ''),
  (question, _, hits) => {
    const fits = hits.filter(({ text, updated }) => text.replace(/\b\d+\b/, '…').includes(gapOf(question)) && updated !== '1999-01-01');
    return [...new Set(fits.map(({ text }) => numberIn(text)))].join(' or ');
  },
];

function clerkBy(method: (typeof methods)[number], all: readonly Article[]): Script {
  return ({ view: { seen: items }, rng: random }) => {
    const question =
      items.flatMap((item) => (item.kind === 'message' && item.text.includes('How does this go on') ? [item.text] : [])).at(-1) ?? '';
    const last = items.at(-1);
    if (!items.some((item) => item.kind === 'action'))
      return { text: JSON.stringify({ tool: 'search_articles', args: { query: gapOf(question) } }) };
    const hits = last?.kind === 'message' ? hitsIn(last.text) : [];
    return { text: method(question, all, hits, random) };
  };
}

function hitsIn(text: string): readonly Article[] {
  const list = /[[{].*[\]}]/s.exec(text)?.[0];
  if (list === undefined) return [];
  const read = JSON.parse(list) as Article | readonly Article[];
  return Array.isArray(read) ? read : [read as Article];
}

export default async function run({ labels = 'true', seed = 1, debug = 0 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'articles');
  const { tasks: _, ...desk } = deskOf(random);
  const cases = random
    .shuffle(knowledgeCases({ ...desk, tasks: [] } as DeskDocument, random).filter(({ pairs }) => pairs === undefined))
    .slice(0, 40);
  const shares: number[] = [];
  for (const method of methods) {
    const weekReturns: number[] = [];
    for (const [i, deskCase] of cases.entries()) {
      const clerk = clerkBy(method, articlesOf(desk));
      const cast = { agent: scripted('clerk', clerk), customer: scripted('customer', scriptOf(environment, 'customer')) };
      const { events, returns } = await playOne(environment, cast, { desk, case: deskCase } as Json, Number(seed) * 1000 + i);
      if (debug === 1 && i < 2)
        console.log(
          deskCase.probe,
          events.map((e) => ('text' in e ? e.text.slice(0, 600) : e.kind === 'action' ? e.action.text : '')).join('\n'),
          returns,
        );
      weekReturns.push(returns['agent'] ?? 0);
    }
    shares.push(meanOrZero(weekReturns));
  }
  const expected = methods.map((_, i) => i);
  return { order: orderOf(expected, shares, String(labels), Number(seed)), shares };
}
