/**
 * @file Composes a prompt from a turn: appraises observations, places memories, and fits everything into the budget.
 *
 * The result depends only on the turn and the mind, so a resumed or forked episode composes the same prompts.
 */

import { Fault, imageTokens, type Prompt, type Seat, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { importanceOf } from '../mind/appraise.ts';
import { cutTo, promptTokens, type Tokens } from '../mind/budget.ts';
import type { Mind, Perception, Placed } from '../mind/mind.ts';
import type { Recalled } from '../mind/recall.ts';
import { bm25, termsOf } from '../mind/relevance.ts';
import { type ContextLine, type ContextSelection, digest, routeWorth, select } from '../mind/window.ts';
import { activateLore, defaultUser, expandMacros, newLoreState, steadyLore } from '../personas/index.ts';
import { compile } from '../personas/lore/compile.ts';
import { isRoleWord } from './labels.ts';
import type { Player, Stirred } from './perception.ts';
import type { Composition } from './prompt.ts';
import { compactNow, earlierText, imagesIn, lineOf, loreLine, movesAsText, neutralOf, nowText, promptOf, stableTokens } from './prompt.ts';
import { choicesOf, memoriesOf, nowOf, updateRecallTimes } from './turn-context.ts';

export interface Composed {
  readonly prompt: Prompt;
  readonly composition: Composition;
  /** The mind before the answer. */
  readonly mind: Mind;
  /** Whether a memo is requested. */
  readonly due: boolean;
}

/** The default size of a prompt: at least the first value, and the second for everything after rules and persona. */
const usualBudget = 2400;
const usualRoom = 1200;
/** The most lines considered for routing, which limits the work of one turn. */
const mostRouted = 240;

export async function compose(
  player: Player,
  turn: Turn,
  before: { readonly mind: Mind | undefined; readonly stirred: Stirred },
): Promise<Composed> {
  const { settings, tokens, frame } = player;
  const { mind, stirred } = before;
  const { perception } = stirred;
  const lore = loreOf(player, turn, mind, perception);
  const images = imagesIn(turn, settings.images ?? 0);
  const pictured = images.reduce((total, image) => total + imageTokens(image), 0);
  const { budget, opening: openingLines, cap } = openingOf(player, perception, pictured);
  const opening = withLore(
    openingLines,
    lore.placed.filter(({ index }) => index < perception.opening),
  );
  const later = lore.placed.filter(({ index }) => index >= perception.opening);
  const history = historyOf(player, perception, later, cap);
  const lines = settings.context === 'routed' ? history.slice(-mostRouted) : history;
  const choices = choicesOf(turn.ask.choices, cap, tokens);
  const fixed = frame.tokens + settings.tail + sum(opening) + tokens(movesAsText(choices)) + pictured + 16;
  const memoSpace = settings.context === 'summary' ? settings.memo + 12 : 0;
  // A memo from the last turn replaces most of the text that it covers at once, so the prefix changes only once.
  const shrink = settings.context === 'summary' && mind?.memo !== undefined && mind.memo.upTo === mind.count;
  const worth = settings.context === 'routed' ? worthIn(player, perception, lines) : undefined;
  const start = Math.max(mind?.start ?? 0, perception.opening);
  for (let room = budget - fixed - memoSpace, tries = 0; ; tries++) {
    const tokensLeft = Math.max(0, room);
    const contextSelection = select(lines, {
      mode: settings.context,
      tokens: tokensLeft,
      start,
      fresh: perception.fresh,
      shrink,
      ...(worth && { worth }),
    });
    const memo = memoOf(player, perception, mind, contextSelection);
    const recalled = await memoriesOf(player, stirred, mind, contextSelection);
    const written = settings.prompt === 'compact' ? compactNow : nowText;
    const parts = nowOf(player, stirred, { mind, turn, chosen: contextSelection, memo, memories: recalled, lore: lore.tail, choices });
    const earlier = settings.context === 'summary' && memo !== undefined ? [earlierLine(memo.text, perception.opening, tokens)] : [];
    const composition: Composition = {
      frame,
      lines: [...opening, ...earlier, ...contextSelection.shown],
      now: written(parts),
      neutralNow: written(neutralOf(parts)),
      images,
    };
    const prompt = promptOf(composition);
    const size = promptTokens(prompt, tokens);
    if (size <= budget) {
      const stable = Math.min(
        size,
        stableIn(player, composition, { mind, opening, start: contextSelection.start, memo, unmoved: lore.unmoved }),
      );
      const after = mindAfter(stirred, { mind, chosen: contextSelection, memo, recalled, lore, encoder: player.encoder?.name });
      return { prompt, composition, mind: { ...after, prompt: { tokens: size, stable, system: frame.hash } }, due: contextSelection.due };
    }
    if (tries === 6)
      throw new Fault(
        'agent',
        `A prompt for ${player.seat} needs ${size} tokens, but its budget is ${budget}; raise the setting "budget".`,
      );
    room -= size - budget + 8;
  }
}

/**
 * The number of tokens that this prompt shares with the start of the previous one: all lines known then, or only the opening if the history
 * begins at another line.
 */
function stableIn(
  { frame, settings, tokens }: Player,
  composition: Composition,
  now: {
    readonly mind: Mind | undefined;
    readonly opening: readonly ContextLine[];
    readonly start: number;
    readonly memo: Mind['memo'];
    readonly unmoved: number;
  },
): number {
  const { mind, opening, start, memo, unmoved } = now;
  if (mind?.prompt?.system !== frame.hash) return 0;
  const lines = Math.min(mind.count, unmoved);
  if (mind.start === start && mind.memo?.text === memo?.text && settings.context !== 'routed')
    return stableTokens(composition, lines, tokens);
  return stableTokens({ frame, lines: opening }, lines, tokens);
}

function mindAfter(
  { perception, affect, load }: Stirred,
  now: {
    readonly mind: Mind | undefined;
    readonly chosen: ContextSelection;
    readonly memo: Mind['memo'];
    readonly recalled: readonly Recalled[];
    readonly lore: ReturnType<typeof loreOf>;
    /** The encoder used for recall. */
    readonly encoder: string | undefined;
  },
): Mind {
  const { mind, chosen, memo, recalled, lore, encoder } = now;
  const { count, turn, opening } = perception;
  const touches = updateRecallTimes(mind?.recalled ?? {}, recalled, turn);
  return {
    kind: 'mind/1',
    count,
    turn: turn + 1,
    opening,
    start: chosen.start,
    ...(affect && { affect }),
    ...(mind?.memory && { memory: mind.memory }),
    ...(Object.keys(touches).length > 0 && { recalled: touches }),
    ...(load > 0 && { load }),
    ...(mind?.plan && { plan: mind.plan }),
    ...(memo && { memo }),
    ...(lore.kept && { lore: lore.kept }),
    ...(recalled.length + lore.ids.length > 0 && {
      why: { memories: recalled.map(({ id }) => id), lore: lore.ids, ...(encoder !== undefined && { encoder }) },
    }),
  };
}

/** Lines before the seat first acted stay in view, in at most half of the space; also returns the maximum size of a prompt. */
function openingOf(player: Player, perception: Perception, pictured: number) {
  const { settings, frame, tokens } = player;
  const { items, opening } = perception;
  const first = items.filter(({ index }) => index < opening).map((item) => lineIn(player, item, perception));
  const budget =
    settings.budget ?? Math.min(player.most, Math.max(usualBudget, frame.tokens + sum(first) + settings.tail + usualRoom) + pictured);
  const space = budget - frame.tokens - settings.tail - pictured;
  const cap = Math.max(20, Math.floor(space / 4));
  const most = Math.floor(space / 2);
  const fitted = [...first];
  for (let over = sum(fitted) - most; over > 0; over = sum(fitted) - most) {
    const longest = fitted.reduce((best, line, i) => (line.tokens > fitted[best]!.tokens ? i : best), 0);
    const line = fitted[longest]!;
    if (line.tokens <= (line.own ? 16 : 8)) fitted.splice(longest, 1);
    else fitted[longest] = shorter(line, Math.max(4, line.tokens - over - (line.own ? 12 : 4)), tokens);
  }
  return { budget, opening: fitted, cap };
}

function lineIn(player: Player, item: Placed, { items, opening }: Perception): ContextLine {
  const { lines: existing, settings, tokens } = player;
  const contextLine = existing.get(item.seen);
  if (contextLine !== undefined && contextLine.index === item.index) return contextLine;
  const line = lineOf(
    item,
    {
      form: settings.answer,
      imagesOnly: settings.imagesOnly,
      speaker: (seat) => speakerOf(player, seat),
      failed: item.seen.kind === 'action' && wasRefused(items, item),
      // A greeting spoken for the agent before it first acts counts as its own.
      ...(item.index < opening ? { own: player.seat } : {}),
    },
    tokens,
  );
  existing.set(item.seen, line);
  return line;
}

/** The name shown before a seat's words. A seat named like a chat role gets no label, because models imitate such labels. */
function speakerOf({ settings, seat: ownText }: Player, seat: Seat): string {
  const isSmall = settings.prompt === 'compact';
  if (isRoleWord(seat)) return isSmall ? '' : (settings.user ?? '');
  return isSmall && seat !== ownText ? (settings.others.find(({ id }) => id === seat)?.name ?? seat) : seat;
}

/** Whether the action received a penalty before the next action. */
function wasRefused(items: readonly Placed[], action: Placed): boolean {
  for (const { index, seen } of items) {
    if (index <= action.index) continue;
    if (seen.kind === 'action') return false;
    if (seen.kind === 'reward' && seen.penalty > 0) return true;
  }
  return false;
}

function shorter(line: ContextLine, most: number, tokens: Tokens): ContextLine {
  const text = cutTo(line.text, most, tokens);
  return { ...line, text, tokens: tokens(text) + (line.own ? 9 : 1) };
}

/** The lines after the opening, with recalled lore in its place; no single line may fill the window. */
function historyOf(player: Player, perception: Perception, placed: readonly ContextLine[], cap: number): readonly ContextLine[] {
  const { tokens } = player;
  const { items, opening } = perception;
  const lines = items.filter(({ index }) => index >= opening).map((item) => lineIn(player, item, perception));
  return withLore(
    lines.map((line) => (line.tokens > cap ? shorter(line, cap, tokens) : line)),
    placed,
  );
}

/** Lines with each lore entry after the line of its index. */
function withLore(lines: readonly ContextLine[], placed: readonly ContextLine[]): readonly ContextLine[] {
  const waiting = [...placed];
  return lines.flatMap((line) => {
    const later = waiting.findIndex(({ index }) => index > line.index);
    return [line, ...waiting.splice(0, later < 0 ? waiting.length : later)];
  });
}

/** Lore: permanent entries are in the frame; triggered ones are in the history from here on, or only at the end of this turn. */
function loreOf(
  { persona, settings, tokens }: Player,
  turn: Turn,
  mind: Mind | undefined,
  { items, count, turn: takenCount, opening }: Perception,
) {
  if (persona === null || persona.lore.entries.length === 0)
    return { placed: [], tail: [], ids: [], kept: undefined, unmoved: Number.POSITIVE_INFINITY };
  const freeze = settings.lore === 'freeze';
  const messages = items
    .slice(-24)
    .flatMap(({ seen }) => (seen.kind === 'message' ? [seen.text] : seen.kind === 'action' ? [seen.action.text] : []));
  const start = Math.max(mind?.start ?? 0, opening);
  // Entries that have left the window may be triggered again.
  const standing = (mind?.lore?.placed ?? []).filter(({ at }) => at >= start);
  const state = { ...(mind?.lore?.state ?? newLoreState), frozen: standing.map(({ id }) => id) };
  const loreResult = activateLore(persona.lore, {
    messages,
    length: count,
    turn: takenCount,
    seed: turn.rng.int(2 ** 32),
    scene: persona.id,
    state,
    freeze,
    tokens,
    cap: settings.tail,
    name: persona.name,
    tags: persona.tags,
  });
  const names = { char: persona.nickname || persona.name, user: settings.user ?? defaultUser };
  const called = freeze ? loreResult.append : loreResult.placed.filter(({ steady }) => !steady);
  const at = Math.max(count - 1, opening);
  const placed = freeze ? [...standing, ...called.map(({ id }) => ({ at, id }))] : [];
  const texts = new Map(compile(persona.lore).map(({ id, content }) => [id, content]));
  // Permanent entries at a depth move with the messages.
  const deep = steadyLore(persona.lore).filter(({ place }) => place === 'depth');
  const earlier = items.filter(({ index }) => index < (mind?.count ?? 0));
  const anchored = deep.map(({ id, depth }) => ({ at: depthAnchor(items, depth), id }));
  return {
    placed: [...placed, ...anchored]
      .sort((a, b) => a.at - b.at)
      .map(({ at: index, id }) => loreLine(index, expandMacros(texts.get(id) ?? '', names), tokens)),
    tail: (freeze ? [] : called).map(({ text }) => expandMacros(text, names)),
    ids: called.map(({ id }) => id),
    kept: { state: loreResult.state, placed },
    /** The first index after the entries that have moved since the previous prompt. */
    unmoved: Math.min(...deep.map(({ depth }) => depthAnchor(earlier, depth) + 1)),
  };
}

/** The last observation before the latest `depth` utterances; the first observation if there are fewer. */
function depthAnchor(items: Perception['items'], depth: number): number {
  const top = items[0]?.index ?? 0;
  if (depth === 0) return items.at(-1)?.index ?? top;
  const spoken = items.filter(({ seen }) => seen.kind === 'action' || (seen.kind === 'message' && seen.from !== undefined));
  const first = spoken.at(-depth);
  return first === undefined ? top : (items.findLast(({ index }) => index < first.index)?.index ?? top);
}

/** A memo of the part that left the window: the model's own if it covers that part, else a rule-based one. */
function memoOf(
  { settings, tokens, names }: Player,
  { count }: Perception,
  mind: Mind | undefined,
  { left }: ContextSelection,
): Mind['memo'] {
  const memo = mind?.memo;
  const last = left.at(-1)?.index ?? -1;
  if (settings.context !== 'summary' || last < (memo?.upTo ?? 0)) return memo;
  const news = left
    .filter(({ index }) => index >= (memo?.upTo ?? 0))
    .map((line) => ({ ...line, importance: importanceOf(line.text, names) }));
  return { text: digest(memo?.text ?? '', news, settings.memo, tokens), upTo: Math.min(count, last + 1) };
}

function earlierLine(memo: string, opening: number, tokens: Tokens): ContextLine {
  const text = earlierText(memo);
  return { index: opening - 1, text, own: false, tokens: tokens(text) + 1 };
}

/** Constant properties of a line, computed once per line. */
const prints = new WeakMap<ContextLine, { readonly terms: readonly string[]; readonly importance: number }>();

function printOf(line: ContextLine, names: readonly string[]) {
  const print = prints.get(line) ?? { terms: termsOf(line.text), importance: importanceOf(line.text, names) };
  prints.set(line, print);
  return print;
}

/** The value of a line for this seat now: its overlap with goals and new messages, its importance, and its age. */
function worthIn(
  { persona, names }: Player,
  { items, turn, fresh }: Perception,
  lines: readonly ContextLine[],
): (line: ContextLine) => number {
  const messages = items.filter(({ index }) => index >= fresh).map(({ seen }) => (seen.kind === 'message' ? seen.text : ''));
  const wants = [...names, ...(persona?.goals.map(({ text }) => text) ?? []), ...messages];
  const scores = bm25(
    termsOf(wants.join(' ')),
    lines.map((line) => printOf(line, names).terms),
  );
  const most = Math.max(1e-9, ...scores);
  const turns = new Map(items.map((item) => [item.index, item.turn]));
  const role = new Map(lines.map((line, i) => [line, scores[i]! / most]));
  return (line) =>
    routeWorth({
      role: role.get(line) ?? 0,
      stage: printOf(line, names).importance / 10,
      distance: turn - (turns.get(line.index) ?? 0),
    });
}

function sum(lines: readonly ContextLine[]): number {
  return lines.reduce((total, line) => total + line.tokens, 0);
}
