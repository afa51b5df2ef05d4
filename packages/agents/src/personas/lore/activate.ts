/**
 * @file Selects the lorebook entries that a scene activates, in seven steps: drop, scan, match, draw, recurse, budget, place.
 *
 * The same book, scene, and state give the same result: random draws depend on seed, scene, turn, and entry. State between turns (timers,
 * earlier matches, entries frozen into the history) is plain data, passed in and returned.
 */

import { rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Lorebook } from '../persona.ts';
import { type Compiled, compile, type Key, type LorePosition, type Role, type Scanned, toScanned } from './compile.ts';
import { scanText } from './macros.ts';
import type { Effort } from './pattern.ts';

/** An effect that is active while the number of messages is above `from` and below `until`. */
type Timer = { readonly from: number; readonly until: number; readonly after?: boolean };

export type LoreState = {
  /** Entries with a condition on earlier matches that have matched. */
  readonly matched: readonly string[];
  readonly sticky: Readonly<Record<string, Timer>>;
  readonly cooldown: Readonly<Record<string, Timer>>;
  /** Entries already in the history; remove one when its message leaves the context. */
  readonly frozen: readonly string[];
};

export const newLoreState: LoreState = { matched: [], sticky: {}, cooldown: {}, frozen: [] };

export interface LoreScene {
  /** Recent messages, oldest first. */
  readonly messages: readonly string[];
  /** The total number of messages, if `messages` contains only the last ones. */
  readonly length?: number;
  /** The number of messages sent by the character. */
  readonly turn: number;
  readonly seed: Seed;
  readonly scene: string;
  readonly state?: LoreState;
  /** Whether activated entries are put into the history, once, so that the beginning of the prompt stays the same. */
  readonly freeze?: boolean;
  /** Counts the tokens of a text; by default a quarter of its characters. */
  readonly tokens?: (text: string) => number;
  /** Size of the context in tokens: a book without its own budget may fill a quarter of it. */
  readonly context?: number;
  /** The most tokens a book may ever fill. */
  readonly cap?: number;
  /** The index of the scene's opening greeting, from 0. */
  readonly greeting?: number;
  readonly name?: string;
  readonly tags?: readonly string[];
}

/** Why an entry is active, and the key that matched. */
export type Reason = 'constant' | 'key' | 'recursion' | 'sticky' | 'decorator';

export interface ActiveLore {
  readonly id: string;
  readonly text: string;
  readonly place: LorePosition;
  readonly depth: number;
  readonly role: Role;
  readonly reason: Reason;
  readonly key?: string;
  readonly tokens: number;
  /** Active in every turn. */
  readonly steady: boolean;
}

export interface LoreResult {
  /** In the order of positions, and within a position in insertion order. */
  readonly placed: readonly ActiveLore[];
  /** With `freeze`: text to append to the history now, as system messages. */
  readonly append: readonly ActiveLore[];
  /** Active, but over budget. */
  readonly dropped: readonly string[];
  readonly state: LoreState;
  /** True if regular expressions used up their effort limit for one turn; the rest counted as not matching. */
  readonly exhausted: boolean;
}

/** Messages scanned by default. */
const usualDepth = 2;
const mostRounds = 32;
/** The most pattern steps in one turn: well under a second. */
const patternEffort = 20_000_000;
/** The most characters scanned of one message, from its end. */
const scannedLength = 50_000;

interface Hit {
  readonly entry: Compiled;
  readonly reason: Reason;
  readonly key?: string;
}

interface Scan {
  readonly book: Lorebook;
  readonly scene: LoreScene;
  /** The current timers. */
  readonly state: LoreState;
  readonly effort: Effort;
}

