/**
 * @file Text games with four of twelve objects and ten verbs, of which two work with an object, depending on its kind. The command's
 * function extracts experience from random play in other games and gives it to a language agent. A script replaces its model: it tries
 * what its prompt says, and otherwise anything else.
 *
 * Options: with ("affordances", "actions", "both", "none", "permuted": affordances of other objects), games, seed. Prints the mean
 * return of fresh games, the calls per game, and the turns in which experience was recalled.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { Experience } from '@ludus-agents/agents/internal/mind/experience';
import type { Action, AnyEnvironment, Json, Prompt, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { experienceFrom } from '@ludus-agents/learning/internal/experience';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { playOne, scriptOf } from './_play.ts';
import { scripts } from './_stages.ts';

const verbs = ['open', 'close', 'take', 'drop', 'eat', 'smell', 'light', 'ring', 'kick', 'sing'];
/** Two verbs that work with each kind of thing. */
const kinds: Readonly<Record<string, readonly [readonly string[], readonly string[]]>> = {
  containers: [
    ['box', 'chest', 'crate'],
    ['open', 'close'],
  ],
  tools: [
    ['key', 'rope', 'saw'],
    ['take', 'drop'],
  ],
  food: [
    ['apple', 'bread', 'cheese'],
    ['eat', 'smell'],
  ],
  lamps: [
    ['lamp', 'candle', 'torch'],
    ['light', 'kick'],
  ],
};
const objects = Object.values(kinds).flatMap(([names]) => names);
const worksWith = (object: string) => Object.values(kinds).find(([names]) => names.includes(object))?.[1] ?? [];
const [mostMoves, practice] = [12, 40];

type State = { readonly here: readonly string[]; readonly done: readonly string[]; readonly turn: number };

const game: AnyEnvironment = {
  id: 'things@1',
  about: { summary: 'Do with four things all that can be done with them.', tasks: [{}], turns: mostMoves },
  parameters: {},
  task: () => ({}),
  seats: () => ['player'],
  start: (_: object, random: Rng) => onward({ here: random.shuffle(objects).slice(0, 4), done: [], turn: 0 }, 'Begin.', 0),
  step(before: State, actions: Readonly<Record<string, Action>>) {
    const text = actions['player']?.text ?? '';
    const [verb = '', object = ''] = text.split(' ');
    const isNew = before.here.includes(object) && worksWith(object).includes(verb) && !before.done.includes(text);
    const state: State = { ...before, done: isNew ? [...before.done, text] : before.done, turn: before.turn + 1 };
    return onward(state, isNew ? `You ${verb} the ${object}.` : `You cannot ${verb} the ${object}.`, isNew ? 1 / 8 : 0);
  },
};

function onward(state: State, text: string, reward: number) {
  const choices = state.here.flatMap((object) => verbs.map((verb) => `${verb} ${object}`));
  return {
    ...{ state, messages: [{ to: ['player'], text: `${text} Here are: ${state.here.join(', ')}.` }] },
    asks: state.turn === mostMoves || state.done.length === 8 ? [] : [{ seat: 'player', choices }],
    ...(reward > 0 ? { rewards: { player: reward } } : {}),
  };
}

export default async function run({ with: part = 'affordances', games = 30, seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const player = () => scripted('random', scriptOf(game, 'random'));
  const logs = [];
  for (let i = 0; i < practice; i++) logs.push((await playOne(game, { player: player() }, {}, Number(seed) * 1000 + 500 + i)).events);
  const learned = experienceFrom(logs, 'player');
  const experience = partOf(learned, String(part), rng(Number(seed), 'permuted'));
  const load = createAgentLoader({ model: async () => stage.writer(read) });
  const settings = experience === null ? {} : { experience };
  let [sum, calls, acted] = [0, 0, 0];
  await forEachOf(Array.from({ length: Number(games) }), async (_, i) => {
    const agent = await load({ name: 'Ann', kind: 'llm', model: 'fake', settings }, 'player', game);
    const { events, returns } = await playOne(game, { player: agent }, {}, Number(seed) * 1000 + i);
    sum += returns['player'] ?? 0;
    for (const event of events) {
      if (event.kind !== 'action') continue;
      calls += event.calls?.length ?? 0;
      const { why } = (event.mind ?? {}) as { readonly why?: { readonly memories: readonly string[] } };
      if (why?.memories.some((id) => id.startsWith('x/')) === true) acted++;
    }
  });
  return { return: sum / Number(games), calls: calls / Number(games), acted, things: Object.keys(learned.affordances).length };
}

/** The part of the experience that is given; null for none. */
function partOf({ actions, affordances }: Experience, part: string, random: Rng): Experience | null {
  const names = Object.keys(affordances);
  const others = random.shuffle(Object.values(affordances));
  const empty: Experience = { actions: [], affordances: {}, plans: [] };
  if (part === 'affordances') return { ...empty, affordances };
  if (part === 'permuted') return { ...empty, affordances: Object.fromEntries(names.map((name, i) => [name, others[i]])) };
  if (part === 'actions') return { ...empty, actions };
  return part === 'both' ? { ...empty, actions, affordances } : null;
}

/** Tries what the prompt says of things that are here and of moves that were right, then anything; never what it has tried. */
function read({ messages }: Prompt, dice: Rng): string {
  const text = messages.map(({ content }) => String(content)).join('\n');
  const here = [...text.matchAll(/Here are: ([a-z, ]+)\./g)].at(-1)?.[1]?.split(', ') ?? [];
  const tried = new Set([...text.matchAll(/You (?:cannot )?(\w+) the (\w+)\./g)].map(([, verb, object]) => `${verb} ${object}`));
  const options = here.flatMap((object) => verbs.map((verb) => `${verb} ${object}`)).filter((move) => !tried.has(move));
  const last = String(messages.at(-1)?.content);
  const [, afforded = ''] = /What has worked with what you see: (.+)\./.exec(last) ?? [];
  const advised = afforded.split('; ').flatMap((item) => {
    const [object = '', list = ''] = item.split(': ');
    return list.split(', ').map((verb) => `${verb} ${object}`);
  });
  const [, right = ''] = /much the same, (.+) was right\./.exec(last) ?? [];
  const useful = [right, ...advised].filter((move) => options.includes(move));
  return `Action: ${dice.pick(useful.length > 0 ? useful : options)}`;
}
