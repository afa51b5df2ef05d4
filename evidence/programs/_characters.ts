/** @file Questions about people, answered by a reader from a layered description, a character builder, or inferred traits. */

import { buildCharacter } from '@ludus-agents/agents/internal/personas/builder';
import { lexicalBigFive } from '@ludus-agents/agents/internal/personas/lexical';
import { parsePersona } from '@ludus-agents/agents/internal/personas/parse';
import { contextLines, personalLines, socialLines } from '@ludus-agents/agents/internal/personas/prose';
import { renderPersona } from '@ludus-agents/agents/internal/personas/render';
import type { Json, Rng } from '@ludus-agents/kernel/internal/core/index';
import type { ReadingItem, ReadingItems } from './_reading.ts';

const names = ['Mara', 'Olin', 'Petra', 'Quin', 'Rosa', 'Sven', 'Tess', 'Ugo', 'Vera', 'Wim'];
const jobs = ['baker', 'nurse', 'teacher', 'driver', 'cook', 'sailor', 'farmer', 'clerk', 'smith', 'officer'];
const towns = ['Arle', 'Brin', 'Colt', 'Dunmore', 'Elva', 'Fenwick', 'Garth', 'Holt', 'Irwell', 'Jarrow'];
const hobbies = ['chess', 'sewing', 'rowing', 'painting', 'singing', 'fencing', 'carving', 'juggling', 'archery', 'weaving'];
const pasts = [
  'grew up on a boat',
  'lost a brother',
  'won a race',
  'lived abroad',
  'sold a farm',
  'served at sea',
  'raised bees',
  'built a mill',
];
const aims = ['open an inn', 'sail around the world', 'write a book', 'win a prize', 'own a horse', 'find a treasure', 'found a school'];
const styles = ['by lot', 'by asking friends', 'by sleeping over it', 'by listing reasons', 'at once', 'by feeling'];

/** People in three layers (social, personal, life context). Arms: "all" layers in view, or one of them. */
export function layerItems(random: Rng, { by, people }: { readonly by: string; readonly people: number }): ReadingItems {
  const items: ReadingItem[] = [];
  for (let i = 0; i < people; i++) {
    const name = random.pick(names);
    const [town, job, style, hobby, past] = [towns, jobs, styles, hobbies, pasts].map((list) => random.pick(list)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const { identity } = parsePersona({
      name,
      identity: {
        social: { residence: town, occupation: { title: job } },
        personal: { decisionStyle: style },
        context: { interests: [hobby], history: [past] },
      },
    } as Json);
    const layers = { social: socialLines(identity.social), personal: personalLines(identity), context: contextLines(identity) };
    const notes = (by === 'all' ? Object.values(layers).flat() : (layers[by as keyof typeof layers] ?? [])).join('\n');
    const questions: readonly (readonly [string, string])[] = [
      [`What is the work of ${name}?`, job],
      [`How does ${name} decide?`, style],
      [`What interests ${name}?`, hobby],
      [`What happened to ${name} in the past?`, past],
    ];
    for (const [question, answer] of questions) items.push({ notes, question, answer, complete: notes.includes(answer) });
  }
  return { items, acted: by === 'all' ? 2 * people : 0 };
}

/** Built characters. Arms: "full" document, one "without" the choice that is asked about, or with the choice of "another" character. */
export function choiceItems(random: Rng, { by, people }: { readonly by: string; readonly people: number }): ReadingItems {
  const items: ReadingItem[] = [];
  for (let i = 0; i < people; i++) {
    const name = random.pick(names);
    const draw = () => ({ career: random.pick(jobs), aspiration: random.pick(aims), skills: [random.pick(hobbies)] });
    const [choices, others] = [draw(), draw()];
    for (const kind of ['career', 'aspiration', 'skills'] as const) {
      const { [kind]: _, ...rest } = choices;
      const traits = by === 'full' ? choices : by === 'without' ? rest : { ...choices, [kind]: others[kind] };
      const { persona } = buildCharacter({ name, age: 40, ...traits });
      const notes = renderPersona(persona)
        .map(({ text }) => text)
        .filter((text) => text !== '')
        .join('\n');
      const question = {
        career: `What is the work of ${name}?`,
        aspiration: `What does ${name} want?`,
        skills: `What is ${name} good at?`,
      }[kind];
      const answer = [choices[kind]].flat()[0];
      items.push({ notes, question, answer, complete: notes.includes(answer) });
    }
  }
  return { items, acted: by === 'full' ? 3 * people : 0 };
}

const poles = {
  E: { high: ['outgoing', 'talkative', 'lively', 'sociable'], low: ['shy', 'quiet', 'reserved', 'timid'], asks: 'go to a large party' },
  C: { high: ['careful', 'punctual', 'tidy', 'thorough'], low: ['careless', 'messy', 'forgetful', 'lazy'], asks: 'plan the week ahead' },
  A: { high: ['kind', 'generous', 'gentle', 'polite'], low: ['rude', 'selfish', 'harsh', 'cold'], asks: 'lend a stranger money' },
  N: { high: ['anxious', 'nervous', 'worried', 'moody'], low: ['calm', 'relaxed', 'composed', 'serene'], asks: 'worry about an exam' },
  O: {
    high: ['curious', 'creative', 'imaginative', 'artistic'],
    low: ['conventional', 'practical', 'predictable', 'old-fashioned'],
    asks: 'visit a strange museum',
  },
} as const;

/** Writers whose traits show in their letters. Arms: traits "inferred" from one's own letter, or those of "another" writer. */
export function traitItems(random: Rng, { by, writers }: { readonly by: string; readonly writers: number }): ReadingItems {
  const keys = Object.keys(poles) as (keyof typeof poles)[];
  const people = Array.from({ length: writers + 1 }, () => {
    const high = Object.fromEntries(keys.map((key) => [key, random.next() < 0.5])) as Record<(typeof keys)[number], boolean>;
    const adjectives = keys.flatMap((key) => random.shuffle(poles[key][high[key] ? 'high' : 'low']).slice(0, 2));
    const letter = random.shuffle(adjectives).map((word) => `They say I am ${word}.`);
    return { high, traits: lexicalBigFive(letter.join(' ')).traits };
  });
  const items = people.slice(0, writers).flatMap(({ high }, i) => {
    const { traits } = people[by === 'another' ? i + 1 : i];
    const bigFive = Object.fromEntries(keys.map((key) => [key, { score: traits[key].score }]));
    const notes = personalLines(parsePersona({ name: 'Writer', identity: { personal: { bigFive } } }).identity).join('\n');
    return keys.map((key) => ({
      ...{ notes, question: `Would this writer ${poles[key].asks}?`, answer: high[key] ? 'yes' : 'no', complete: true },
    }));
  });
  return { items, acted: by === 'inferred' ? 5 * writers : 0 };
}