export function activateLore(book: Lorebook, scene: LoreScene): LoreResult {
  const effort: Effort = { left: patternEffort };
  const before = settleState(scene.state ?? newLoreState, compile(book), lengthOf(scene));
  const hits = gatherHits({ book, scene, state: before, effort });
  const { kept, dropped } = applyBudget(rankHits(hits, scene.freeze === true), budgetOf(book, scene), scene.tokens ?? quarter);
  const total = lengthOf(scene);
  const active = kept
    .map(({ hit, tokens }) => activeLore(hit, tokens, total))
    .sort(byPlace(new Map(kept.map(({ hit }) => [hit.entry.id, hit.entry]))));
  const state = rememberHits(
    before,
    kept.map(({ hit }) => hit.entry),
    total,
  );
  const exhausted = effort.left < 0;
  if (scene.freeze !== true) return { placed: active, append: [], dropped, state, exhausted };
  const append = active.filter((lore) => !lore.steady && !before.frozen.includes(lore.id));
  const frozen = [...before.frozen, ...append.map((lore) => lore.id)];
  return { placed: active.filter((lore) => lore.steady), append, dropped, state: { ...state, frozen }, exhausted };
}

/** Entries that are active in every turn: the static part of a prompt. */
export function steadyLore(book: Lorebook): readonly ActiveLore[] {
  return activateLore(book, { messages: [], turn: 0, seed: 0, scene: '', freeze: true }).placed;
}

/** Steps two to five: scan, match, draw, and repeat over the activated entries. */
function gatherHits(scan: Scan): readonly Hit[] {
  const { book, scene, effort } = scan;
  const entries = compile(book).filter((entry) => meant(entry, scene));
  const texts = new Map<number, Scanned>();
  const recent = (depth: number) => {
    const text =
      texts.get(depth) ??
      toScanned(
        depth <= 0
          ? ''
          : scene.messages
              .slice(-depth)
              .map((message) => message.slice(-scannedLength))
              .join('\n'),
      );
    texts.set(depth, text);
    return text;
  };
  const hits: Hit[] = [];
  const decided = new Set<string>();
  let echo: Scanned | null = null;
  const levels = [...new Set(entries.map((entry) => entry.delayUntilRecursion))].filter((level) => level > 0).sort((a, b) => a - b);
  let level = 0;
  for (let round = 0; round < mostRounds; round++) {
    const matchingHits: Hit[] = [];
    for (const entry of entries) {
      if (decided.has(entry.id) || entry.delayUntilRecursion > level || (round > 0 && entry.excludeRecursion)) continue;
      const messages = recent(entry.scanDepth ?? book.scan_depth ?? usualDepth);
      const hit = matchEntry(entry, scan, (key) => key.found(messages, effort) || (echo !== null && key.found(echo, effort)));
      if (hit !== null) matchingHits.push(round === 0 || hit.reason !== 'key' ? hit : { ...hit, reason: 'recursion' });
    }
    const passed = fromGroups(matchingHits, hits, scene).filter((hit) => passes(hit, scene));
    for (const hit of matchingHits) decided.add(hit.entry.id);
    hits.push(...passed);
    if (book.recursive_scanning !== true) break;
    const spread = passed.filter((hit) => !hit.entry.preventRecursion).map((hit) => scanText(hit.entry.content));
    if (spread.length > 0) echo = toScanned(`${echo?.text ?? ''}\n${spread.join('\n')}`);
    else if (levels.length === 0) break;
    // The first delayed entries wait for the first recursion, each later level until the previous one adds nothing more.
    if (round === 0 || spread.length === 0) level = levels.shift() ?? level;
  }
  return hits;
}

/** Whether the entry applies to this character and greeting. */
function meant({ filter, decorators }: Compiled, scene: LoreScene): boolean {
  if (decorators.is_greeting !== undefined && scene.greeting !== undefined && decorators.is_greeting !== scene.greeting) return false;
  if (filter === null) return true;
  const named = filter.names.includes(scene.name ?? '') || (scene.tags ?? []).some((tag) => filter.tags.includes(tag));
  return named !== filter.exclude;
}

