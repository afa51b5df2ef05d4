/**
 * @file From a turn to a prompt: what is perceived is felt and weighed, what is called up is placed, and all of it is fitted into the budget.
 *
 * Everything here follows from the turn and the mind alone, so that an episode that is resumed or forked composes the same prompts.
 */

import { Fault, type Json, type Prompt, type Seat, type Seen, type Turn } from '../core/index.ts';
import { activateLore, expandMacros, newLoreState, type Persona, type Section } from '../personas/index.ts';
import { compile } from '../personas/lore/compile.ts';
import { type AffectState, affectWords, calm, moodVector, type Stirring, stir } from './mind/affect.ts';
import { appraise, importanceOf } from './mind/appraise.ts';
import { cutTo, promptTokens, type Tokens } from './mind/budget.ts';
import { emptyMemory, type Memory } from './mind/memory.ts';
import { type Mind, type Perception, type Placed, perceive } from './mind/mind.ts';
import { planWords } from './mind/plan.ts';
import { neutral } from './mind/rank.ts';
import { type Recalled, recall } from './mind/recall.ts';
import { weigh } from './mind/reflect.ts';
import { bm25, type Embed, termsOf } from './mind/relevance.ts';
import { digest, type Line, routeWorth, type Selection, select } from './mind/window.ts';
import { type Composition, earlierText, type Frame, lineOf, loreLine, type Now, nowText, promptOf, stableTokens } from './prompt.ts';
import type { LlmSettings } from './settings.ts';

/** All that stays the same about an agent in its seat. */
export interface Player {
  readonly seat: Seat;
  /** What it is called: names that make words concern it. */
  readonly names: readonly string[];
  readonly persona: Persona | null;
  readonly settings: LlmSettings;
  readonly frame: Frame;
  /** Said last, in every turn. */
  readonly reminder: Section | null;
  /** Notes from earlier episodes. */
  readonly notes: Memory;
  readonly tokens: Tokens;
  readonly embed: Embed | undefined;
  /** Lines that were made already. */
  readonly lines: WeakMap<Seen, Line>;
}

/** What perceiving has changed before the agent answers. */
export interface Stirred {
  readonly perception: Perception;
  readonly affect: AffectState | undefined;
  readonly load: number;
  /** Enough has happened for a reflection. */
  readonly due: boolean;
}

export interface Composed {
  readonly prompt: Prompt;
  readonly composition: Composition;
  /** The mind as it is before the answer. */
  readonly mind: Mind;
}

export function stirred(player: Player, turn: Turn, mind: Mind | undefined): Stirred {
  const perception = perceive(turn.view, mind, turn.ask.window !== undefined);
  const { persona, settings, names } = player;
  let load = mind?.load ?? 0;
  let due = false;
  let affect = settings.affect && persona !== null ? (mind?.affect ?? calm(persona.affect)) : undefined;
  for (const { index, seen } of perception.items) {
    if (index < perception.fresh) continue;
    if (affect !== undefined && persona !== null) {
      const from = seen.kind === 'message' ? seen.from : undefined;
      const affinity = from === undefined ? 0 : affinityTo(from, persona, settings.others);
      const cause = from ?? (seen.kind === 'reward' ? 'what was paid' : 'what happened');
      const stirrings = appraise(seen, { names, affinity }).map((one): Stirring => ({ ...one, cause }));
      affect = stir(affect, stirrings, perception.turn, persona.affect);
    }
    if (settings.reflect && seen.kind === 'message') {
      const weighed = weigh(load, importanceOf(seen.text, names));
      load = weighed.load;
      due ||= weighed.due;
    }
  }
  return { perception, affect, load, due };
}

/** How a persona stands to whoever sits in a seat: relations go by id or name, seats often by id. */
function affinityTo(seat: Seat, { relations }: Persona, others: readonly Persona[]): number {
  const other = others.find(({ id, name }) => id === seat || name === seat);
  return relations.find(({ to }) => to === seat || to === other?.id || to === other?.name)?.affinity ?? 0;
}

/** A prompt's size where no budget is set: at least the first, and the second for what comes after rules and persona. */
const usualBudget = 2400;
const usualRoom = 1200;

