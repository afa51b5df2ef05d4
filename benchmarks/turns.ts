/**
 * @file Who speaks next, by our rules and by people: `npm run bench -- turns --conversations=FILE.csv`. The file has the columns Dialogue_ID, Speaker and Utterance, as
 * MELD has (conversations of three and more), or it is a folder with the cleaned episodes of CRD3, of which each 40 turns count as a conversation.
 *
 * Asked after every utterance in conversations of three or more: among those who have spoken in it or will, who is next? A rule that picks several is read by its first.
 * With --model=NAME, a language model picks, asked as the order `director` asks it: the candidate whose name is likeliest.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nextSpeakers, type SpeakingOrder } from '@ludus-agents/environments/internal/turn-taking';
import { readCsvRecords } from '@ludus-agents/kernel/internal/core/csv';
import { type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { loadModel } from 'ludus-agents';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface SpokenLine {
  readonly speaker: string;
  readonly text: string;
}

/** A place in a conversation: what was said so far, who may be next, and who was. */
interface Place {
  readonly before: readonly SpokenLine[];
  readonly candidates: readonly string[];
  readonly next: string;
}

type Guess = (place: Place) => string | undefined;

const sample: readonly (readonly SpokenLine[])[] = [
  [
    { speaker: 'Ann', text: 'Ben, did you lock up?' },
    { speaker: 'Ben', text: 'I did.' },
    { speaker: 'Cleo', text: 'He did not.' },
    { speaker: 'Ann', text: 'Well?' },
  ],
];

function conversationsIn(file: string): readonly (readonly SpokenLine[])[] {
  if (statSync(file).isDirectory())
    return readdirSync(file)
      .sort()
      .flatMap((name) => episodeParts(join(file, name)));
  const rows = readCsvRecords(readFileSync(file, 'utf8'), file);
  const dialogues = Map.groupBy(rows, (row) => String(row['Dialogue_ID']));
  return [...dialogues.values()].map((lines) => lines.map((row) => ({ speaker: String(row['Speaker']), text: String(row['Utterance']) })));
}

/** An episode of CRD3 in parts of 40 turns. Turns of several speakers at once are left out. */
function episodeParts(file: string): readonly (readonly SpokenLine[])[] {
  const { TURNS: turns } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly TURNS: readonly { readonly NAMES: readonly string[]; readonly UTTERANCES: readonly string[] }[];
  };
  const lines: SpokenLine[] = [];
  for (const { NAMES: names, UTTERANCES: utterances } of turns) {
    const [speaker, another] = names;
    if (speaker === undefined || another !== undefined) continue;
    const before = lines.at(-1)?.speaker === speaker ? (lines.pop()?.text ?? '') : '';
    lines.push({ speaker, text: [before, ...utterances].join(' ').trim() });
  }
  return Array.from({ length: Math.ceil(lines.length / 40) }, (_, part) => lines.slice(40 * part, 40 * part + 40));
}

function placesIn(lines: readonly SpokenLine[]): readonly Place[] {
  // By name: the order of appearance would tell who speaks next.
  const speakers = [...new Set(lines.map(({ speaker }) => speaker))].sort();
  if (speakers.length < 3) return [];
  return lines.slice(1).flatMap(({ speaker: next }, i): readonly Place[] => {
    const before = lines.slice(0, i + 1);
    const candidates = speakers.filter((name) => name !== before.at(-1)?.speaker);
    return candidates.includes(next) ? [{ before, candidates, next }] : [];
  });
}

/** One of our orders. Talkativeness is the share of the utterances so far. */
function byOrder(order: SpeakingOrder, seed: number): Guess {
  const dice = rng(seed, order);
  return ({ before, candidates }) => {
    const last = before.at(-1);
    const at = candidates.findIndex((name) => name > (last?.speaker ?? ''));
    const round = [...candidates.slice(Math.max(0, at)), ...candidates.slice(0, Math.max(0, at))];
    const speakers = round.map((name) => ({
      name,
      talkativeness: before.filter(({ speaker }) => speaker === name).length / before.length,
    }));
    const recent = before.flatMap(({ speaker }, i) => (before[i + 1]?.speaker === speaker ? [] : [speaker]));
    return nextSpeakers({ order, speakers, said: last?.text ?? '', turn: 0, recent, rng: dice })[0];
  };
}

const atOnce = 64;
const shownLines = 12;

