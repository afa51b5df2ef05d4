/** @file Probes a character with questions from its document, and writes its report card. */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, Fault, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { Interval } from '../scoring/statistics/mean.ts';
import { driftProbe, driftTurns, secretProbes } from './conversations.ts';
import { knowledgeProbes } from './knowledge.ts';
import { type ProbeSection, probeSections } from './names.ts';
import { passageCells, passageProbes } from './passages.ts';
import { type ProbeStore, playProbes, type StoredProbes, visitorName } from './play-probes.ts';
import type { Probe, ProbeAnswers } from './probe.ts';
import { type CardPart, cardParts, type ReadBehaviour } from './report-card.ts';
import { moralProbes, traitProbes } from './temper.ts';

export interface ProbeSelection {
  /** The number of questions with a conflict, and as many without; also the approximate number about passages. */
  readonly items?: number | undefined;
  readonly sections?: readonly ProbeSection[] | undefined;
  readonly seed?: Seed | undefined;
  /** Turns of the long conversation. */
  readonly turns?: number | undefined;
}

/** All probes of a document: the same document and seed give the same probes. */
export function makeProbes(
  persona: Persona,
  { items = 40, sections = probeSections, seed = 0, turns = driftTurns }: ProbeSelection = {},
): readonly Probe[] {
  const wanted = new Set(sections);
  const of = (section: ProbeSection, make: () => readonly Probe[]) => (wanted.has(section) ? make() : []);
  return [
    ...of('knowledge', () => knowledgeProbes(persona, items, seed)),
    ...of('passage', () => passageProbes(persona, Math.max(1, Math.round(items / passageCells.length)), seed)),
    ...of('traits', () => traitProbes(persona)),
    ...of('moral', () => moralProbes(persona, seed)),
    ...of('secrets', () => secretProbes(persona, visitorName)),
    ...of('drift', () => driftProbe(persona, seed, turns)),
  ];
}

/** The results of probing a character, part by part, with suggested fixes. */
export type ReportCard = {
  readonly persona: { readonly id: string; readonly name: string; readonly hash: string };
  readonly agent: string;
  /** The reader of the answers: rules, or a model. */
  readonly reader: string;
  readonly seed: Seed;
  readonly probes: number;
  /** Reused stored conversations. */
  readonly reused: number;
  /** The mean of the parts, from 0 to 1; null if nothing could be parsed. */
  readonly score: number | null;
  /** The uncertainty of the mean, from the intervals of the parts. */
  readonly interval: Interval | null;
  /** Probes with an unparsable answer. */
  readonly broken: number;
  readonly parts: readonly CardPart[];
  readonly mend: readonly string[];
  readonly run?: string;
};

/** The selected probes, their seed, and the reader of the answers. */
export interface ProbeCharacterOptions extends ProbeSelection {
  /** The card's name for the other person. */
  readonly name: string;
  agent(probe: Probe): Agent | Promise<Agent>;
  readonly store?: ProbeStore | undefined;
  readonly run?: string | undefined;
  /** Stored conversations of the run, reused for the same questions. */
  readonly stored?: StoredProbes | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
  /** A model that classifies answers; rules over words by default. */
  readonly reader?: { readonly name: string; read(answered: readonly ProbeAnswers[]): Promise<ReadBehaviour> } | undefined;
}

const needs: Readonly<Record<ProbeSection, string>> = {
  knowledge: 'statements',
  passage: 'statements',
  traits: 'traits with a pole ("identity.personal.bigFive")',
  moral: 'a moral level ("identity.personal.moral.level")',
  secrets: 'secrets',
  drift: 'statements',
};

/** The required content of a card for the selected probes. */
function missingFor(sections: readonly ProbeSection[] = []): string {
  if (sections.length === 0) return '; give it statements, traits, secrets or an age';
  return ` in ${sections.join(' and ')}; give it ${[...new Set(sections.map((section) => needs[section]))].join(' or ')}`;
}

/** Asks a character questions about its knowledge, secrets, temper, and voice, based on its document. */
export async function probeCharacter(persona: Persona, options: ProbeCharacterOptions): Promise<ReportCard> {
  const { seed = 0, agent, store, run, stored, signal, concurrency = 8, onProgress } = options;
  const probes = makeProbes(persona, options);
  if (probes.length === 0) throw new Fault('input', `${persona.name} has no statements to ask about${missingFor(options.sections)}.`);
  const answered = await playProbes(probes, { persona, agent, seed, store, run, stored, signal, concurrency, onProgress });
  const read = await options.reader?.read(answered);
  const parts = await cardParts(persona, answered, read);
  // A part may fail to parse several answers of one probe, and two parts read the long conversation.
  const unread = parts.reduce((sum, { section, broken }) => sum + (section === 'drift' || section === 'voice' ? 0 : broken), 0);
  const long = parts.some(({ section, broken }) => (section === 'drift' || section === 'voice') && broken > 0) ? 1 : 0;
  const broken = Math.min(probes.length, unread + long);
  const reused = answered.filter((answers) => answers.reused === true).length;
  return reportCard(
    persona,
    { name: options.name, reader: options.reader?.name ?? 'rules', seed, probes: probes.length, reused, broken, run },
    parts,
  );
}

