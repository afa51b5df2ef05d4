/**
 * @file A reader of feedback whose quality is known beforehand, as a model: it needs no key, and what it finds is exact.
 *
 * It goes by words alone. Each sentence of a remark is one aspect, critical where it has a word of criticism. A metric is a word that several
 * aspects share. The honest reader rates an episode as its remarks do; the constant one rates everything 1 without looking.
 */

import type { Json, Model } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Remark } from './autolibra.ts';
import { lineBreak } from './judges/inert.ts';
import { linesOf, sceneOf } from './judges/scene.ts';

export const readerControls = ['honest', 'constant'] as const;
export type ReaderControl = (typeof readerControls)[number];

const critical = linear(
  /\b(not|no|never|without|too|but|rude|bad|badly|wrong|slow|lied?|lying|ignored?|forgot|missed|failed|boring|confus\w*|repeat\w*|un\w+)\b|n['’]t\b/i,
);
const sentenceEnd = new RegExp(`[.!?;\\n${lineBreak}]+`);
const common = new Set(
  'about after again also although and another because been before being could didn does doesn each even every from have here into it its just like made make more most much never only other over really said same should some such than that their them then there they thing this those through too very was well were what when where which while with without would wouldn your'.split(
    ' ',
  ),
);

export function controlReader(control: ReaderControl, remarks: readonly Remark[]): Model {
  const id = `control/${control}`;
  const read = remarks.map((remark) => ({ scene: linesOf(sceneOf(remark.episode)), aspects: aspectsIn(remark.feedback) }));
  const reply = (question: string): Json => {
    if (question.includes('{"aspects"')) return { aspects: aspectsIn(question.split('Feedback:\n').at(-1) ?? '') };
    if (question.includes('{"metrics"')) return { metrics: metricsIn(question) };
    if (question.includes('{"ratings"')) return { ratings: ratingsOf(question, control, read) };
    return { matches: matchesIn(question) };
  };
  return {
    id,
    async complete(prompt, _, signal) {
      signal.throwIfAborted();
      const requestedContent = prompt.messages[1]?.content ?? '';
      const text = JSON.stringify(reply(requestedContent));
      const usage = { promptTokens: Math.ceil(requestedContent.length / 4), completionTokens: Math.ceil(text.length / 4) };
      return { model: id, prompt, text, finish: 'stop', usage, cost: 0 };
    },
  };
}

type ReadAspect = { readonly behaviour: string; readonly quote: string; readonly sign: 1 | -1 };

function aspectsIn(feedback: string): readonly ReadAspect[] {
  return feedback.split(sentenceEnd).flatMap((part): readonly ReadAspect[] => {
    const behaviour = part.trim();
    if (contentWords(behaviour).length === 0) return [];
    // A quote of one or two words proves nothing, so the whole remark is used instead.
    const quote = behaviour.split(/\s+/).length < 3 ? feedback.trim() : behaviour;
    return [{ behaviour, quote, sign: critical.test(behaviour) ? -1 : 1 }];
  });
}

/** Words of four letters or more that say what a sentence is about, without the commonest ending. */
function contentWords(text: string): readonly string[] {
  const all = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return [...new Set(all.filter((word) => !common.has(word)).map((word) => word.replace(/(ly|s)$/, '')))];
}

/** The words that most behaviours share, each with the behaviours that no earlier word took. */
function metricsIn(question: string): Json {
  const most = Number(/at most (\d+) metrics/.exec(question)?.[1] ?? 1);
  let left = [...question.matchAll(/^([+-]) (.+)$/gm)].map(([, sign, text]) => ({ sign, text: text as string }));
  const metrics: Json[] = [];
  while (left.length > 0 && metrics.length < most) {
    const name = commonest(left.map(({ text }) => contentWords(text)));
    const ownItems = left.filter(({ text }) => contentWords(text).includes(name));
    const texts = (wanted: string) => ownItems.filter(({ sign }) => sign === wanted).map(({ text }) => text);
    metrics.push({ name, definition: `what is said of "${name}"`, good: texts('+'), bad: texts('-') });
    left = left.filter((item) => !ownItems.includes(item));
  }
  return metrics;
}

function commonest(lists: readonly (readonly string[])[]): string {
  const counts = new Map<string, number>();
  for (const word of lists.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].reduce((best, item) => (item[1] > best[1] ? item : best))[0];
}

interface ReadRemark {
  readonly scene: string;
  readonly aspects: readonly ReadAspect[];
}

function ratingsOf(question: string, control: ReaderControl, read: readonly ReadRemark[]): Json {
  const [head = '', scene = ''] = question.split('\n\nEpisode:\n');
  const names = [...head.matchAll(linear(/^(.+?): what is said of /gm))].map(([, name]) => name as string);
  const readAspects = read.filter((remark) => remark.scene === scene).flatMap(({ aspects }) => aspects);
  const rate = (name: string) =>
    control === 'constant'
      ? 1
      : Math.sign(readAspects.reduce((sum, { behaviour, sign }) => sum + (contentWords(behaviour).includes(name) ? sign : 0), 0));
  return Object.fromEntries(names.map((name) => [name, rate(name)]));
}

function matchesIn(question: string): Json {
  const [rated = '', behaviours = ''] = question.split('Behaviours:\n');
  const metrics = [...rated.matchAll(/^([+-]) (.+)$/gm)].map(([, sign, name]) => ({ sign, name: name as string }));
  return Object.fromEntries(
    [...behaviours.matchAll(/^(\S+) ([+-]) (.+)$/gm)].map(([, id, sign, text]) => {
      const words = contentWords(text as string);
      return [id, metrics.find((metric) => metric.sign === sign && words.includes(metric.name))?.name ?? null];
    }),
  );
}
