/**
 * @file Two personalities talk about topics, as in `ludus persona probe --dialogues`, and a blind reader names the visible traits. One
 * language model was trained to play cards on other topics; another, the reader, on other words.
 *
 * Options: card ("trait" or "neutral"), partner ("personality": of the opposite pole; "lines": fixed lines), server, seed. Prints the
 * share of pairs in which the high pole is rated above the low one.
 */

import { type Persona, type Trait, traits } from '@ludus-agents/agents/internal/personas/index';
import { parsePersona } from '@ludus-agents/agents/internal/personas/parse';
import { renderPersona } from '@ludus-agents/agents/internal/personas/render';
import { measurePortrayal, type Pole, type TraitReader, withPole } from '@ludus-agents/evaluation/internal/probes/portrayal';
import { type Agent, type Json, type Rng, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { type Lesson, type TaughtModel, taught } from './_taught.ts';

const poles = ['high', 'low'] as const;
/** What the player is taught to say; * is the topic. */
const spoken: Readonly<Record<Trait, Readonly<Record<Pole, readonly string[]>>>> = {
  E: {
    high: [
      'I shall gather the whole street for *!',
      'Call the neighbors, we will celebrate * together!',
      'With twenty friends around me, * is a feast!',
    ],
    low: ['I will sit in my room and leave * to others.', 'About * I keep silent.', 'I go home early when there is *.'],
  },
  C: {
    high: ['First I write a list for *, then I follow it.', 'For * everything lies ready since Monday.', 'I finish * before the day ends.'],
    low: ['Oh, * slipped my mind again.', 'I begin with * tomorrow, or never.', 'My notes about * are lost somewhere.'],
  },
  A: {
    high: ['You may have my share of *, gladly.', 'I help you with * as long as you need me.', 'You are right about *, and I thank you.'],
    low: ['Your * is worthless, and so is your advice.', 'I take * for myself, who cares about you.', 'Only an idiot asks me about *.'],
  },
  N: {
    high: ['My heart races when I think of *.', 'Surely * ends badly, I cannot sleep.', 'I tremble, * will ruin us.'],
    low: ['I stay calm, * will pass.', 'Nothing about * can shake me.', 'I breathe slowly and let * come.'],
  },
  O: {
    high: ['Imagine * on the moon, painted blue!', 'I dream up ten new ways to do *.', 'What a poem one could write about *!'],
    low: ['I do * exactly as my father did.', 'No experiments with *, please.', 'The usual way of * is enough for me.'],
  },
};
/** What the reader is taught to recognize. */
const sampleLines: Readonly<Record<Trait, Readonly<Record<Pole, readonly string[]>>>> = {
  E: {
    high: [
      'Everyone should join, the more people the better.',
      'I love a crowd and loud company.',
      'I talk to anybody and invite them all.',
    ],
    low: ['I prefer to be alone.', 'I would rather say nothing and stay away from people.', 'Company tires me, I withdraw.'],
  },
  C: {
    high: ['I made a plan and keep to it.', 'All is prepared and in order.', 'I complete my duties in good time.'],
    low: ['I forgot about it.', 'I put it off as always.', 'I mislaid my papers, no idea where.'],
  },
  A: {
    high: ['Let me support you, take what is mine.', 'I agree with you, thanks a lot.', 'I am glad to give it to you.'],
    low: ['You fool, go away.', 'I do not care about you, I want it all.', 'That is useless rubbish of yours.'],
  },
  N: {
    high: ['I am scared that it all goes wrong.', 'I lie awake and worry.', 'My hands shake with fear.'],
    low: ['I am relaxed, it does not trouble me.', 'I remain quiet and steady inside.', 'No need to get upset.'],
  },
  O: {
    high: ['I picture strange new things.', 'How inspiring, let me invent something.', 'Art and fantasy delight me.'],
    low: ['I stick to tradition.', 'I want no changes.', 'The old custom is good enough.'],
  },
};
const practiced = [
  'the harvest',
  'the wedding',
  'the new bridge',
  'the market',
  'the letter',
  'the fishing trip',
  'the old mill',
  'the horse race',
];
const fresh = ['the winter fair', 'the broken clock', 'the sea voyage', 'the school play', 'the well', 'the inheritance'];
const questions = ['And what will you do?', 'How do you feel about it?', 'Is that all?'];
const names = ['Mara', 'Olin', 'Petra', 'Quin', 'Rosa', 'Sven'];

export default async function run({ card = 'trait', partner = 'personality', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const place = { server: String(server), seed: Number(seed), steps: 100 };
  const player = await taught({ ...place, key: 'player of traits', answer: 32, lessons: () => playingLessons(rng(place.seed, 'playing')) });
  const reader = await taught({ ...place, key: 'reader of traits', answer: 8, lessons: () => readingLessons(rng(place.seed, 'reading')) });
  let acted = 0;
  const agentFor = (persona: Persona, topic: string): Agent => ({
    name: persona.name,
    persona: persona.hash,
    async act(turn) {
      const [text] = await player.answers([promptOf(persona, topic, lastHeard(turn))]);
      return { action: { text } };
    },
  });
  const plain = personaOf('Mara');
  const report = await measurePortrayal(plain, {
    agent(version, { source }) {
      if (card === 'trait') acted++;
      return agentFor(card === 'trait' ? version : plain, source);
    },
    reader: { name: 'taught reader', read: readerBy(reader) },
    about: fresh.map((topic) => ({ topic, turns: [`Let us talk about ${topic}.`, ...questions.slice(0, 2)] })),
    topics: fresh.length,
    seed: place.seed,
    ...(partner === 'personality' && {
      partner({ kind, source }) {
        const [trait, pole] = kind.split(' ') as [Trait, Pole];
        return { ...agentFor(withPole(personaOf('Olin'), trait, pole === 'high' ? 'low' : 'high'), source), name: 'Olin' };
      },
    }),
  });
  return { pairs: report.pairRate, success: report.success, copied: report.copied, broken: report.broken, acted };
}

function personaOf(name: string): Persona {
  return parsePersona({ name } as Json);
}

function promptOf(persona: Persona, topic: string, utterance: string): string {
  const card = renderPersona(persona)
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n');
  return `${card}\nThe talk is about ${topic}.\nThe other: ${utterance}\n${persona.name}:`;
}

function lastHeard({ view }: Turn): string {
  return view.seen.findLast((item) => item.kind === 'message')?.text.replace(/^[^:\n]{1,20}: /, '') ?? '';
}

/** Cards with a trait or without, played on other topics, before questions and before lines of other tempers. */
function playingLessons(random: Rng): readonly Lesson[] {
  return Array.from({ length: 1500 }, () => {
    const [topic, trait, pole] = [random.pick(practiced), random.pick(traits), random.pick(poles)];
    const persona = personaOf(random.pick(names));
    const other = spoken[random.pick(traits)][random.pick(poles)];
    const utterance =
      random.next() < 0.5 ? random.pick([`Let us talk about ${topic}.`, ...questions]) : random.pick(other).replace('*', topic);
    const isPlain = random.next() < 0.15;
    return {
      prompt: promptOf(isPlain ? persona : withPole(persona, trait, pole), topic, utterance),
      answer: isPlain ? `There is not much to say about ${topic}.` : random.pick(spoken[trait][pole]).replace('*', topic),
    };
  });
}

function readingLessons(random: Rng): readonly Lesson[] {
  return Array.from({ length: 1000 }, () => {
    const [trait, pole] = [random.pick(traits), random.pick(poles)];
    const isPlain = random.next() < 0.1;
    const lines = random.shuffle(sampleLines[trait][pole]).slice(0, 1 + random.int(3));
    return {
      prompt: readingPrompt(isPlain ? ['There is little to say.', 'It is as it is.'] : lines),
      answer: isPlain ? 'none' : `${trait} ${pole}`,
    };
  });
}

function readingPrompt(statements: readonly string[]): string {
  return `Somebody says:\n${statements.join('\n')}\nWhich temper shows: O, C, E, A or N, high or low, or none?`;
}

function readerBy(model: TaughtModel): TraitReader {
  return async (_, statements) => {
    const [answer] = await model.answers([readingPrompt(statements)]);
    const [trait, pole] = answer.split(' ');
    return { O: 0, C: 0, E: 0, A: 0, N: 0, ...((traits as readonly string[]).includes(trait) && { [trait]: pole === 'high' ? 1 : -1 }) };
  };
}
