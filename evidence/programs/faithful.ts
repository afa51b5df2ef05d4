/**
 * @file Characters with six statements each are asked about every statement. A faithful paraphrase is paired with a reply that
 * contradicts the statement, and with a faithful reply to another question, which does not answer this one.
 *
 * Options: by ("apc", with its word-based models, which need no download; "overlap": words shared with all statements; "length"),
 * people, seed. Prints the share of pairs in which the faithful reply scores higher (ties count half), for both kinds of pairs, and the
 * number of statements that APC counted against a reply.
 */

import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { apcScorer } from '@ludus-agents/evaluation/internal/scoring/small/apc';
import { contentStems, lexicalEmbedder, lexicalNli } from '@ludus-agents/evaluation/internal/scoring/small/lexical';
import { type EpisodeEvent, type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { ProgramOptions } from '../arms.ts';

const names = ['Mara Lindt', 'Olin Reyes', 'Quin Abara', 'Rosa Keller', 'Sven Dahl', 'Tess Okafor'];
const towns = ['Arle', 'Brinmouth', 'Coltry', 'Dunmore', 'Elvaston', 'Fenwick'];
const friends = ['Ada Venn', 'Boris Hale', 'Clara Moss', 'Dirk Olsen', 'Edda Roth'];
const trades = ['carpenter', 'baker', 'locksmith', 'sailor', 'teacher', 'printer'];
const fears = ['deep water', 'thunder', 'strange dogs', 'empty churches', 'high bridges'];
const drinks = ['wine', 'coffee', 'brandy', 'milk', 'green tea'];

/** What is stated of a person, a question about it, and faithful and false replies in other words. A and B are two entries of a list. */
const topics = [
  {
    list: towns,
    states: 'NAME was born in A.',
    ask: 'Where were you born?',
    right: ['In A, where I was born.', 'A is the place I was born, if you must know.'],
    wrong: ['In B, where I was born.', 'I was never in A; B is my birthplace.'],
  },
  {
    list: trades,
    states: 'NAME works as a A.',
    ask: 'What do you work as?',
    right: ['I am a A, it is honest work.', 'They know me as a working A.'],
    wrong: ['I am a B, it is honest work.', 'I have never worked as a A.'],
  },
  {
    list: fears,
    states: 'NAME is afraid of A.',
    ask: 'Are you afraid of anything?',
    right: ['Yes, A makes me afraid.', 'I confess that I am afraid of A.'],
    wrong: ['No, A has never made me afraid.', 'Nothing in this world scares me, A least of all.'],
  },
  {
    list: drinks,
    states: 'NAME does not drink A.',
    ask: 'May I offer you something to drink?',
    right: ['Thank you, but I do not drink A.', 'Anything but A, which I never drink.'],
    wrong: ['Gladly, I always drink A.', 'One glass of A, please, I drink it every day.'],
  },
  {
    list: friends,
    states: 'NAME is in love with A.',
    ask: 'Is there somebody you love?',
    right: ['I love A, and have for years.', 'There is A, with whom I am in love.'],
    wrong: ['I love B, and have for years.', 'Nobody, and A I cannot love at all.'],
  },
  {
    list: ['two', 'three', 'five', 'six', 'seven'],
    states: 'NAME has A sisters.',
    ask: 'Have you any sisters?',
    right: ['I have A sisters.', 'There are A of them, all older: A sisters.'],
    wrong: ['I have B sisters.', 'No sisters, only brothers.'],
  },
] as const;

interface Fact {
  readonly states: string;
  readonly ask: string;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

interface Person {
  readonly persona: Persona;
  readonly facts: readonly Fact[];
}

function personOf(random: Rng): Person {
  const name = random.pick(names);
  const facts = topics.map(({ list, states, ask, right, wrong }): Fact => {
    const [a = '', b = ''] = random.shuffle([...list]);
    const fill = (text: string) => text.replace('NAME', name).replaceAll(/\bA\b/g, a).replaceAll(/\bB\b/g, b);
    return { states: fill(states), ask, right: right.map(fill), wrong: wrong.map(fill) };
  });
  return { persona: parsePersona({ name, statements: facts.map(({ states }) => states) }), facts };
}

const scorer = apcScorer({ nli: lexicalNli, embedder: lexicalEmbedder });

export default async function run({ by = 'apc', people = 12, seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'faithful');
  let against = 0;
  const scoreOf = async (persona: Persona, ask: string, reply: string): Promise<number> => {
    if (by === 'length') return reply.length;
    if (by === 'overlap') return overlapOf(persona, reply);
    const [score] = await scorer.score({ ...talk(ask, reply), persona: persona as Json } as never, new AbortController().signal);
    against += score?.evidence.filter(({ supports }) => !supports).length ?? 0;
    return score?.value ?? 0;
  };
  const shares: Record<'contradicted' | 'unanswered', number[]> = { contradicted: [], unanswered: [] };
  for (let i = 0; i < Number(people); i++) {
    const { persona, facts } = personOf(random);
    for (const [at, { ask, right, wrong }] of facts.entries()) {
      const faithful = await scoreOf(persona, ask, random.pick(right));
      const compare = async (kind: 'contradicted' | 'unanswered', text: string) => {
        const other = await scoreOf(persona, ask, text);
        shares[kind].push(faithful > other ? 1 : faithful === other ? 0.5 : 0);
      };
      await compare('contradicted', random.pick(wrong));
      await compare('unanswered', random.pick(random.pick(facts.filter((_, other) => other !== at)).right));
    }
  }
  const { contradicted: first, unanswered: second } = shares;
  return { right: meanOrZero([...first, ...second]), contradicted: meanOrZero(first), unanswered: meanOrZero(second), against };
}

function overlapOf({ statements }: Persona, reply: string): number {
  const stated = new Set(statements.flatMap(({ text }) => contentStems(text)));
  const stems = contentStems(reply);
  return stems.filter((stem) => stated.has(stem)).length / Math.max(1, stems.length);
}

function talk(ask: string, reply: string) {
  const events: readonly EpisodeEvent[] = [
    { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['character', 'user'], cast: { character: 'one', user: 'other' } },
    { kind: 'message', to: ['character'], from: 'user', text: ask },
    { kind: 'action', seat: 'character', action: { text: reply } },
    { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: 1 },
  ];
  return { episodes: [{ id: 'talk', events }], seat: 'character' };
}
