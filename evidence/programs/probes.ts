/**
 * @file Sixty arithmetic questions with four choices are rewritten by ability. A script replaces the model that writes: one rewrite in
 * five asks something else, half of these without losing a number. Three judges err in one of ten verdicts. The examinees are scripts:
 * one knows the original questions by heart, one solves with one error in ten, one fails at new wordings, and one fails with a fifth
 * choice.
 *
 * Options: by ("probes"; "originals": the unchanged questions; "shuffled": the originals with shuffled choices), judges (0 or 3), seed.
 * Prints how far the examinee with memorized answers falls below the solver, the share of items whose answer is still right, whether
 * both weaknesses are attributed to the right ability, and the number of rewritten items.
 */

import { type Json, type Prompt, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { makeItems } from '@ludus-agents/learning/internal/datasets/make/make';
import { mpa } from '@ludus-agents/learning/internal/pipelines/mpa';
import type { KnownQuestion } from '@ludus-agents/learning/internal/pipelines/pipeline';
import type { ProgramOptions } from '../arms.ts';
import { scripts } from './_stages.ts';

const itemCount = 60;
const letters = 'ABCDEFGHIJ';

function questionOf(random: Rng): KnownQuestion {
  const [a, b] = [10 + random.int(40), 10 + random.int(40)];
  const right = a + b;
  const wrong = random.shuffle([-11, -10, -1, 1, 10, 11]).slice(0, 3);
  return {
    question: `What is the sum of ${a} and ${b}?`,
    answer: String(right),
    choices: random.shuffle([right, ...wrong.map((by) => right + by)].map(String)),
  };
}

/** What a text asks for now: a sum, or a difference where the rewrite slipped. */
function truthOf(text: string): string | null {
  const [a, b] = [...(text.split('\n')[0] ?? '').matchAll(/\d+/g)].map(Number);
  return a === undefined || b === undefined ? null : String(text.includes('difference') ? Math.abs(a - b) : a + b);
}

function writer(random: Rng) {
  return ({ messages }: Prompt): string => {
    const text = String(messages.at(-1)?.content);
    const question = /Question: (.+)/.exec(text)?.[1] ?? '';
    const [a, b] = [...question.matchAll(/\d+/g)].map(([digits]) => digits);
    if (text.includes('one more choice')) return String(Number(/The answer is (\d+)/.exec(text)?.[1]) + 20);
    if (random.next() < 0.2) return random.next() < 0.5 ? `How much is ${a} with something more?` : `Find the difference of ${a} and ${b}.`;
    return text.includes('other words') ? `Put ${a} and ${b} together. How many is that?` : `Ann likes numbers. ${question}`;
  };
}

const judge =
  (random: Rng) =>
  ({ messages }: Prompt): string => {
    const text = String(messages.at(-1)?.content);
    const isSame = !text.includes('difference') && !text.includes('something more');
    return isSame !== random.next() < 0.1 ? 'yes' : 'no';
  };

interface Item {
  /** The question with its choices. */
  readonly text: string;
  readonly key: string;
  readonly ability: string;
}

const examinees: Readonly<Record<string, (item: Item, originals: ReadonlyMap<string, string>, random: Rng) => string>> = {
  memory: ({ text }, originals, random) => originals.get(text) ?? random.pick([...'ABCD']),
  solver: (item, _, random) => solve(item, random),
  reader: (item, _, random) => (item.text.includes('sum of') ? solve(item, random) : random.pick([...'ABCD'])),
  knower: (item, _, random) => (item.text.includes('\nE. ') ? random.pick([...'ABCDE']) : solve(item, random)),
};

function solve({ text }: Item, random: Rng): string {
  const [, ...choices] = text.split('\n').map((line) => line.replace(/^[A-J]\. /, ''));
  const at = choices.indexOf(truthOf(text) ?? '');
  return random.next() < 0.1 || at < 0 ? (letters[random.int(choices.length)] ?? 'A') : (letters[at] ?? 'A');
}

const textOf = (question: string, choices: readonly string[]) =>
  `${question}\n${choices.map((choice, i) => `${letters[i]}. ${choice}`).join('\n')}`;

export default async function run({ by = 'probes', judges = 3, seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const random = rng(Number(seed), 'questions');
  const questions = Array.from({ length: itemCount }, () => questionOf(random));
  const plain = questions.map(
    ({ question, choices = [], answer }): Item => ({
      text: textOf(question, choices),
      key: letters[choices.indexOf(answer)] ?? '',
      ability: 'original',
    }),
  );
  const originals = new Map(plain.map(({ text, key }) => [text, key]));
  const dice = rng(Number(seed), 'model');
  let items: readonly Item[] = plain;
  if (by === 'shuffled')
    items = questions.map(({ question, choices = [], answer }) => {
      const order = dice.shuffle(choices);
      return { text: textOf(question, order), key: letters[order.indexOf(answer)] ?? '', ability: 'original' };
    });
  if (by === 'probes') {
    const outcome = await makeItems({
      ...{ pipeline: mpa, source: { kind: 'questions' as const, questions }, model: stage.writer(writer(dice)) },
      judges: Array.from({ length: Number(judges) }, () => stage.writer(judge(dice))),
      ...{ items: itemCount, attempts: 4 * itemCount, seed: Number(seed), concurrency: 1, signal: new AbortController().signal },
      steps: { find: () => undefined, add: () => {} },
    });
    items = outcome.items.map(({ messages, facts }) => ({
      text: String(messages[0]?.content),
      key: String(facts['key']),
      ability: String(facts['ability']),
    }));
  }
  const marks = (name: string, of: readonly Item[]) => {
    const examineeRng = rng(Number(seed), 'examinee', name);
    return meanOrZero(of.map((item) => (examinees[name](item, originals, examineeRng) === item.key ? 1 : 0)));
  };
  const retention = meanOrZero(
    items.map(({ text, key }) => {
      const choices = text.split('\n').slice(1);
      return choices[letters.indexOf(key)]?.slice(3) === truthOf(text.replace('Ann likes numbers. ', '')) ? 1 : 0;
    }),
  );
  const abilities = [...new Set(items.map(({ ability }) => ability))];
  const weakest = (name: string) =>
    abilities
      .map(
        (ability) =>
          [
            ability,
            marks(
              name,
              items.filter((item) => item.ability === ability),
            ),
          ] as const,
      )
      .sort((a, b) => a[1] - b[1])[0]?.[0];
  const diagnosis = (weakest('reader') === 'language understanding' ? 0.5 : 0) + (weakest('knower') === 'domain knowledge' ? 0.5 : 0);
  const drop = (name: string) => marks(name, plain) - marks(name, items);
  return {
    exposed: drop('memory') - drop('solver'),
    ...{ kept: retention, found: diagnosis, written: by === 'probes' ? items.length : 0 },
    profile: Object.fromEntries(Object.keys(examinees).map((name) => [name, marks(name, items)])),
  };
}
