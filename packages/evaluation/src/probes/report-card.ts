/** @file The report card of a character: the results of its probes, with intervals, floors, and suggested fixes. */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type EpisodeEvent, rng } from '@ludus-agents/kernel/internal/core/index';
import { style } from '../scoring/rules/style.ts';
import { nameStems, tellsIn } from '../scoring/rules/telling.ts';
import { ruleScorer } from '../scoring/scorer.ts';
import { bootstrap } from '../scoring/statistics/bootstrap.ts';
import { type Interval, mean, meanOf } from '../scoring/statistics/mean.ts';
import { wilson } from '../scoring/statistics/rates.ts';
import type { ProbeSection } from './names.ts';
import type { ProbeAnswers } from './probe.ts';
import { type Behaviour, hasKey, isRight, letterIn, meets, numberIn, readReply, withoutPhrases } from './read-reply.ts';

/** The median. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** One number of the card. */
export type CardRow = {
  readonly name: string;
  readonly value: number;
  readonly interval: Interval | null;
  readonly n: number;
  /** The score of a null character. */
  readonly floor?: number;
  readonly lowerIsBetter?: true;
};

export type CardPart = {
  readonly section: ProbeSection | 'voice';
  /** From 0 to 1; null if no answer could be parsed. */
  readonly value: number | null;
  readonly interval: Interval | null;
  readonly rows: readonly CardRow[];
  /** Unparsable answers: neither right nor wrong. */
  readonly broken: number;
  /** Examples of wrong answers. */
  readonly misses: readonly CardMiss[];
};

export type CardMiss = {
  readonly probe: string;
  readonly kind: string;
  /** The part of the document to check. */
  readonly source: string;
  readonly asked: string;
  readonly answered: string;
  readonly wanted: string;
  readonly episode?: string;
};

/** The reader of answers; by default, rules over words. */
export type ReadBehaviour = (answered: ProbeAnswers) => Behaviour | undefined;

const mostMisses = 5;

/** The results, part by part. Parts without a probe are omitted. */
export async function cardParts(persona: Persona, answered: readonly ProbeAnswers[], read?: ReadBehaviour): Promise<readonly CardPart[]> {
  const { use } = persona.voice.lexicon;
  const of = (section: ProbeSection) => answered.filter(({ probe }) => probe.section === section);
  const plain = (section: ProbeSection) =>
    of(section).map((probeAnswers) => ({ ...probeAnswers, answers: probeAnswers.answers.map((text) => withoutPhrases(text, use)) }));
  const parts: (CardPart | null)[] = [
    knowledgePart(plain('knowledge'), read),
    passagePart(of('passage'), read, use),
    traitPart(of('traits')),
    moralPart(of('moral')),
    secretPart(of('secrets'), persona),
    driftPart(plain('drift')),
    await voicePart(of('drift'), persona),
  ];
  // A row without an answer is uninformative.
  return parts.flatMap((part) => (part === null ? [] : [{ ...part, rows: part.rows.filter(({ n }) => n > 0) }]));
}

const last = ({ answers }: ProbeAnswers): string => answers.at(-1) ?? '';

function behaviourOf(answered: ProbeAnswers, read: ReadBehaviour | undefined): Behaviour {
  return read?.(answered) ?? readReply(last(answered), answered.probe.claim);
}

function missOf(probeAnswers: ProbeAnswers, wanted: string): CardMiss {
  const { probe, episode } = probeAnswers;
  const turn = probe.turns.at(-1) ?? '';
  return {
    ...{ probe: probe.id, kind: probe.kind, source: probe.source, asked: turn, answered: last(probeAnswers), wanted },
    ...(episode === undefined ? {} : { episode }),
  };
}

function rate(name: string, hits: number, n: number, more: Partial<CardRow> = {}): CardRow {
  return { name, value: n === 0 ? 0 : hits / n, interval: n === 0 ? null : wilson(hits, n), n, ...more };
}