export async function compose(
  player: Player,
  turn: Turn,
  before: { readonly mind: Mind | undefined; readonly stirred: Stirred },
): Promise<Composed> {
  const { settings, tokens, frame } = player;
  const { mind, stirred } = before;
  const { perception } = stirred;
  const lore = loreOf(player, turn, mind, perception);
  const { budget, opening, cap } = openingOf(player, perception);
  const lines = historyOf(player, perception, lore.placed, cap);
  const choices = choicesOf(turn.ask.choices, cap, tokens);
  const fixed = frame.tokens + settings.tail + sum(opening) + tokens(choices.join(' ')) + 16;
  const memoSpace = settings.context === 'summary' ? settings.memo + 12 : 0;
  for (let room = budget - fixed - memoSpace, tries = 0; ; tries++) {
    const chosen = select(lines, {
      mode: settings.context,
      tokens: Math.max(0, room),
      start: Math.max(mind?.start ?? 0, perception.opening),
      fresh: perception.fresh,
      ...(settings.context === 'routed' ? { worth: worthIn(player, perception, lines) } : {}),
    });
    const memo = memoOf(player, perception, mind, chosen);
    const remembered = await memoriesOf(player, stirred, mind, chosen);
    const now = nowText(nowOf(player, stirred, { mind, turn, chosen, memo, memories: remembered, lore: lore.tail, choices }));
    const earlier = settings.context === 'summary' && memo !== undefined ? [earlierLine(memo.text, perception.opening, tokens)] : [];
    const composition: Composition = { frame, lines: [...opening, ...earlier, ...chosen.shown], now };
    const prompt = promptOf(composition);
    const size = promptTokens(prompt, tokens);
    if (size > budget && tries < 6) {
      room -= size - budget + 8;
      continue;
    }
    if (size > budget)
      throw new Fault(
        'agent',
        `A prompt for ${player.seat} needs ${size} tokens, but its budget is ${budget}; raise the setting "budget".`,
      );
    const same = mind?.prompt?.system === frame.hash;
    const whole = same && mind?.start === chosen.start && mind.memo?.text === memo?.text && settings.context !== 'routed';
    const shared = whole ? composition : { frame, lines: opening, now: '' };
    const stable =
      mind === undefined || !same ? 0 : stableTokens(shared, Math.min(mind.count, whole ? Infinity : perception.opening), tokens);
    const next: Mind = {
      kind: 'mind/1',
      count: perception.count,
      turn: perception.turn + 1,
      opening: perception.opening,
      start: chosen.start,
      ...(stirred.affect === undefined ? {} : { affect: stirred.affect }),
      ...(mind?.memory === undefined ? {} : { memory: mind.memory }),
      ...(remembered.length === 0 && mind?.recalled === undefined
        ? {}
        : { recalled: touched(mind?.recalled ?? {}, remembered, perception.turn) }),
      ...(stirred.load === 0 ? {} : { load: stirred.load }),
      ...(mind?.plan === undefined ? {} : { plan: mind.plan }),
      ...(memo === undefined ? {} : { memo }),
      ...(lore.kept === undefined ? {} : { lore: lore.kept }),
      ...(remembered.length + lore.ids.length === 0 ? {} : { why: { memories: remembered.map(({ id }) => id), lore: lore.ids } }),
      prompt: { tokens: size, stable: Math.min(size, stable), system: frame.hash },
    };
    return { prompt, composition, mind: next };
  }
}

/** What came before the seat first acted stays in view, in at most half of the space; and how large a prompt may be at all. */
function openingOf({ settings, frame, tokens, lines }: Player, { items, opening }: Perception) {
  const first = items.filter(({ index }) => index < opening).map((item) => lineIn(lines, item, settings, tokens));
  const budget = settings.budget ?? Math.max(usualBudget, frame.tokens + sum(first) + settings.tail + usualRoom);
  const space = budget - frame.tokens - settings.tail;
  const cap = Math.max(20, Math.floor(space / 4));
  const most = Math.floor(space / 2);
  const fitted = [...first];
  for (let over = sum(fitted) - most; over > 0; over = sum(fitted) - most) {
    const longest = fitted.reduce((best, line, i) => (line.tokens > (fitted[best] as Line).tokens ? i : best), 0);
    const line = fitted[longest] as Line;
    if (line.tokens <= 8) fitted.splice(longest, 1);
    else fitted[longest] = shorter(line, Math.max(4, line.tokens - over - 4), tokens);
  }
  return { budget, opening: fitted, cap };
}

