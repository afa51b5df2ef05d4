/** @file The end of a prompt, which changes every turn: memories, feelings, goals, plans, and legal moves. */

import type { Turn } from '@ludus-agents/kernel/internal/core/index';
import { affectWords, moodVector } from '../mind/affect.ts';
import { importanceOf } from '../mind/appraise.ts';
import { cutTo, type Tokens } from '../mind/budget.ts';
import { experienceOf } from '../mind/experience.ts';
import { readFeelings } from '../mind/feelings.ts';
import { type EventNode, knowledgeOf } from '../mind/knowledge.ts';
import { emptyMemory, type Memory, type MemoryRecord, valid } from '../mind/memory.ts';
import { type Mind, mostOpening, type Placed } from '../mind/mind.ts';
import { planWords } from '../mind/plan.ts';
import { neutral } from '../mind/rank.ts';
import { eventText, firstOfEach, type Recalled, recall } from '../mind/recall.ts';
import { type Embed, fittingTexts } from '../mind/relevance.ts';
import type { ContextSelection } from '../mind/window.ts';
import type { Player, Stirred } from './perception.ts';
import type { Now } from './prompt.ts';

/** Recalls memories: the few relevant ones that are out of view. */
export async function memoriesOf(
  player: Player,
  { perception, affect }: Stirred,
  mind: Mind | undefined,
  { shown }: ContextSelection,
): Promise<readonly Recalled[]> {
  const { settings, persona, seat, names, notes, tokens, encoder } = player;
  if (settings.rank === null) return [];
  const { items, fresh, turn, opening } = perception;
  const visible = new Set(shown.map(({ index }) => index));
  const news = items.filter(({ index, seen }) => index >= fresh && seen.kind === 'message');
  // The end of a long conversation that was not answered is what it comes to; before it, there may be anything.
  const latest = news.slice(news.length > mostOpening ? -1 : -4);
  const query = latest.map(({ seen }) => (seen.kind === 'message' ? `${seen.from ?? ''} ${seen.text}` : '')).join('\n');
  const memory = { next: 0, records: [...notes.records, ...(mind?.memory ?? emptyMemory).records] };
  const memoryRecords = valid(memory, { at: turn, viewer: seat });
  const outOfView = items.filter(({ index }) => index >= opening && !visible.has(index));
  const happened = settings.knowledge.includes('graph') ? outOfView.slice(-mostEvents).flatMap(toEventNode) : [];
  const structured = knowledgeOf({
    names: settings.knowledge,
    records: memoryRecords,
    // Of events with the same text, the graph contains only the newest.
    events: firstOfEach(happened.toReversed(), ({ text }) => text).toReversed(),
    words: query,
    count: tokens,
  });
  const goal = items.flatMap(({ index, seen }) => (index < opening && seen.kind === 'message' ? [seen.text] : [])).join('\n');
  const observedText = latest.map(({ seen }) => (seen.kind === 'message' ? seen.text : '')).join('\n');
  const lastAction = items.findLast(({ seen }) => seen.kind === 'action')?.seen;
  const last = lastAction?.kind === 'action' ? lastAction.action.text : '';
  const shownBefore =
    settings.experience === undefined
      ? []
      : await experienceOf(settings.experience, { now: observedText, last, goal: `${goal}\n${observedText}` }, encoder);
  const recalled = mind?.recalled ?? {};
  const places = { events: outOfView, memory };
  const ranked = await recall({
    query,
    seat,
    names,
    ...(settings.rank.by === 'emotional' && encoder !== undefined
      ? await withFeelings(player, { ...places, recalled }, encoder.embed)
      : places),
    recalled,
    now: turn,
    emotion: affect === undefined || persona === null ? neutral : moodVector(affect, turn, persona.affect),
    rank: settings.rank,
    embed: encoder?.embed,
    most: settings.memories,
    tokens: Math.floor(settings.tail / 2),
    count: tokens,
  });
  const way = await wayOf(player, `${goal}\n${observedText}`);
  const earlier = [...way, ...structured];
  return [...shownBefore, ...earlier, ...ranked.filter(({ id }) => !earlier.some((recalled) => recalled.id === id))];
}

interface Places {
  readonly events: readonly Placed[];
  readonly memory: Memory;
}