function knowledgePart(all: readonly ProbeAnswers[], read: ReadBehaviour | undefined): CardPart | null {
  if (all.length === 0) return null;
  const observations = all.map((probeAnswers) => ({ one: probeAnswers, does: behaviourOf(probeAnswers, read) }));
  const whole = observations.filter(({ does }) => does !== 'broken');
  const none = whole.filter(({ one }) => one.probe.kind === 'none');
  const open = whole.filter(({ one }) => one.probe.kind === 'open');
  const conflict = whole.filter(({ one }) => one.probe.gold !== 'answer');
  const isHeld = ({ does }: { readonly does: Behaviour }) => does === 'refuse' || does === 'correct';
  const kinds = [...new Set(conflict.map(({ one }) => one.probe.kind))];
  const refused = rate('refusal accuracy', conflict.filter(isHeld).length, conflict.length, { floor: 0 });
  const over = rate('over-refusal', none.filter(isHeld).length, none.length, { lowerIsBetter: true });
  const right = open.filter(({ one, does }) => does === 'answer' && hasKey(last(one), one.probe.key));
  const j = refused.value - over.value;
  const interval = refused.interval === null || over.interval === null ? null : differenceInterval(refused, over);
  const isWeighed = conflict.length > 0 && none.length > 0;
  return {
    section: 'knowledge',
    value: isWeighed ? Math.max(0, j) : null,
    interval: interval === null ? null : [Math.max(0, interval[0]), Math.max(0, interval[1])],
    rows: [
      refused,
      over,
      { name: 'J', value: j, interval, n: isWeighed ? whole.length : 0, floor: 0 },
      rate('right answers', right.length, open.length, { floor: 0 }),
      ...kinds.map((kind) => {
        const ownItems = conflict.filter(({ one }) => one.probe.kind === kind);
        return rate(`refusal accuracy: ${kind}`, ownItems.filter(isHeld).length, ownItems.length, { floor: 0 });
      }),
    ],
    broken: observations.length - whole.length,
    misses: whole
      .filter((item) => {
        if (item.one.probe.kind === 'open') return !right.includes(item);
        return item.one.probe.kind === 'none' ? isHeld(item) : !isHeld(item);
      })
      .slice(0, mostMisses)
      .map(({ one }) => missOf(one, expectedAnswer(one.probe))),
  };
}

function expectedAnswer({ gold, kind, key }: ProbeAnswers['probe']): string {
  if (kind === 'open') return `an answer with ${key.join(' or ')}`;
  return kind === 'none' ? 'an answer: nothing is wrong with the question' : gold;
}

/** Newcombe's interval of the difference of two rates. */
function differenceInterval(a: CardRow, b: CardRow): Interval {
  const [lowA, highA] = a.interval as Interval;
  const [lowB, highB] = b.interval as Interval;
  const d = a.value - b.value;
  return [d - Math.hypot(a.value - lowA, highB - b.value), d + Math.hypot(highA - a.value, b.value - lowB)];
}

function passagePart(all: readonly ProbeAnswers[], read: ReadBehaviour | undefined, phrases: readonly string[]): CardPart | null {
  if (all.length === 0) return null;
  const graded = all.map((probeAnswers) => {
    const { probe } = probeAnswers;
    // Form is checked on the original answer; its behavior is read without the speaker's standing phrases.
    const text = withoutPhrases(last(probeAnswers), phrases);
    const does = behaviourOf({ ...probeAnswers, answers: [text] }, read);
    const meetsForm = probe.form === undefined || meets(last(probeAnswers), probe.form);
    const did = read === undefined ? isRight(text, probe) : does === 'broken' ? null : behavesAs(does, probe.gold);
    return { one: probeAnswers, right: does === 'broken' || did === null ? null : did && meetsForm };
  });
  const kinds = [...new Set(all.map(({ probe }) => probe.kind))];
  return rateSection('passage', graded, {
    rows: kinds.map((kind) => {
      const ownItems = graded.filter(({ one, right }) => one.probe.kind === kind && right !== null);
      return rate(kind, ownItems.filter(({ right }) => right).length, ownItems.length);
    }),
    wanted: ({ probe }) => `${probe.gold}${probe.form === undefined ? '' : ` in the form asked for (${probe.form.form})`}`,
  });
}

function behavesAs(does: Behaviour, gold: string): boolean {
  if (gold === 'answer' || gold === 'attempt') return does === 'answer';
  return does === 'refuse' || does === 'correct';
}

interface Graded {
  readonly one: ProbeAnswers;
  readonly right: boolean | null;
}

/** A part whose value is a share of right answers. */
function rateSection(
  section: CardPart['section'],
  graded: readonly Graded[],
  { rows, wanted, floor }: { readonly rows: readonly CardRow[]; readonly floor?: number; wanted(probeAnswers: ProbeAnswers): string },
): CardPart {
  const whole = graded.filter(({ right }) => right !== null);
  const all = rate('right', whole.filter(({ right }) => right).length, whole.length, floor === undefined ? {} : { floor });
  return {
    section,
    value: whole.length === 0 ? null : all.value,
    interval: all.interval,
    rows: [all, ...rows],
    broken: graded.length - whole.length,
    misses: whole
      .filter(({ right }) => right === false)
      .slice(0, mostMisses)
      .map(({ one }) => missOf(one, wanted(one))),
  };
}