/** Step three. Unconditional decorators come first, then timers (sticky before cooldown before delay), then keys. */
function matchEntry(entry: Compiled, { scene, state }: Scan, has: (key: Key) => boolean): Hit | null {
  const { decorators, id } = entry;
  if (decorators.activate) return { entry, reason: 'decorator' };
  if (decorators.dont_activate) return null;
  if (decorators.dont_activate_after_match && state.matched.includes(id)) return null;
  if (decorators.keep_activate_after_match && state.matched.includes(id)) return { entry, reason: 'decorator' };
  if (Object.hasOwn(state.sticky, id)) return { entry, reason: 'sticky' };
  if (Object.hasOwn(state.cooldown, id) || lengthOf(scene) < entry.delay) return null;
  if (scene.turn < (decorators.activate_only_after ?? 0)) return null;
  if (decorators.activate_only_every !== undefined && scene.turn % decorators.activate_only_every !== 0) return null;
  if (entry.excluded.some(has) || (entry.additional.length > 0 && !entry.additional.some(has))) return null;
  if (entry.constant) return { entry, reason: 'constant' };
  const key = entry.keys.find(has);
  return key !== undefined && secondaryHolds(entry, has) ? { entry, reason: 'key', key: key.written } : null;
}

function secondaryHolds({ secondary, logic }: Compiled, has: (key: Key) => boolean): boolean {
  if (secondary.length === 0) return true;
  if (logic === 'and_any') return secondary.some(has);
  if (logic === 'and_all') return secondary.every(has);
  return logic === 'not_any' ? !secondary.some(has) : !secondary.every(has);
}

/** Of an inclusion group only one entry is activated: one already active, else the highest override, else one by weight. */
function fromGroups(hits: readonly Hit[], already: readonly Hit[], scene: LoreScene): readonly Hit[] {
  const out = new Set(hits);
  for (const group of new Set(hits.flatMap((hit) => hit.entry.groups))) {
    const rivals = [...out].filter((hit) => hit.entry.groups.includes(group));
    if (rivals.length === 0) continue;
    const isGroupActive = already.some((hit) => hit.entry.groups.includes(group));
    const winner = isGroupActive
      ? null
      : (rivals.find((hit) => hit.reason === 'sticky') ?? overriding(rivals) ?? drawHit(rivals, group, scene));
    for (const hit of rivals) if (hit !== winner) out.delete(hit);
  }
  return [...out];
}

function overriding(rivals: readonly Hit[]): Hit | undefined {
  const able = rivals.filter((hit) => hit.entry.groupOverride);
  return able.length === 0 ? undefined : able.reduce((best, hit) => (hit.entry.order > best.entry.order ? hit : best));
}

function drawHit(rivals: readonly Hit[], group: string, scene: LoreScene): Hit {
  const weights = rivals.map((hit) => Math.max(0, hit.entry.groupWeight));
  if (!weights.some((weight) => weight > 0)) return rivals[0]!;
  return rivals[rng(scene.seed, 'lore-group', scene.scene, scene.turn, group).weighted(weights)]!;
}

/** Step four: one random draw per entry and turn. Sticky and always active entries skip it. */
function passes({ entry, reason }: Hit, scene: LoreScene): boolean {
  if (entry.probability >= 100 || reason === 'sticky' || reason === 'decorator') return true;
  return rng(scene.seed, 'lore', scene.scene, scene.turn, entry.id).next() * 100 < entry.probability;
}

/** Step six: highest rank first, until an entry does not fit. */
function applyBudget(hits: readonly Hit[], budget: number, tokensOf: (text: string) => number) {
  const retained: { readonly hit: Hit; readonly tokens: number }[] = [];
  const dropped: string[] = [];
  let left = budget;
  let full = false;
  for (const hit of hits) {
    const tokens = tokensOf(hit.entry.content);
    if (hit.entry.ignoreBudget) retained.push({ hit, tokens });
    else if (full || tokens > left) {
      full = true;
      dropped.push(hit.entry.id);
    } else {
      left -= tokens;
      retained.push({ hit, tokens });
    }
  }
  return { kept: retained, dropped };
}

