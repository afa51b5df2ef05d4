/**
 * @file A writer implements eight worlds from descriptions. Each world has a test: the described walk wins, the walk without the
 * required object does not, and winning takes no more moves than the description allows.
 *
 * A script replaces the model that writes. It makes five kinds of mistakes, two of them often in each world, and avoids a mistake in
 * nine of ten cases if it was told about it. Options: arm ("on": it is told the reasons; "silent": three tries without reasons;
 * "other": it is told random mistakes, as many as there are reasons), seed. Prints the share of worlds that pass their test, the number
 * of tries, and the number of reasons that the writer was told.
 */

import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { readStory } from '@ludus-agents/environments/internal/story/story';
import { type AnyEnvironment, type Json, type Rng, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { documentFromWords } from '../../packages/ludus-agents/src/from-words.ts';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';

const worlds = 8;
const places = ['shore', 'cellar', 'tower', 'garden', 'harbor', 'mill', 'chapel', 'forest', 'market', 'bridge'];
const objects = ['key', 'lamp', 'rope', 'coin', 'map', 'bell'];

interface World {
  readonly path: readonly string[];
  readonly thing: string;
  readonly at: number;
  /** How often the writer makes each mistake here. */
  readonly slips: Readonly<Record<Mistake, number>>;
}

/** What shows when the document is read or played, and the last only when it is tested against the words. */
const mistakes = ['stray', 'nowhere', 'alike', 'shut', 'free'] as const;
type Mistake = (typeof mistakes)[number];

function worldOf(random: Rng): World {
  const path = random.shuffle(places).slice(0, 3 + random.int(2));
  const often = random.shuffle(mistakes.slice(0, 4)).slice(0, 2);
  const slips = Object.fromEntries(mistakes.map((mistake) => [mistake, often.includes(mistake) ? 0.8 : 0.05])) as World['slips'];
  return { path, thing: random.pick(objects), at: random.int(path.length - 1), slips };
}

const wordsOf = ({ path, thing: object, at }: World) =>
  `A walk from ${path.join(' to ')}. Whoever brings the ${object} from the ${path[at]} into the last of these places opens the gate there and wins.`;

const movesOf = ({ path, thing: object, at }: World, takes: boolean) => [
  ...path.slice(1).flatMap((place, i) => [...(takes && i === at ? [`[take ${object}]`] : []), `[go to ${place}]`]),
  '[open the gate]',
];

function writeWorld(world: World, mistakes: ReadonlySet<Mistake>): Json {
  const { path, thing: object, at } = world;
  const rooms = path.map((place, i) => {
    const next = path[i + 1];
    const onward = next === undefined ? {} : { [`[go to ${next}]`]: { to: mistakes.has('stray') && i === 0 ? `${next} road` : next } };
    const take = i === at && !mistakes.has('shut') ? { [`[take ${object}]`]: { to: place, gives: [object] } } : {};
    const gate = next === undefined ? { '[open the gate]': { to: 'end', ...(mistakes.has('free') ? {} : { needs: [object] }) } } : {};
    const away = next === undefined ? { '[turn back]': { to: 'lost' } } : {};
    return [place, { text: `You are at the ${place}.`, moves: { ...onward, ...take, ...gate, ...away } }];
  });
  const ends = {
    end: { text: 'You win.', over: true, pays: mistakes.has('alike') ? 0 : 1 },
    lost: { text: 'You gave up.', over: true, pays: 0 },
  };
  const begins = mistakes.has('nowhere') ? 'start' : path[0];
  return { kind: 'story', name: 'x', about: 'Win.', begins, turns: 12, places: { ...Object.fromEntries(rooms), ...ends } };
}

/** The mistakes that a reason may be about, as someone sees it who knows the form. */
function mistakesIn(reason: string): readonly Mistake[] {
  if (reason.includes('beginning leads to')) return ['nowhere'];
  if (reason.includes('leads to')) return ['stray'];
  return reason.includes('endings pay') ? ['alike', 'shut'] : [];
}

async function wins(environment: AnyEnvironment, moves: readonly string[], seed: number): Promise<boolean> {
  const [seat = ''] = environment.seats(environment.task({}));
  let at = 0;
  const walker = scripted('walker', ({ ask }) => {
    const move = moves[at++];
    return { text: move !== undefined && ask.choices?.includes(move) === true ? move : (ask.choices?.at(-1) ?? '') };
  });
  const { returns } = await playOne(environment, { [seat]: walker }, {}, seed);
  return (returns[seat] ?? 0) > 0.5;
}

export default async function run({ arm = 'on', seed = 1 }: ProgramOptions): Promise<Json> {
  const environment = await builtInEnvironment('tic-tac-toe');
  const random = rng(Number(seed), 'worlds');
  let [pass, tries, informed] = [0, 0, 0];
  for (let i = 0; i < worlds; i++) {
    const world = worldOf(random);
    const dice = rng(Number(seed), 'writer', i);
    const model = fakeModel({
      answers({ messages }) {
        tries++;
        const [, reason] = /cannot be used:\n([\s\S]*)$/.exec(String(messages[0]?.content)) ?? [];
        const reasons = reason === undefined || arm === 'silent' ? [] : reason.split('\n');
        if (arm === 'on' && reasons.length > 0) informed++;
        const warned = reasons.flatMap((text): readonly Mistake[] => (arm === 'on' ? mistakesIn(text) : [dice.pick(mistakes)]));
        return JSON.stringify(
          writeWorld(
            world,
            new Set(mistakes.filter((mistake) => dice.next() < (warned.includes(mistake) ? 0.1 : 1) * world.slips[mistake])),
          ),
        );
      },
    });
    const document = await documentFromWords({
      ...{ what: 'environment', name: 'mine', words: wordsOf(world), model, modelName: 'fake', environment },
      place: { cwd: process.cwd(), env: {} },
    }).then(
      (result) => result.document,
      () => null,
    );
    const story = document === null ? undefined : readStory(document, 'mine');
    if (story === undefined) continue;
    if ((await wins(story, movesOf(world, true), i)) && !(await wins(story, movesOf(world, false), i))) pass += 1 / worlds;
  }
  return { pass, tries: tries / worlds, told: informed };
}