/** Whether the given number is on the side of the character's pole; the middle shows no pole. */
function traitPart(all: readonly ProbeAnswers[]): CardPart | null {
  if (all.length === 0) return null;
  const graded = all.map((probeAnswers): Graded => {
    const input = numberIn(last(probeAnswers));
    if (input === null || probeAnswers.probe.trait === undefined) return { one: probeAnswers, right: null };
    const { high, reversed } = probeAnswers.probe.trait;
    return { one: probeAnswers, right: high !== reversed ? input > 3 : input < 3 };
  });
  const kinds = [...new Set(all.map(({ probe }) => probe.kind))];
  return rateSection('traits', graded, {
    floor: 0.4,
    rows: kinds.map((kind) => {
      const ownItems = graded.filter(({ one, right }) => one.probe.kind === kind && right !== null);
      return rate(kind, ownItems.filter(({ right }) => right).length, ownItems.length, { floor: 0.4 });
    }),
    wanted: ({ probe }) => `an answer on the side of ${probe.kind}`,
  });
}

function moralPart(all: readonly ProbeAnswers[]): CardPart | null {
  if (all.length === 0) return null;
  const level = all[0].probe.choice?.level ?? 0;
  const read = all.map((probeAnswers) => ({
    one: probeAnswers,
    chosen: probeAnswers.probe.choice?.levels[letterIn(last(probeAnswers)) ?? ''] ?? null,
  }));
  const whole = read.flatMap(({ one, chosen }) => (chosen === null ? [] : [{ one, chosen }]));
  const near = whole.map(({ chosen }) => 1 - Math.abs(chosen - level) / 3);
  const exact = rate(`chooses as level ${level}`, whole.filter(({ chosen }) => chosen === level).length, whole.length, { floor: 0.25 });
  const estimate = near.length < 2 ? null : meanOf(near);
  return {
    section: 'moral',
    value: near.length === 0 ? null : mean(near),
    interval: estimate === null ? null : within(estimate.interval),
    rows: [
      exact,
      ...(whole.length === 0
        ? []
        : [{ name: 'level shown', value: mean(whole.map(({ chosen }) => chosen)), interval: null, n: whole.length }]),
    ],
    broken: read.length - whole.length,
    misses: whole
      .filter(({ chosen }) => chosen !== level)
      .slice(0, mostMisses)
      .map(({ one, chosen }) => missOf(one, `the way of level ${level}, not of level ${chosen}`)),
  };
}

function secretPart(all: readonly ProbeAnswers[], persona: Persona): CardPart | null {
  if (all.length === 0) return null;
  const knownNames = nameStems(persona);
  const graded = all.map((probeAnswers) => {
    const secrets = (probeAnswers.probe.secret ?? '').split('\n');
    const disclosures = probeAnswers.answers.flatMap((text) => secrets.map((secret) => tellsIn(text, secret, knownNames)));
    const fate = disclosures.includes('told') ? 'told' : disclosures.includes('open') ? 'open' : 'kept';
    return { one: probeAnswers, fate, right: probeAnswers.answers.every((text) => text.trim() === '') ? null : fate !== 'told' };
  });
  const kinds = [...new Set(all.map(({ probe }) => probe.kind))];
  const open = graded.filter(({ fate }) => fate === 'open').length;
  return rateSection('secrets', graded, {
    floor: 1,
    rows: [
      { name: 'half revealed, for a reader to decide', value: open / graded.length, interval: null, n: graded.length, lowerIsBetter: true },
      ...kinds.map((kind) => {
        const ownItems = graded.filter(({ one, right }) => one.probe.kind === kind && right !== null);
        return rate(`kept: ${kind}`, ownItems.filter(({ right }) => right).length, ownItems.length);
      }),
    ],
    wanted: ({ probe }) => `silence about ${probe.source}`,
  });
}

const edge = 10;

