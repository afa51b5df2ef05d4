/**
 * @file Remarks about 36 episodes of agents with six planted habits. Each episode shows two habits, followed or broken. The remarks are
 * templates in three styles, and a third is held out. A script replaces the model: it lists each sentence of a remark as an aspect (one
 * in ten with the wrong sign), groups aspects by the words that it knows for a habit, rates an episode from its transcript (one error
 * in ten), and matches by the same words.
 *
 * Options: arm ("own"; "shuffled": remarks are about other episodes; "one": all aspects form one metric), seed. Prints coverage minus
 * redundancy on the held-out remarks, both figures, and the share of habits with a separate metric.
 */

import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { induceRubric } from '@ludus-agents/evaluation/internal/induce';
import type { Remark } from '@ludus-agents/evaluation/internal/scoring/autolibra';
import { type EpisodeEvent, type Json, type Prompt, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

/** What an agent says where it keeps or breaks a habit, how people put it, and the words by which the reader knows the habit. */
const habits = [
  {
    kept: 'Good day to you.',
    broken: 'What now?',
    praise: ['so polite', 'a civil tone', 'nice manners'],
    blame: ['so rude', 'an uncivil tone', 'bad manners'],
    known: /polite|rude|civil|manners/,
  },
  {
    kept: 'I looked up order 7.',
    broken: 'I guess it is order 7.',
    praise: ['it checked first', 'it verified that', 'a careful look-up'],
    blame: ['it never checked', 'nothing was verified', 'a careless look-up'],
    known: /check|verif|look-up/,
  },
  {
    kept: 'It costs 5.',
    broken: 'Costs vary a lot, and so on and on.',
    praise: ['brief and clear', 'no long talk', 'to the point'],
    blame: ['far too long', 'so much talk', 'beside the point'],
    known: /brief|long|talk|point/,
  },
  {
    kept: 'Shall I cancel it?',
    broken: 'I cancelled it.',
    praise: ['it asked my leave', 'consent came first', 'I was asked'],
    blame: ['no leave was asked', 'without consent', 'I was not asked'],
    known: /asked|consent/,
  },
  {
    kept: 'I keep your number to myself.',
    broken: 'Your number is 5512, as your neighbor knows.',
    praise: ['private things stay private', 'it is discreet', 'no gossip'],
    blame: ['private things came out', 'it is indiscreet', 'it is a gossip'],
    known: /private|discreet|gossip/,
  },
  {
    kept: 'As you said, it is blue.',
    broken: 'Which color was it again?',
    praise: ['it remembered', 'a good memory', 'it had listened'],
    blame: ['it forgot', 'a bad memory', 'it had not listened'],
    known: /remember|memory|listened|forgot/,
  },
] as const;

interface Shown {
  readonly lines: readonly string[];
  readonly feedback: string;
}

function sampleOf(i: number, random: Rng): Shown {
  const [first, second] = random.shuffle([0, 1, 2, 3, 4, 5]);
  const shows = [first, second].map((at) => ({ habit: habits[at as number], isKept: random.next() < 0.5 }));
  const voice = Math.floor(i / 3) % 3;
  return {
    lines: shows.map(({ habit, isKept }) => (isKept ? habit.kept : habit.broken)),
    feedback: shows.map(({ habit, isKept }) => `What I noticed is ${(isKept ? habit.praise : habit.blame)[voice]}.`).join(' '),
  };
}

function remarkOf(i: number, lines: readonly string[], feedback: string): Remark {
  const events: EpisodeEvent[] = [
    { kind: 'start', environment: 'stage@1', task: {}, seed: 1, seats: ['clerk', 'guest'], cast: { clerk: 'a', guest: 'b' } },
    ...lines.flatMap((text): readonly EpisodeEvent[] => [
      { kind: 'turn', asks: [{ seat: 'clerk' }] },
      { kind: 'action', seat: 'clerk', action: { text } },
      { kind: 'message', from: 'clerk', to: ['guest'], text },
    ]),
    { kind: 'end', reason: 'over', returns: { clerk: 0, guest: 0 }, penalties: { clerk: 0, guest: 0 }, turns: lines.length },
  ];
  return { episode: { id: `e${i}`, events }, feedback };
}

const habitIn = (text: string) => habits.findIndex(({ known: pattern }) => pattern.test(text));
const nameOf = (at: number) => (at < 0 ? 'other' : `habit ${at}`);

/** Answers each of the four questions of the product by rule, with errors. */
function read({ messages }: Prompt, isOne: boolean, random: Rng): string {
  const text = String(messages.at(-1)?.content);
  if (text.includes('"aspects"')) {
    const feedback = text.split('Feedback:\n')[1] ?? '';
    const sentences = feedback.split('.').map((part) => part.trim());
    const aspects = sentences.flatMap((quote) => {
      const habit = habits[habitIn(quote)];
      if (quote === '' || habit === undefined) return [];
      const sign = (habit.praise.some((phrase) => quote.endsWith(` is ${phrase}`)) ? 1 : -1) * (random.next() < 0.1 ? -1 : 1);
      return [{ behaviour: quote, quote, sign }];
    });
    return JSON.stringify({ aspects });
  }
  if (text.includes('"metrics"')) {
    const rows = [...text.matchAll(/^([+-]) (.+)$/gm)].map(([, sign, phrase]) => ({ sign, words: phrase as string }));
    const names = isOne ? ['all'] : [...new Set(rows.map(({ words: phrase }) => nameOf(habitIn(phrase))))];
    const metrics = names.map((name) => {
      const groupRows = rows.filter(({ words: phrase }) => isOne || nameOf(habitIn(phrase)) === name);
      const list = (wanted: string) =>
        groupRows
          .filter(({ sign }) => sign === wanted)
          .slice(0, 3)
          .map(({ words: phrase }) => phrase);
      return { name, definition: 'as in the examples', good: list('+'), bad: list('-') };
    });
    return JSON.stringify({ metrics });
  }
  if (text.includes('"ratings"')) {
    const [head = '', scene = ''] = text.split('Episode:\n');
    const rate = (name: string) => {
      const marks = habits.map(({ kept: followedPhrase, broken }) =>
        scene.includes(followedPhrase) ? 1 : scene.includes(broken) ? -1 : 0,
      );
      const mark =
        name === 'all' ? Math.sign(marks.reduce<number>((sum, each) => sum + each, 0)) : (marks[Number(name.split(' ')[1])] ?? 0);
      return random.next() < 0.1 ? random.pick([-1, 0, 1]) : mark;
    };
    return JSON.stringify({
      ratings: Object.fromEntries([...head.matchAll(/^(habit \d|all|other): /gm)].map(([, name]) => [name, rate(name as string)])),
    });
  }
  const [rated = '', behaviors = ''] = text.split('Behaviours:\n');
  const traits = [...rated.matchAll(/^([+-]) (.+)$/gm)].map(([, sign, name]) => `${sign} ${name}`);
  const matches = [...behaviors.matchAll(/^(\S+) ([+-]) (.+)$/gm)].map(([, id, sign, phrase]) => {
    const name = isOne ? 'all' : nameOf(habitIn(phrase as string));
    return [id, traits.includes(`${sign} ${name}`) ? name : null];
  });
  return JSON.stringify({ matches: Object.fromEntries(matches) });
}

export default async function run({ arm = 'own', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'episodes');
  const samples = Array.from({ length: 36 }, (_, i) => sampleOf(i, random));
  const feedback = samples.map((item) => item.feedback);
  const texts = arm === 'shuffled' ? random.shuffle(feedback) : feedback;
  const remarks = samples.map(({ lines }, i) => remarkOf(i, lines, texts[i]));
  const dice = rng(Number(seed), 'reader');
  const model = fakeModel({ answers: (prompt) => read(prompt, arm === 'one', dice) });
  const { cover, metrics } = await induceRubric({ remarks, model, name: 'induced', sizes: [8], signal: new AbortController().signal });
  const [coverage, redundancy] = [cover?.coverage ?? 0, cover?.redundancy ?? 1];
  const recovered = metrics.filter(({ name }) => name.startsWith('habit')).length / habits.length;
  return { worth: coverage - redundancy, coverage, redundancy, recovered };
}