function lineIn(known: WeakMap<Seen, Line>, item: Placed, settings: LlmSettings, tokens: Tokens): Line {
  const found = known.get(item.seen);
  if (found !== undefined && found.index === item.index) return found;
  const line = lineOf(item, settings.answer, tokens);
  known.set(item.seen, line);
  return line;
}

function shorter(line: Line, most: number, tokens: Tokens): Line {
  const text = cutTo(line.text, most, tokens);
  return { ...line, text, tokens: tokens(text) + (line.own ? 9 : 1) };
}

/** The lines after the opening, with the lore that was called up in its place; no single line may fill the window. */
function historyOf(player: Player, { items, opening }: Perception, placed: readonly Line[], cap: number): readonly Line[] {
  const { settings, tokens, lines } = player;
  const out: Line[] = [];
  let next = 0;
  for (const item of items) {
    if (item.index < opening) continue;
    const line = lineIn(lines, item, settings, tokens);
    out.push(line.tokens > cap ? shorter(line, cap, tokens) : line);
    while (next < placed.length && (placed[next] as Line).index <= item.index) out.push(placed[next++] as Line);
  }
  return out;
}

/** Lore: what always holds is in the frame; what the last words call up stands in the history from here on, or in this turn's end alone. */
function loreOf(
  { persona, settings, tokens }: Player,
  turn: Turn,
  mind: Mind | undefined,
  { items, count, turn: taken, opening }: Perception,
) {
  if (persona === null || persona.lore.entries.length === 0) return { placed: [], tail: [], ids: [], kept: undefined };
  const freeze = settings.lore === 'freeze';
  const messages = items
    .slice(-24)
    .flatMap(({ seen }) => (seen.kind === 'message' ? [seen.text] : seen.kind === 'action' ? [seen.action.text] : []));
  const start = Math.max(mind?.start ?? 0, opening);
  // What has left the window may be called up again.
  const standing = (mind?.lore?.placed ?? []).filter(({ at }) => at >= start);
  const state = { ...(mind?.lore?.state ?? newLoreState), frozen: standing.map(({ id }) => id) };
  const found = activateLore(persona.lore, {
    messages,
    length: count,
    turn: taken,
    seed: turn.rng.int(2 ** 32),
    scene: persona.id,
    state,
    freeze,
    tokens,
    cap: settings.tail,
    name: persona.name,
    tags: persona.tags,
  });
  const names = { char: persona.nickname || persona.name, user: settings.user ?? 'the other' };
  const called = freeze ? found.append : found.placed.filter(({ steady }) => !steady);
  const at = Math.max(count - 1, opening);
  const placed = freeze ? [...standing, ...called.map(({ id }) => ({ at, id }))] : [];
  const texts = new Map(compile(persona.lore).map(({ id, content }) => [id, content]));
  return {
    placed: placed.map(({ at: index, id }) => loreLine(index, expandMacros(texts.get(id) ?? '', names), tokens)),
    tail: freeze ? [] : called.map(({ text }) => expandMacros(text, names)),
    ids: called.map(({ id }) => id),
    kept: { state: found.state, placed },
  };
}

/** A memo of what left the window: the model's own where it covers that, else one by rule. */
function memoOf({ settings, tokens, names }: Player, { count }: Perception, mind: Mind | undefined, { left }: Selection): Mind['memo'] {
  const memo = mind?.memo;
  const last = left.at(-1)?.index ?? -1;
  if (settings.context !== 'summary' || last < (memo?.upTo ?? 0)) return memo;
  const news = left
    .filter(({ index }) => index >= (memo?.upTo ?? 0))
    .map((line) => ({ ...line, importance: importanceOf(line.text, names) }));
  return { text: digest(memo?.text ?? '', news, settings.memo, tokens), upTo: Math.min(count, last + 1) };
}

function earlierLine(memo: string, opening: number, tokens: Tokens): Line {
  const text = earlierText(memo);
  return { index: opening - 1, text, own: false, tokens: tokens(text) + 1 };
}