/** Highest rank first, optional entries last. A stable prompt starts with constant text. Equal contents count once. */
function rankHits(hits: readonly Hit[], steadyFirst: boolean): readonly Hit[] {
  const group = ({ entry }: Hit) => (steadyFirst && entry.steady ? 0 : entry.decorators.ignore_on_max_context ? 2 : 1);
  const visited = new Set<string>();
  return [...hits]
    .sort((a, b) => group(a) - group(b) || b.entry.rank - a.entry.rank || a.entry.index - b.entry.index)
    .filter(({ entry }) => !visited.has(entry.content) && visited.add(entry.content));
}

function budgetOf(book: Lorebook, scene: LoreScene): number {
  const ownToken_budget = book.token_budget ?? (scene.context === undefined ? Infinity : Math.floor(scene.context / 4));
  return Math.min(ownToken_budget, scene.cap ?? Infinity);
}

/** Step seven. A depth counted from the oldest message becomes one from the newest. */
function activeLore({ entry, reason, key }: Hit, tokens: number, total: number): ActiveLore {
  const depth = entry.depth < 0 ? Math.max(0, total - (-1 - entry.depth)) : entry.depth;
  const { id, content, place, role, steady } = entry;
  return { id, text: content, place, depth, role, reason, ...(key === undefined ? {} : { key }), tokens, steady };
}

const placeOrder: readonly LorePosition[] = [
  'before',
  'personality',
  'scenario',
  'after',
  'examples_top',
  'examples_bottom',
  'note_top',
  'note_bottom',
  'depth',
];

function byPlace(entries: ReadonlyMap<string, Compiled>) {
  const of = (lore: ActiveLore) => entries.get(lore.id) as Compiled;
  return (a: ActiveLore, b: ActiveLore) =>
    placeOrder.indexOf(a.place) - placeOrder.indexOf(b.place) ||
    b.depth - a.depth ||
    of(a).order - of(b).order ||
    of(a).index - of(b).index;
}

/** Timers at this length: expired ones are removed, and a cooldown begins when a stickiness ends. */
function settleState(state: LoreState, entries: readonly Compiled[], length: number): LoreState {
  const sticky: Record<string, Timer> = {};
  const cooldown: Record<string, Timer> = {};
  for (const [id, timer] of Object.entries(state.cooldown))
    if ((timer.after || length > timer.from) && length < timer.until) cooldown[id] = timer;
  for (const [id, timer] of Object.entries(state.sticky)) {
    // The message that started this timer was removed, so the timer is removed too.
    if (length <= timer.from) continue;
    if (length < timer.until) sticky[id] = timer;
    else {
      const wait = entries.find((entry) => entry.id === id)?.cooldown ?? 0;
      if (wait > 0) cooldown[id] = { from: length, until: length + wait, after: true };
    }
  }
  return { ...state, sticky, cooldown };
}

function rememberHits(state: LoreState, active: readonly Compiled[], length: number): LoreState {
  const sticky = { ...state.sticky };
  const cooldown = { ...state.cooldown };
  const matchedNow = new Set(state.matched);
  for (const entry of active) {
    if (entry.decorators.keep_activate_after_match || entry.decorators.dont_activate_after_match) matchedNow.add(entry.id);
    if (entry.sticky > 0 && sticky[entry.id] === undefined) sticky[entry.id] = { from: length, until: length + entry.sticky };
    if (entry.cooldown > 0 && cooldown[entry.id] === undefined) cooldown[entry.id] = { from: length, until: length + entry.cooldown };
  }
  return { ...state, matched: [...matchedNow], sticky, cooldown };
}

function lengthOf(scene: LoreScene): number {
  return scene.length ?? scene.messages.length;
}

function quarter(text: string): number {
  return Math.ceil(text.length / 4);
}
