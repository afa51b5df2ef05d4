/**
 * @file Questions that conflict with a character's identity or knowledge, each with a twin that does not (RoleRef's classes, from the
 * character's own document).
 *
 * setting: about another world, or beyond the character's horizon. profile: presupposes the opposite of a fact. fake: a true
 * fact with one name, number or place changed. absent: an event that it did not witness. none: the same question without error. open: a
 * plain question with required words in the answer.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { factsOf, opposite, type PersonaFact } from './persona-facts.ts';
import type { Probe } from './probe.ts';

/** A question that presupposes a sentence. */
const claims: readonly ((claim: string) => string)[] = [
  (claim) => `Somebody told me this about you: “${claim}” Is that so?`,
  (claim) => `I read it in a letter: “${claim}” What do you say to that?`,
  (claim) => `Everybody here agrees on one thing: “${claim}” I take it they are right?`,
  (claim) => `Before we go on, let me check what I was told: “${claim}” Correct?`,
  (claim) => `“${claim}” That is what I shall tell the others. You will not mind?`,
];

/** A question about a topic, known or not. */
const topics: readonly ((topic: string) => string)[] = [
  (topic) => `What can you tell me about ${topic}?`,
  (topic) => `I should like to hear all you know of ${topic}.`,
  (topic) => `You surely know about ${topic}. Explain it to me.`,
];

const events: readonly ((event: string) => string)[] = [
  (event) => `You were there: ${event} What did you see?`,
  (event) => `They say that you remember it well: ${event} How was it?`,
];

const unknownTopics = [
  'the Treaty of Varnholm',
  'the Ostwick engine',
  'Lady Mirabel’s second voyage',
  'the Quillon theorem',
  'the plague of Sarrow',
  'the Hexley accords',
  'the Brothers of the Ninth Bell',
  'the Candlewick protocol',
] as const;

const unseenEvents = [
  'The great fire at Ostwick, when the glass roof fell.',
  'The wedding of Mirabel Tarn, where nobody spoke.',
  'The night the bells of Sarrow rang by themselves.',
  'The trial of the three weavers of Quillon.',
  'The morning the river at Hexley ran backwards.',
] as const;

interface Pair {
  readonly conflict: Omit<Probe, 'id' | 'twin'>;
  readonly none?: Omit<Probe, 'id' | 'twin'>;
}

/** At most `most` questions with a conflict and as many without, of every class as evenly as the document allows. */
export function knowledgeProbes(persona: Persona, most: number, seed: Seed = 0): readonly Probe[] {
  const dice = rng(seed, 'probe', 'knowledge');
  const facts = factsOf(persona);
  const classes = [profilePairs(facts, persona), fakePairs(facts), settingPairs(persona, facts), absentPairs(persona)].map((pairs) =>
    dice.shuffle(pairs),
  );
  const selectedPairs = inTurns(classes, most);
  const spare = openQuestions(facts, dice);
  const paired = selectedPairs.flatMap(({ conflict, none }, i): readonly Probe[] => {
    const id = `knowledge ${i + 1}`;
    // A class without a twin uses an open question, so both sorts have the same number of questions.
    const other = none ?? spare[i % Math.max(1, spare.length)];
    if (other === undefined) return [{ ...conflict, id }];
    return [
      { ...conflict, id, twin: `${id} twin` },
      { ...other, id: `${id} twin`, twin: id },
    ];
  });
  const open = spare.slice(0, most).map((item, i): Probe => ({ ...item, kind: 'open', id: `knowledge open ${i + 1}` }));
  return [...paired, ...open];
}

/** Takes items from the lists in turn, until there are enough or all are used up. */
function inTurns<T>(lists: readonly (readonly T[])[], most: number): readonly T[] {
  const used: T[] = [];
  for (let round = 0; used.length < most && lists.some((list) => list.length > round); round++)
    for (const list of lists) if (list.length > round && used.length < most) used.push(list[round]);
  return used;
}