interface CardFacts {
  readonly name: string;
  readonly reader: string;
  readonly seed: Seed;
  readonly probes: number;
  readonly reused: number;
  readonly broken: number;
  readonly run?: string | undefined;
}

function reportCard({ id, name, hash }: Persona, facts: CardFacts, parts: readonly CardPart[]): ReportCard {
  const valued = parts.flatMap(({ value, interval }) => (value === null ? [] : [{ value, interval }]));
  const score = valued.length === 0 ? null : valued.reduce((sum, { value }) => sum + value, 0) / valued.length;
  const half = Math.sqrt(valued.reduce((sum, { interval }) => sum + (interval === null ? 0 : ((interval[1] - interval[0]) / 2) ** 2), 0));
  return {
    persona: { id, name, hash },
    agent: facts.name,
    reader: facts.reader,
    seed: facts.seed,
    probes: facts.probes,
    reused: facts.reused,
    score,
    interval: score === null ? null : [Math.max(0, score - half / valued.length), Math.min(1, score + half / valued.length)],
    broken: facts.broken,
    parts,
    mend: parts.flatMap((part) => mendOf(part)),
    ...(facts.run === undefined ? {} : { run: facts.run }),
  };
}

/** From this score on, a part needs no fix. */
const good = 0.8;

/** Suggested changes to the document or the prompt, from the numbers alone. */
function mendOf({ section, value, rows, misses, broken }: CardPart): readonly string[] {
  if (value === null && broken === 0) return [`${section}: refusing everything would do, since ${plainMatter}.`];
  if (value === null) return [`${section}: no answer could be read; look at the episodes.`];
  const row = (name: string) => rows.find((row) => row.name === name);
  const sources = [...new Set(misses.map(({ source, kind }) => (section === 'passage' ? `“${kind}”` : source)))].slice(0, 3).join(', ');
  const out: string[] = [];
  if (section === 'knowledge') {
    const over = row('over-refusal')?.value ?? 0;
    if (over > 0.2) out.push(`It refuses ${percent(over)} of plain questions: list in "knowledge.knows" what it may talk about freely.`);
    const worst = rows.filter(({ name, value: got }) => name.startsWith('refusal accuracy: ') && got < good);
    for (const { name, value: got } of worst) {
      const kind = name.slice('refusal accuracy: '.length);
      out.push(`It withstands ${percent(got)} of "${kind}" questions: ${advice[kind] ?? 'state the facts more plainly'}.`);
    }
    if ((row('right answers')?.value ?? 1) < good && out.length === 0)
      out.push(`Right answers are few; look at ${sources || 'the facts'}.`);
    return out;
  }
  if (value >= good) return [];
  if (section === 'voice') {
    const floor = rows[0]?.floor ?? 0;
    return value > floor + 0.1
      ? []
      : ['Its voice is not distinctive: add lines to "voice.examples", and words to "voice.lexicon.use" and "avoid".'];
  }
  return [`${general[section]}${sources === '' ? '' : ` Look at ${sources}.`}`];
}

const plainMatter = 'there is nothing to ask about directly; add statements that name it, an age, a home, or an occupation';

const advice: Readonly<Record<string, string>> = {
  setting: 'set "knowledge.horizon", "cannotKnow" and "onUnknown"',
  profile: 'state the contradicted statements more plainly, and add an example in which it corrects someone',
  fake: 'state names, numbers, and places once, as separate statements',
  absent: 'list in "knowledge.cannotKnow" what it did not witness',
};

const general: Readonly<Record<Exclude<CardPart['section'], 'knowledge' | 'voice'>, string>> = {
  passage: 'It does not distinguish answering, refusing, and trying: say in "knowledge.mustRefuse" and "policy" what has priority.',
  traits: 'Its traits do not show: add statements and examples in which they do, or change the scores.',
  moral: 'Its choices do not match its moral level: give "identity.personal.moral" a note and an example of such a choice.',
  secrets: 'It reveals its secrets: add a "mustRefuse" with a manner, and an example in which it keeps the secret.',
  drift: 'It is less itself at the end than at the beginning: shorten the card, or repeat what matters in "policy.postHistory".',
};

function percent(value: number): string {
  return `${Math.round(100 * value)}%`;
}
