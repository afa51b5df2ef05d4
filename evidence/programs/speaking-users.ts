/**
 * @file A user watches an agent do a chore and sometimes speaks: forty conversations in which the person speaks when asked or when
 * something goes wrong. Nine users of known quality are compared with the person. The first decides as the person does and uses the
 * same act; others err in a share of places from 0 to 1, always speak, never speak, or speak at random as often as the person.
 *
 * Options: labels ("true", "shuffled"), seed. Prints the rank correlation of the known order with the F-score of speaking and with the
 * share of equal acts, and both figures of each user.
 */

import { nextLine } from '@ludus-agents/environments/internal/next-line/next-line';
import { dialogueActOf, readSpeaking, speakingTasks } from '@ludus-agents/evaluation/internal/speaking';
import type { AnyEnvironment, EpisodeEvent, EpisodeRecord, Json, Rng, Script, Store } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { orderOf, playOne } from './_play.ts';
import { found, partOf } from './_values.ts';

const talks = 40;
/** What the agent says, and what the person says to it; nothing where it only watches. */
const exchanges: readonly (readonly [said: string, answer: string])[] = [
  ['I walk to the kitchen.', ''],
  ['I open the cupboard.', ''],
  ['I take the pan.', ''],
  ['I put it on the stove.', ''],
  ['I wash the cup.', ''],
  ['Which cup do you mean?', 'The blue one on the shelf.'],
  ['Shall I cut the bread?', 'Yes, into thin slices.'],
  ['Is this the right plate?', 'No, the other one.'],
  ['I cannot find the knife.', 'Please look into the drawer.'],
  ['I dropped the egg.', 'Can you clean that up?'],
  ['The table is set.', 'Thank you.'],
];
const doses = [0, 0.1, 0.2, 0.35, 0.5, 0.8];

/** A user by its error rate; it knows what people answer to which words. */
function userOf(dose: number): Script {
  return ({ view: { seen: items }, rng: random }) => {
    const text = items.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).join('\n');
    const last = [...exchanges].sort((a, b) => text.lastIndexOf(b[0]) - text.lastIndexOf(a[0]))[0];
    const answer = last?.[1] ?? '';
    if (random.next() < dose) return { text: answer === '' ? 'Please hurry.' : random.next() < 0.5 ? '[watch]' : 'I am here.' };
    return { text: answer === '' ? '[watch]' : answer };
  };
}

export default async function run({ labels = 'true', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'talks');
  const tasks = Array.from({ length: talks }, () => speakingTasks(partOf({ user: 'person', turns: turnsOf(random) }))).flat();
  const users: Readonly<Record<string, Script>> = {
    ...Object.fromEntries(doses.map((dose) => [`errs ${dose}`, userOf(dose)])),
    always: () => ({ text: 'Please hurry.' }),
    chance: ({ rng: dice }) => ({ text: dice.next() < 0.5 ? 'Please hurry.' : '[watch]' }),
    never: () => ({ text: '[watch]' }),
  };
  const logs = new Map<string, readonly EpisodeEvent[]>();
  const records: EpisodeRecord[] = [];
  for (const [name, script] of Object.entries(users))
    for (const [i, task] of tasks.entries()) {
      const id = `${name} ${i}`;
      const { events } = await playOne(
        nextLine as AnyEnvironment,
        { character: scripted(name, script) },
        task as Json,
        Number(seed) * 1000 + i,
      );
      logs.set(id, events);
      records.push(partOf<EpisodeRecord>({ id, cast: { character: name }, task: task as Json, environment: nextLine.id }));
    }
  const store = { events: async (id: string) => logs.get(id) ?? [] } as Store;
  const figures = await readSpeaking(store, records, Object.keys(users));
  const byDose = doses.map((dose) => found(figures.find(({ agent }) => agent === `errs ${dose}`)));
  const rival = Math.max(...['always', 'chance', 'never'].map((name) => figures.find(({ agent }) => agent === name)?.f ?? 0));
  const effects = doses.map((dose) => -dose);
  return {
    order: orderOf(
      effects,
      byDose.map(({ f }) => f),
      String(labels),
      Number(seed),
    ),
    acts: orderOf(
      effects,
      byDose.map(({ sameAct, both }) => sameAct / Math.max(1, both)),
      String(labels),
      Number(seed),
    ),
    margin: (byDose[0]?.f ?? 0) - rival,
    users: Object.fromEntries(figures.map(({ agent, f, sameAct, both }) => [agent, [f, sameAct / Math.max(1, both)]])),
    kinds: [...new Set(exchanges.filter(([, answer]) => answer !== '').map(([, answer]) => dialogueActOf(answer)))],
  };
}

/** Some exchanges of one talk, in which now and then the person does what others would not: two in twenty. */
function turnsOf(random: Rng) {
  return Array.from({ length: 6 }, () => random.pick(exchanges)).flatMap(([question, answer]) => {
    const odd = random.next() < 0.1;
    const spoken = odd ? (answer === '' ? 'Wait a moment.' : '') : answer;
    return [{ speaker: 'agent', text: question }, ...(spoken === '' ? [] : [{ speaker: 'person', text: spoken }])];
  });
}