const common = { section: 'knowledge', key: [] } as const;

function claimProbe(kind: string, source: string, gold: 'answer' | 'correct', question: string, claim: string): Omit<Probe, 'id' | 'twin'> {
  return { ...common, kind, source, gold, turns: [question], claim };
}

function profilePairs(facts: readonly PersonaFact[], { name }: Persona): readonly Pair[] {
  return facts.flatMap(({ id, text }) => {
    const wrong = opposite(text, name);
    if (wrong === null) return [];
    return claims.map((ask) => ({
      conflict: claimProbe('profile', id, 'correct', ask(wrong), wrong),
      none: claimProbe('none', id, 'answer', ask(text), text),
    }));
  });
}

function fakePairs(facts: readonly PersonaFact[]): readonly Pair[] {
  return facts.flatMap(({ id, text, edits }) =>
    edits.flatMap(({ from, to }) => {
      const wrong = text.replace(from, () => to);
      return claims.map((ask) => ({
        conflict: claimProbe('fake', id, 'correct', ask(wrong), wrong),
        none: claimProbe('none', id, 'answer', ask(text), text),
      }));
    }),
  );
}

/** A character that is designed to guess about nonexistent facts is not wrong, so these questions are skipped. */
function settingPairs({ knowledge }: Persona, facts: readonly PersonaFact[]): readonly Pair[] {
  const { horizon, cannotKnow, mustRefuse, knows, onUnknown } = knowledge;
  const unknown = [
    ...(onUnknown === 'guess_in_character' ? [] : unknownTopics),
    ...cannotKnow.map(({ topic }) => topic),
    ...mustRefuse.map(({ topic }) => topic),
    ...(horizon?.date === undefined ? [] : [`what happened in the year after ${horizon.date}`]),
    ...(horizon?.event === undefined ? [] : [`what came after this: ${horizon.event}`]),
  ];
  const knownNames = knows.filter(({ depth }) => depth !== 'name').map(({ topic }) => topic);
  const topic = (i: number) => knownNames[i % Math.max(1, knownNames.length)] ?? (facts.length > 0 ? 'your own life and work' : undefined);
  return unknown.flatMap((item, i) =>
    topics.map((ask): Pair => {
      const other = topic(i);
      return {
        conflict: { ...common, kind: 'setting', source: item, gold: 'refuse', turns: [ask(item)] },
        ...(other === undefined ? {} : { none: { ...common, kind: 'none', source: other, gold: 'answer', turns: [ask(other)] } }),
      };
    }),
  );
}

function absentPairs({ identity, name }: Persona): readonly Pair[] {
  const { history } = identity.context;
  return unseenEvents.flatMap((event, i) =>
    events.map((ask): Pair => {
      const past = history[i % Math.max(1, history.length)];
      return {
        conflict: { ...common, kind: 'absent', source: event, gold: 'refuse', turns: [ask(event)] },
        ...(past === undefined
          ? {}
          : {
              none: {
                ...common,
                kind: 'none',
                source: 'history',
                gold: 'answer',
                turns: [ask(`${past.replace(/[.;]\s*$/, '')}.`)],
                claim: `${name}: ${past}`,
              },
            }),
      };
    }),
  );
}

const manners: readonly ((question: string) => string)[] = [
  (question) => question,
  (question) => `One thing I never asked: ${question}`,
  (question) => `Good evening. ${question}`,
];

/** Plain questions with required words in the answer. */
function openQuestions(facts: readonly PersonaFact[], dice: Rng): readonly Omit<Probe, 'id' | 'twin'>[] {
  const requests = facts.flatMap(({ id, asks, keys }) =>
    asks === undefined
      ? []
      : manners.map((ask) => ({ ...common, kind: 'none', source: id, gold: 'answer' as const, turns: [ask(asks)], key: keys })),
  );
  return dice.shuffle(requests);
}
