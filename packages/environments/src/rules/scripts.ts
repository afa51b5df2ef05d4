/** @file Finders of rules: one that abduces hypotheses, deduces the test that splits them best and induces from the result; and one that guesses. */

import type { Script } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { firstText, textsOf } from '../exercise.ts';
import { codeOf, type Painting, reactions, valueAt } from './puzzles.ts';

/** A hypothesis: what each try would show, and the answer that would follow. */
interface Hypothesis {
  readonly shows: (attempt: string) => string;
  readonly answer: string;
}

function abduce(brief: string): readonly Hypothesis[] {
  const reactor = linear(/one of ([\w, ]+)\. What does it make of (\w+) and (\w+)\?/).exec(brief);
  if (reactor !== null)
    return reactor[1].split(', ').map((name) => ({
      shows: (attempt) => {
        const [, a, b] = attempt.split(' ') as [string, string, string];
        return `It makes ${reactions[name](a, b)}.`;
      },
      answer: reactions[name](reactor[2], reactor[3]),
    }));
  const names = [
    ...linear(/f\(x\) = (.+) with hidden/)
      .exec(brief)![1]
      .matchAll(linear(/[abc] \* ([^+]+?)(?= \+|$)/g)),
  ].map((match) => match[1]);
  const all: Hypothesis[] = [];
  for (let n = 0; n < 10 ** names.length; n++) {
    const digits = names.map((_, i) => Math.floor(n / 10 ** i) % 10);
    all.push({
      shows: (attempt) => `f(${attempt.slice(4)}) = ${valueAt(names, digits, Number(attempt.slice(4)))}`,
      answer: digits.join(' '),
    });
  }
  return all;
}

/** Keeps the hypotheses that explain all results, and tries what would leave the fewest of them. */
const versionSpace: Script = ({ view, ask }) => {
  const brief = firstText(view, /Puzzle: /);
  const choices = ask.choices as readonly string[];
  const results = textsOf(view);
  const done = view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
  const tries = choices.filter((choice) => !choice.startsWith('[answer ') && !done.includes(choice));
  const colour = linear(/how many of the (\w+) paintings/).exec(brief)?.[1];
  if (colour !== undefined) {
    const paintings = results.flatMap((text) =>
      [...text.matchAll(linear(/Painting \d+ is (\w+), (\w+)\./g))].map((match): Painting => ({ technique: match[1], colour: match[2] })),
    );
    return { text: tries[0] ?? `[answer ${codeOf(paintings, colour)}]` };
  }
  const left = abduce(brief).filter(({ shows }) =>
    done.every((move) => results.some((text) => text.split('\n', 1)[0] === shows(move.slice(1, -1)))),
  );
  const answers = new Set(left.map(({ answer }) => answer));
  if (answers.size === 1 || tries.length === 0) return { text: `[answer ${left[0].answer}]` };
  const hypothesis = left.length > 200 ? left.filter((_, i) => i % Math.ceil(left.length / 200) === 0) : left;
  const worth = tries.map((item) => new Set(hypothesis.map(({ shows }) => shows(item.slice(1, -1)))).size);
  return { text: tries[worth.indexOf(Math.max(...worth))] };
};

/** Answers at once. */
const guess: Script = ({ ask, rng }) => ({
  text: rng.pick((ask.choices as readonly string[]).filter((choice) => choice.startsWith('[answer '))),
});

export const scripts: Readonly<Record<string, Script>> = { 'version-space': versionSpace, guess };