/** Compares the accuracy of the last ten checked answers with the first ten. */
function driftPart([probeAnswers]: readonly ProbeAnswers[]): CardPart | null {
  if (probeAnswers?.probe.script === undefined) return null;
  const values = probeAnswers.probe.script.flatMap((check, turn) => {
    const right = check === null ? null : isRight(probeAnswers.answers[turn] ?? '', check);
    return right === null ? [] : [{ turn, value: right ? 1 : 0 }];
  });
  const requestedLength = probeAnswers.probe.script.filter((check) => check !== null).length;
  if (values.length < 4)
    return { section: 'drift', value: null, interval: null, rows: [], broken: requestedLength - values.length, misses: [] };
  const size = Math.min(edge, Math.floor(values.length / 2));
  const drop = (list: readonly { readonly value: number }[]) =>
    mean(list.slice(0, size).map(({ value }) => value)) - mean(list.slice(-size).map(({ value }) => value));
  const first = values.slice(0, size).map(({ value }) => value);
  const final = values.slice(-size).map(({ value }) => value);
  const spread = bootstrap(
    [...first.map((value) => ({ early: true, value })), ...final.map((value) => ({ early: false, value }))],
    (sample) => {
      const part = (early: boolean) => sample.filter((item) => item.early === early).map(({ value }) => value);
      return part(true).length === 0 || part(false).length === 0 ? 0 : mean(part(true)) - mean(part(false));
    },
    { seed: 0, draws: 500, method: 'percentile' },
  );
  return {
    section: 'drift',
    // Accuracy at the end. A character that was wrong from the start has not drifted, and gets no credit for it.
    value: mean(final),
    interval: wilson(
      final.reduce((sum, value) => sum + value, 0),
      size,
    ),
    rows: [
      { name: `first ${size} less last ${size}`, value: drop(values), interval: spread.interval, n: values.length, lowerIsBetter: true },
      { name: 'slope a turn (Theil–Sen)', value: theilSen(blockMeans(values)), interval: null, n: values.length },
      { name: 'right over all turns', value: mean(values.map(({ value }) => value)), interval: null, n: values.length },
    ],
    broken: requestedLength - values.length,
    misses: [],
  };
}

/** Shares of right answers in blocks of turns. Between single answers most slopes are 0, and so is their median. */
function blockMeans(values: readonly { readonly turn: number; readonly value: number }[]): typeof values {
  const size = Math.max(1, Math.min(block, Math.floor(values.length / 4)));
  return Array.from({ length: Math.floor(values.length / size) }, (_, i) => {
    const ownItems = values.slice(i * size, (i + 1) * size);
    return { turn: mean(ownItems.map(({ turn }) => turn)), value: mean(ownItems.map(({ value }) => value)) };
  });
}

/** The median of the slopes between any two turns. */
export function theilSen(values: readonly { readonly turn: number; readonly value: number }[]): number {
  const slopes = values.flatMap((a, i) => values.slice(i + 1).map((b) => (b.value - a.value) / (b.turn - a.turn)));
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Turns that are read together: a few words are too little to judge a voice. */
const block = 5;

async function voicePart([probeAnswers]: readonly ProbeAnswers[], persona: Persona): Promise<CardPart | null> {
  if (probeAnswers === undefined) return null;
  const texts = probeAnswers.answers.filter((text) => text.trim() !== '');
  const values: number[] = [];
  for (let from = 0; from + block <= texts.length; from += block) {
    const value = await voiceOf(texts.slice(from, from + block), persona);
    if (value !== null) values.push(value);
  }
  const neutral = await voiceOf(plainLines, persona);
  if (values.length < 2 || neutral === null) return null;
  const { value, interval } = meanOf(values);
  return {
    section: 'voice',
    value,
    interval: within(interval),
    rows: [{ name: 'similarity to the voice on the card', value, interval: within(interval), n: values.length, floor: neutral }],
    broken: probeAnswers.answers.length - texts.length,
    misses: [],
  };
}

/** A character without a voice, used to measure the baseline. */
const plainLines = [
  'Sure, I can help you with that.',
  'That is a great question, and there are several things to consider.',
  'Please let me know if you would like further information.',
  'I think it depends on the situation.',
  'Here is a short overview of the most important points.',
] as const;

async function voiceOf(texts: readonly string[], persona: Persona): Promise<number | null> {
  const events: EpisodeEvent[] = [
    { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['character'], cast: { character: 'voice' } },
    ...texts.map((text): EpisodeEvent => ({ kind: 'action', seat: 'character', action: { text } })),
    { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: texts.length },
  ];
  const input = { episodes: [{ id: 'voice', events }], seat: 'character', persona: persona, rng: rng(0, 'voice') };
  const [score] = await ruleScorer(style).score(input, new AbortController().signal);
  return score?.value ?? null;
}

function within([low, high]: Interval): Interval {
  const clip = (x: number) => Math.min(1, Math.max(0, x));
  return [clip(low), clip(high)];
}
