/**
 * @file Villagers live through a town of the product. Then each is interviewed about hours of earlier days. A language model that was
 * trained to answer from notes reads the memories that the villager recalls.
 *
 * Options: memory ("stream": recency, importance, and relevance; "latest": the same number of latest entries; "other": the stream of
 * another villager), server, seed. Prints the share of answers that are true according to the log, the share of notes that contain the
 * answer, and the number of recalled notes that are not among the latest.
 */

import { emptyMemory } from '@ludus-agents/agents/internal/mind/memory';
import type { Placed } from '@ludus-agents/agents/internal/mind/mind';
import { eventText, recall } from '@ludus-agents/agents/internal/mind/recall';
import { type Agent, type Json, type Rng, rng, type Seat, type Seen, scripted } from '@ludus-agents/kernel/internal/core/index';
import { town } from '@ludus-agents/societies/internal/town/town';
import type { ProgramOptions } from '../arms.ts';
import { playOne, scriptOf } from './_play.ts';
import { completeShare, type ReadingItem, type ReadingItems } from './_reading.ts';
import { taught } from './_taught.ts';

const task = { people: 6, days: 3, hours: 8, interviews: true };
const most = 6;

export default async function run({ memory = 'stream', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const { items, acted } = await interviewItems(rng(Number(seed), 'interviews'), String(memory), 4);
  const lessons = async () => {
    const random = rng(Number(seed), 'other towns');
    const lists = await Promise.all(['stream', 'latest'].map((kind) => interviewItems(random, kind, 12)));
    return lists.flatMap((list) => list.items).map((item) => ({ prompt: promptOf(item), answer: item.complete ? item.answer : 'unknown' }));
  };
  const reader = await taught({ key: 'interviews', server: String(server), seed: Number(seed), lessons, steps: 100 });
  const answers = await reader.answers(items.map(promptOf));
  return { right: items.filter(({ answer }, i) => answers[i] === answer).length / items.length, complete: completeShare(items), acted };
}

function promptOf({ notes, question }: ReadingItem): string {
  return `What you recall:\n${notes}\n\nAn interview. ${question}`;
}

/** Five questions to each villager of some towns. */
export async function interviewItems(random: Rng, memory: string, towns: number): Promise<ReadingItems> {
  const items: ReadingItem[] = [];
  let acted = 0;
  for (let i = 0; i < towns; i++) {
    const lives = await livesOf(random.int(2 ** 31));
    const seats = [...lives.keys()];
    for (const [at, seat] of seats.entries()) {
      const log = hoursIn(lives.get(seat) ?? []);
      const source = memory === 'other' ? seats[(at + 1) % seats.length] : seat;
      for (const { day, time, place } of random.shuffle(log.slice(0, -task.hours)).slice(0, 5)) {
        const question = `Where were you on day ${day} at ${time}? Name one place.`;
        const { lines, fresh } = await notesFor(question, source, lives.get(source) ?? [], memory);
        acted += fresh;
        const notes = lines.join('\n');
        items.push({ notes, question, answer: place, complete: memory !== 'other' && notes.includes(`Day ${day}, ${time}. You are at`) });
      }
    }
  }
  return { items, acted };
}

/** What each villager has seen before the interviews. */
async function livesOf(seed: number): Promise<ReadonlyMap<Seat, readonly Seen[]>> {
  const lives = new Map<Seat, readonly Seen[]>();
  const seats = town.seats(town.task(task));
  const villager = scriptOf(town, 'villager');
  const agents = seats.map((seat): [Seat, Agent] => [
    seat,
    scripted(seat, (turn) => {
      if (!turn.view.seen.some((item) => item.kind === 'message' && item.text.startsWith('An interview.')))
        lives.set(seat, [...turn.view.seen]);
      return villager(turn);
    }),
  ]);
  await playOne(town, Object.fromEntries(agents), task, seed);
  return lives;
}

function hoursIn(items: readonly Seen[]) {
  return items.flatMap((item) => {
    const match = item.kind === 'message' ? /^Day (\d+), (\d\d:\d\d)\. You are at (?:the )?(\w+)/.exec(item.text) : null;
    return match === null ? [] : [{ day: match[1], time: match[2], place: match[3] }];
  });
}

async function notesFor(question: string, seat: Seat, items: readonly Seen[], memory: string) {
  const events: Placed[] = [];
  let turn = 0;
  for (const [index, item] of items.entries()) {
    if (item.kind === 'action') turn++;
    else events.push({ index, turn, seen: item });
  }
  const latest = events.flatMap((event) => (event.seen.kind === 'message' ? [eventText(event.seen)] : [])).slice(-most);
  if (memory === 'latest') return { lines: latest, fresh: 0 };
  const recalled = await recall({
    ...{ query: question, seat, names: [seat], events, memory: emptyMemory, recalled: {}, now: turn, emotion: [], most },
    ...{ rank: { by: 'generative' }, tokens: 400, count: (text: string) => Math.ceil(text.length / 4) },
  });
  const lines = recalled.map(({ text }) => text);
  return { lines, fresh: lines.filter((text) => !latest.includes(text)).length };
}