/** The pick of a language model for each place, without the names' own likelihood where nothing was said. */
async function picksOf(model: Model, places: readonly Place[]): Promise<ReadonlyMap<Place, string | undefined>> {
  const { score } = model;
  if (score === undefined) throw new Error(`${model.id} does not score answers.`);
  const picks = new Map<Place, string | undefined>();
  const ask = async (before: readonly SpokenLine[], candidates: readonly string[]) => {
    const names = candidates.toSorted().join(', ');
    const request = `You decide who speaks next in a conversation. Pick whom the last words concern, or who would speak up: ${names}.`;
    const talk = before.slice(-shownLines).map(({ speaker, text }) => `${speaker}: ${text}`);
    const content = [request, '', ...talk, '', 'Who speaks next? Answer with the name alone.'].join('\n');
    return (await score.call(model, { messages: [{ role: 'user', content }] }, candidates, new AbortController().signal)).logprobs;
  };
  for (let at = 0; at < places.length; at += atOnce)
    await Promise.all(
      places.slice(at, at + atOnce).map(async (place) => {
        const { before, candidates } = place;
        const [said, unsaid] = await Promise.all([ask(before, candidates), ask([], candidates)]);
        const gains = said.map((logprob, i) => logprob - (unsaid[i] ?? 0));
        picks.set(place, candidates[gains.indexOf(Math.max(...gains))]);
      }),
    );
  return picks;
}

/** Whoever spoke before the last one, as people in a dialogue of two do. */
const previous: Guess = ({ before, candidates }) =>
  before.findLast(({ speaker }) => candidates.includes(speaker))?.speaker ?? candidates[0];

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const file = flags['conversations'];
  const conversations = typeof file === 'string' ? conversationsIn(file) : sample;
  const groups = conversations.map(placesIn).filter((places) => places.length > 0);
  const draws = sizeOf(flags, 'draws', 1000, 10);
  const seed = sizeOf(flags, 'seed', 7001, 7001);
  const rightOf = (guess: Guess) =>
    groups.map((places) => ({ right: places.filter((place) => guess(place) === place.next).length, of: places.length }));
  const figure = (name: string, results: readonly { readonly right: number; readonly of: number }[]): Figure => {
    const share = (of: typeof results) => of.reduce((sum, { right }) => sum + right, 0) / of.reduce((sum, group) => sum + group.of, 0);
    const dice = rng(seed, 'bootstrap');
    const shares = Array.from({ length: draws }, () => share(results.map(() => dice.pick(results)))).sort((a, b) => a - b);
    const [low = 0, high = 0] = [shares[Math.floor(0.025 * draws)], shares[Math.ceil(0.975 * draws) - 1]];
    return { name, value: share(results), unit: 'share right', note: `${low.toFixed(3)} to ${high.toFixed(3)}, conversations drawn again` };
  };
  const chance = groups.map((places) => ({
    right: places.reduce((sum, { candidates }) => sum + 1 / candidates.length, 0),
    of: places.length,
  }));
  const isCalled = (place: Place) => byCalled(place) !== undefined;
  const called = groups.map((places) => places.filter(isCalled)).filter((places) => places.length > 0);
  const named = flags['model'];
  const byModel: Figure[] = [];
  if (typeof named === 'string') {
    const picks = await picksOf(await loadModel(named), groups.flat());
    const model = rightOf((place) => picks.get(place));
    const less = (other: typeof model) => model.map(({ right, of }, i) => ({ right: right - (other[i]?.right ?? 0), of }));
    byModel.push(
      figure(`a model, ${named}`, model),
      figure(`a model less chance, ${named}`, less(chance)),
      figure(`a model less order reply, ${named}`, less(rightOf(byOrder('reply', seed)))),
      figure(
        `called names, else a model, ${named}`,
        rightOf((place) => byCalled(place) ?? picks.get(place)),
      ),
    );
  }
  return [
    ...byModel,
    { name: 'conversations of three or more', value: groups.length, unit: 'conversations' },
    { name: 'places', value: groups.reduce((sum, places) => sum + places.length, 0), unit: 'places' },
    figure('chance', chance),
    figure('whoever spoke before the last', rightOf(previous)),
    figure('order reply', rightOf(byOrder('reply', seed))),
    figure(
      'order reply less whoever spoke before the last',
      rightOf(byOrder('reply', seed)).map(({ right, of }, i) => ({ right: right - (rightOf(previous)[i]?.right ?? 0), of })),
    ),
    figure('order named or one', rightOf(byOrder('one', seed))),
    figure('order talkative', rightOf(byOrder('talkative', seed))),
    ...(called.length === 0
      ? []
      : [
          { name: 'places where a name was called', value: called.reduce((sum, places) => sum + places.length, 0), unit: 'places' },
          figure(
            'the one who was called',
            called.map((places) => ({ right: places.filter((place) => byCalled(place) === place.next).length, of: places.length })),
          ),
          figure(
            'chance there',
            called.map((places) => ({ right: places.reduce((sum, { candidates }) => sum + 1 / candidates.length, 0), of: places.length })),
          ),
        ]),
  ];
}

/** Who was called by name, if anyone was: the order `one` picks the same whoever would be next otherwise. */
function byCalled(place: Place): string | undefined {
  const speakers = place.candidates.map((name) => ({ name, talkativeness: 0 }));
  const pick = (list: typeof speakers) =>
    nextSpeakers({ order: 'one', speakers: list, said: place.before.at(-1)?.text ?? '', turn: 0, rng: rng(0, 'none') })[0];
  const [first, second] = [pick(speakers), pick(speakers.toReversed())];
  return first === second ? first : undefined;
}