async function memoriesOf(
  player: Player,
  { perception, affect }: Stirred,
  mind: Mind | undefined,
  { shown }: Selection,
): Promise<readonly Recalled[]> {
  const { settings, persona, seat, names, notes, tokens, embed } = player;
  if (settings.rank === null) return [];
  const { items, fresh, turn, opening } = perception;
  const visible = new Set(shown.map(({ index }) => index));
  const latest = items.filter(({ index, seen }) => index >= fresh && seen.kind === 'message').slice(-4);
  return recall({
    query: latest.map(({ seen }) => (seen.kind === 'message' ? `${seen.from ?? ''} ${seen.text}` : '')).join('\n'),
    seat,
    names,
    events: items.filter(({ index }) => index >= opening && !visible.has(index)),
    memory: { next: 0, records: [...notes.records, ...(mind?.memory ?? emptyMemory).records] },
    recalled: mind?.recalled ?? {},
    now: turn,
    emotion: affect === undefined || persona === null ? neutral : moodVector(affect, turn, persona.affect),
    rank: settings.rank,
    embed,
    most: settings.memories,
    tokens: Math.floor(settings.tail / 2),
    count: tokens,
  });
}

/** What this turn's end says, each part within its share of the tail. */
function nowOf(
  { persona, settings, tokens, reminder }: Player,
  { perception, affect }: Stirred,
  at: {
    readonly mind: Mind | undefined;
    readonly turn: Turn;
    readonly chosen: Selection;
    readonly memo: Mind['memo'];
    readonly memories: readonly Recalled[];
    readonly lore: readonly string[];
    readonly choices: readonly string[];
  },
): Now {
  const part = (text: string, share: number) => cutTo(text, Math.floor(settings.tail * share), tokens);
  const goal = persona === null ? undefined : [...persona.goals].sort((a, b) => b.priority - a.priority)[0]?.text;
  const schema = at.turn.ask.schema as Json | undefined;
  const memories = [...at.memories.map(({ text }) => text), ...at.lore.map((text) => part(text, 0.3))];
  return {
    ...(memories.length === 0 ? {} : { memories }),
    ...(affect === undefined || persona === null ? {} : { mood: part(affectWords(affect, perception.turn, persona.affect), 0.1) }),
    ...(goal === undefined ? {} : { goal: part(goal, 0.1) }),
    ...(at.mind?.plan === undefined ? {} : { plan: part(planWords(at.mind.plan), 0.2) }),
    ...(settings.context === 'constant' && at.memo !== undefined ? { memo: cutTo(at.memo.text, settings.memo, tokens) } : {}),
    ...(reminder === null ? {} : { reminder: part(reminder.text, 0.15) }),
    ...(schema === undefined ? {} : { schema: JSON.stringify(schema) }),
    choices: at.choices,
    memoDue: settings.context === 'summary' && at.chosen.due,
    ...(persona === null ? {} : { name: persona.name }),
  };
}

/** Moves for the prompt; where there are too many, as many as fit. */
function choicesOf(choices: readonly string[] | undefined, most: number, tokens: Tokens): readonly string[] {
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

/** What a line is worth to this seat now: words about what it wants, and how long ago it was. */
function worthIn({ persona, names }: Player, { items, turn, fresh }: Perception, lines: readonly Line[]): (line: Line) => number {
  const wants = [
    ...names,
    ...(persona?.goals.map(({ text }) => text) ?? []),
    ...items.filter(({ index }) => index >= fresh).map(({ seen }) => (seen.kind === 'message' ? seen.text : '')),
  ];
  const scores = bm25(
    termsOf(wants.join(' ')),
    lines.map(({ text }) => termsOf(text)),
  );
  const most = Math.max(1e-9, ...scores);
  const turns = new Map(items.map((item) => [item.index, item.turn]));
  const role = new Map(lines.map((line, i) => [line, (scores[i] as number) / most]));
  return (line) =>
    routeWorth({
      role: role.get(line) ?? 0,
      stage: importanceOf(line.text, names) / 10,
      distance: turn - (turns.get(line.index) ?? 0),
    });
}

const mostTouched = 24;

/** When events were last recalled; only the latest are kept. Records of the memory keep it themselves. */
function touched(before: Readonly<Record<string, number>>, recalled: readonly Recalled[], turn: number): Readonly<Record<string, number>> {
  const news = recalled.filter(({ id }) => id.startsWith('e')).map(({ id }) => [id, turn] as const);
  const all = [...Object.entries(before).filter(([id]) => !recalled.some((one) => one.id === id)), ...news];
  return Object.fromEntries(all.slice(-mostTouched));
}

function sum(lines: readonly Line[]): number {
  return lines.reduce((total, line) => total + line.tokens, 0);
}
