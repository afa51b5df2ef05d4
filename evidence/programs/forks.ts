/**
 * @file Streams of walks past signs at forks. A base model reads a sign correctly half of the time, and a judge values moves with
 * noise; scripts replace both. Signs of some kinds point the other way, which must be discovered.
 *
 * Options: settings (JSON of a search), mirrored (kinds of six), noise, walks, seed. Prints the share of right moves in the second half
 * of a stream, the calls per walk, and how often each mechanism acted.
 */

import { type SearchMind, searchAgent } from '@ludus-agents/agents/internal/search/agent';
import { readSearch } from '@ludus-agents/agents/internal/search/settings';
import type { Action, AnyEnvironment, Json, JsonObject, Rng } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { bestArgued, counting, lastMoveIn, noisy, textsIn } from './_readers.ts';

const kinds = ['willow', 'birch', 'maple', 'cedar', 'aspen', 'hazel'];
const moves = ['[a]', '[b]', '[c]', '[d]'];
const forks = 5;

type Sign = { readonly kind: string; readonly number: number };
type State = { readonly signs: readonly Sign[]; readonly mirrored: readonly string[]; readonly right: number };

const moveOf = ({ kind, number }: Sign, mirrored: readonly string[]) => moves[(number + (mirrored.includes(kind) ? 2 : 0)) % 4];
const signText = ({ kind, number }: Sign) => `A ${kind} sign reads ${number}.`;
const signIn = (text: string): Sign | undefined => {
  const match = /A (\w+) sign reads (\d+)/.exec(text);
  return match === null ? undefined : { kind: match[1], number: Number(match[2]) };
};

function walkPast(mirrored: readonly string[]): AnyEnvironment {
  const onward = (state: State, text: string) => {
    const [sign] = state.signs;
    return {
      ...{ state, messages: [{ to: ['walker'], text: sign === undefined ? text : `${text} ${signText(sign)}` }] },
      asks: sign === undefined ? [] : [{ seat: 'walker', choices: moves }],
      ...(sign === undefined ? { rewards: { walker: state.right / forks } } : {}),
    };
  };
  return {
    id: 'forks@1',
    about: { summary: 'Signs at forks.', tasks: [{}], turns: forks },
    parameters: {},
    task: () => ({}),
    seats: () => ['walker'],
    start: (_: object, random: Rng) =>
      onward(
        { signs: Array.from({ length: forks }, () => ({ kind: random.pick(kinds), number: random.int(100) })), mirrored, right: 0 },
        'Walk.',
      ),
    step(state: State, actions: Readonly<Record<string, Action>>) {
      const [sign, ...signs] = state.signs;
      const isRight = actions['walker']?.text === moveOf(sign, state.mirrored);
      return onward({ ...state, signs, right: state.right + (isRight ? 1 : 0) }, isRight ? 'Right.' : 'Wrong.');
    },
    // An imagined state knows neither the signs to come nor which kinds point the other way.
    imagine: (state: State, _: string, random: Rng) => ({
      ...state,
      mirrored: random.shuffle(kinds).slice(0, 3),
      signs: state.signs.map((sign, i) => (i === 0 ? sign : { kind: random.pick(kinds), number: random.int(100) })),
    }),
  };
}

/** The sign that the next move is about, and where it seems to point by the lessons in view. */
function reading(texts: readonly string[], isAfterMove: boolean): string {
  const signs = texts.flatMap((text) => signIn(text) ?? []);
  const sign = signs.at(isAfterMove ? -2 : -1) ?? signs[0];
  const lessons = texts.flatMap((text) => /Earlier lesson, after \S+: (\w+) signs point the other way/.exec(text)?.[1] ?? []);
  return sign === undefined ? moves[0] : moveOf(sign, lessons);
}

export default async function run({ settings = '{}', mirrored = 0, noise = 0.4, walks = 20, seed = 1 }: ProgramOptions): Promise<Json> {
  const world = rng(Number(seed), 'world');
  const environment = walkPast(world.shuffle(kinds).slice(0, Number(mirrored)));
  let calls = 0;
  const base = scripted('base', (turn) => {
    const texts = textsIn(turn);
    const tried = texts.flatMap((text) => /^Tried here: (\S+), worth 0\.[0-4]/.exec(text)?.[1] ?? []);
    const pointed = reading(texts, false);
    const left = moves.filter((move) => !tried.includes(move));
    return { text: turn.rng.next() < 0.5 && left.includes(pointed) ? pointed : turn.rng.pick(left.length === 0 ? moves : left) };
  });
  const judge = scripted('judge', (turn) => {
    const texts = textsIn(turn);
    const ask = texts.at(-1) ?? '';
    const see = (move: string, isAfterMove: boolean) => noisy(move === reading(texts, isAfterMove) ? 0.8 : 0.2, Number(noise), turn.rng);
    const argued = /Argue for (\S+), in/.exec(ask)?.[1];
    if (argued !== undefined) return { text: `I see ${see(argued, false).toFixed(2)}.` };
    if (ask.includes('"Choice: MOVE"')) return { text: `Choice: ${bestArgued(ask)}` };
    if (ask.includes('"Lesson: …"')) {
      const sign = signIn(ask);
      const move = /You made the move (\S+) and/.exec(ask)?.[1];
      const isByTheSign = sign !== undefined && move === moveOf(sign, []);
      return { text: isByTheSign ? `Lesson: ${sign.kind} signs point the other way` : 'Lesson: read the sign again' };
    }
    if (ask.startsWith('Look at where'))
      return { text: `Score: ${texts.some((text, i) => i === texts.length - 2 && text.startsWith('Wrong')) ? 1 : 9}` };
    return { text: `Score: ${(10 * see(lastMoveIn(turn), true)).toFixed(1)}` };
  });
  const options = { name: 'walker', kind: 'search', settings: JSON.parse(String(settings)) as JsonObject };
  let earlier: { mind: Json | undefined; paths: readonly { steps: []; paid: number }[] } = { mind: undefined, paths: [] };
  const acted: Record<string, number> = {};
  const shares: number[] = [];
  for (let walk = 0; walk < Number(walks); walk++) {
    const agents = { base: counting(base, () => calls++), judge: counting(judge, () => calls++) };
    const past = earlier;
    const agent = searchAgent({
      name: 'walker',
      environment: 'forks',
      settings: readSearch(options),
      ...agents,
      earlier: () => Promise.resolve(past),
    });
    const { events, returns } = await playOne(environment, { walker: agent }, {}, Number(seed) * 1000 + walk);
    const last = events.findLast((event) => event.kind === 'action');
    const mind = last?.kind === 'action' ? last.mind : undefined;
    for (const [name, count] of Object.entries((mind as SearchMind | undefined)?.acted ?? {})) acted[name] = (acted[name] ?? 0) + count;
    shares.push(returns['walker'] ?? 0);
    earlier = { mind, paths: [{ steps: [], paid: 1 }] };
  }
  const half = shares.slice(Math.floor(shares.length / 2));
  return { right: half.reduce((sum, share) => sum + share, 0) / half.length, calls: calls / Number(walks), acted };
}