/** The same memories with the emotions that an encoder reads, and the events as memories, since these have an emotion each. */
async function withFeelings(
  { seat, names }: Player,
  { events, memory, recalled }: Places & { readonly recalled: Readonly<Record<string, number>> },
  embed: Embed,
): Promise<Places> {
  const records = events.slice(-mostFelt).flatMap(({ index, turn, seen }): readonly MemoryRecord[] => {
    if (seen.kind !== 'message') return [];
    const [id, text] = [`e${index}`, eventText(seen)];
    const last = recalled[id];
    const times = { validFrom: turn, recordedAt: turn, ...(last !== undefined && { lastRecall: last }) };
    return [{ id, kind: 'event', text, ...times, importance: importanceOf(text, names), evidence: [], owner: seat }];
  });
  const all = [...memory.records, ...records];
  const feelings = await readFeelings(
    all.map(({ text }) => text),
    embed,
  );
  return { events: [], memory: { ...memory, records: all.map((record, i) => ({ ...record, emotion: feelings[i] ?? neutral })) } };
}

/** Older events are not recalled by emotion. */
const mostFelt = 2000;

/** Notes of an experience pack about the solution of a task. */
const wayMark = / What (worked|was tried): /;

/** The solution of the most similar task. It is recalled by the task, so it stays in view during the whole task. */
async function wayOf({ notes, settings, tokens, encoder }: Player, goal: string): Promise<readonly Recalled[]> {
  const ways = notes.records.filter(({ text }) => wayMark.test(text));
  const tasks = ways.map(({ text }) => text.slice(0, text.search(wayMark)));
  // A task in the same words wins: by meaning, long rules outweigh the sentence that names the task.
  const plainGoal = plainText(goal);
  const same = tasks.findIndex((task) => plainGoal.includes(plainText(task)));
  const best = same >= 0 ? [same] : await fittingTexts(goal, tasks, { encoder, most: 1 });
  return best.map((i) => {
    const { id, text } = ways[i] as MemoryRecord;
    return { id, text: cutTo(text, Math.floor(settings.tail / 2), tokens) };
  });
}

const plainText = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Older events are not in the graph, which limits the work of a turn. */
const mostEvents = 200;

function toEventNode({ index, seen }: Placed): readonly EventNode[] {
  return seen.kind === 'message' ? [{ id: `e${index}`, text: eventText(seen), from: seen.from }] : [];
}

/** The content for the end of this turn's prompt, each part within its share of the tail. */
export function nowOf(
  { persona, settings, tokens, reminder }: Player,
  { perception, affect }: Stirred,
  at: {
    readonly mind: Mind | undefined;
    readonly turn: Turn;
    readonly chosen: ContextSelection;
    readonly memo: Mind['memo'];
    readonly memories: readonly Recalled[];
    readonly lore: readonly string[];
    readonly choices: readonly string[];
  },
): Now {
  const part = (text: string, share: number) => cutTo(text, Math.floor(settings.tail * share), tokens);
  const goal = persona === null ? undefined : [...persona.goals].sort((a, b) => b.priority - a.priority)[0]?.text;
  const { schema, fields } = at.turn.ask;
  const memories = [...at.memories.map(({ text }) => text), ...at.lore.map((text) => part(text, 0.3))];
  return {
    ...(memories.length === 0 ? {} : { memories }),
    ...(affect === undefined || persona === null ? {} : { mood: part(affectWords(affect, perception.turn, persona.affect), 0.1) }),
    ...(goal === undefined ? {} : { goal: part(goal, 0.1) }),
    ...(at.mind?.plan === undefined ? {} : { plan: part(planWords(at.mind.plan), 0.2) }),
    ...(settings.context === 'constant' && at.memo !== undefined ? { memo: cutTo(at.memo.text, settings.memo, tokens) } : {}),
    ...(reminder === null ? {} : { reminder: part(reminder.text, 0.15) }),
    ...(schema === undefined ? {} : { schema: JSON.stringify(schema) }),
    ...(fields === undefined ? {} : { fields: JSON.stringify(fields) }),
    choices: at.choices,
    memoDue: settings.context === 'summary' && at.chosen.due,
    ...(persona === null ? {} : { name: persona.name }),
  };
}

/** Moves for the prompt; if there are too many, as many as fit. */
export function choicesOf(choices: readonly string[] | undefined, most: number, tokens: Tokens): readonly string[] {
  if (choices === undefined) return [];
  const out: string[] = [];
  let left = most;
  for (const choice of choices) {
    left -= tokens(choice) + 1;
    if (left < 0) return [...out, '…'];
    out.push(choice);
  }
  return out;
}

const mostTouched = 24;

/** The turns at which events were last recalled; only the latest are stored. Memory records store their own. */
export function updateRecallTimes(
  before: Readonly<Record<string, number>>,
  recalled: readonly Recalled[],
  turn: number,
): Readonly<Record<string, number>> {
  const news = recalled.filter(({ id }) => id.startsWith('e')).map(({ id }) => [id, turn] as const);
  const all = [...Object.entries(before).filter(([id]) => !recalled.some((recalled) => recalled.id === id)), ...news];
  return Object.fromEntries(all.slice(-mostTouched));
}
