/**
 * @file Topic dialogues with a blind reader (PsyPlay): the character is played with a trait high and with it low, in the same dialogue, and a
 * reader who does not know which is which rates the trait. Names and the card's words are hidden, so reciting the card is no portrayal.
 */

import { derive, type Persona, type Trait, traits, traitWords } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, Fault, rng, type Score, type Seed, type Store } from '@ludus-agents/kernel/internal/core/index';
import { maskOf, toEscapedText } from '../scoring/judges/inert.ts';
import { gramsOf, wordsOf } from '../scoring/rules/text.ts';
import { readTraitCues, type TraitReading } from '../scoring/rules/trait-cues.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { wilson } from '../scoring/statistics/rates.ts';
import { type DialogueTopic, dialogueTopics } from './dialogue-topics.ts';
import { type ProbeStore, playProbes } from './play-probes.ts';
import type { Probe, ProbeAnswers } from './probe.ts';

export type Pole = 'high' | 'low';

/** Reads the lines of one speaker; null if they cannot be parsed. It sees both speakers' lines, with names hidden. */
export type TraitReader = (asked: readonly string[], statements: readonly string[]) => Promise<TraitReading | null> | TraitReading | null;

export interface PortrayalOptions {
  /** The agent that plays this version of the card in this dialogue. */
  agent(persona: Persona, dialogue: Probe): Agent | Promise<Agent>;
  readonly reader?: { readonly name: string; readonly read: TraitReader } | undefined;
  /** The personality of the character's conversation partner; by default, a partner with the same lines for all characters. */
  partner?(dialogue: Probe): Agent | Promise<Agent>;
  /** Dialogues per trait and pole. */
  readonly topics?: number | undefined;
  /** The topics; ten by default. */
  readonly about?: readonly DialogueTopic[] | undefined;
  readonly traits?: readonly Trait[] | undefined;
  readonly seed?: Seed | undefined;
  readonly store?: (ProbeStore & Pick<Store, 'putScores'>) | undefined;
  readonly run?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PortrayalRow {
  readonly trait: Trait;
  readonly pole: Pole;
  /** The share of dialogues in which the reader saw this pole; a dialogue that shows nothing does not count. */
  readonly success: number | null;
  readonly interval: Interval | null;
  readonly n: number;
  /** The pole of the card. */
  readonly own: boolean;
}

export interface PortrayalReport {
  readonly reader: string;
  readonly rows: readonly PortrayalRow[];
  readonly success: number | null;
  readonly interval: Interval | null;
  /** By trait, the share of pairs in which the high version was read higher than the low one; a tie is half, and chance is .5. */
  readonly pairs: Readonly<Record<string, { readonly rate: number | null; readonly interval: Interval | null; readonly n: number }>>;
  readonly pairRate: number | null;
  readonly pairInterval: Interval | null;
  /** The share of the words that are verbatim on the card. */
  readonly copied: number;
  /** Success by reciting the card does not count. */
  readonly recites: boolean;
  /** Dialogues that could not be parsed. */
  readonly broken: number;
  /** Dialogues that have the score "portrayal" in the store: 1 where the pole showed, else 0. */
  readonly stored: number;
  readonly floors: { readonly success: 0; readonly pairRate: 0.5 };
}

/** From this value on, the character counts as reciting. */
const muchCopied = 0.3;
const ends: Readonly<Record<Pole, number>> = { high: 92, low: 8 };

/** The card with one trait at an extreme, and nothing else changed. */
export function withPole(persona: Persona, trait: Trait, pole: Pole): Persona {
  const { identity } = persona;
  const bigFive = { ...identity.personal.bigFive, [trait]: { score: ends[pole] } };
  return derive(persona, { identity: { ...identity, personal: { ...identity.personal, bigFive } } }, 'vary');
}

interface Dialogue {
  readonly trait: Trait;
  readonly pole: Pole;
  readonly topic: string;
  readonly persona: Persona;
  readonly probe: Probe;
}

function dialoguesOf(persona: Persona, options: PortrayalOptions): readonly Dialogue[] {
  const { about = dialogueTopics, topics = Math.min(6, about.length), traits: requestedTraits = traits, seed = 0 } = options;
  if (topics > about.length) throw new Fault('input', `There are ${about.length} topics for dialogues, but ${topics} were requested.`);
  const selectedDialogueTopics = rng(seed, 'portrayal').shuffle(about).slice(0, topics);
  return requestedTraits.flatMap((trait) =>
    (['high', 'low'] as const).flatMap((pole) => {
      const version = withPole(persona, trait, pole);
      return selectedDialogueTopics.map(({ topic, turns }): Dialogue => {
        const id = `dialogue ${trait} ${pole} ${topic}`;
        const probe: Probe = { id, section: 'drift', kind: `${trait} ${pole}`, source: topic, turns, gold: 'answer', key: [] };
        return { trait, pole, topic, persona: version, probe };
      });
    }),
  );
}

/** Plays the dialogues of every trait at both poles, has them read blindly, and reports the traits shown. */
export async function measurePortrayal(persona: Persona, options: PortrayalOptions): Promise<PortrayalReport> {
  const { reader = { name: 'rules', read: (_: readonly string[], statements: readonly string[]) => readTraitCues(statements) }, seed = 0 } =
    options;
  const dialogues = dialoguesOf(persona, options);
  const played = await Promise.all(
    [...Map.groupBy(dialogues, ({ persona: { hash } }) => hash).values()].map(async (dialogues) => {
      const version = dialogues[0].persona;
      const { store, run, signal } = options;
      const agent = (probe: Probe) => options.agent(version, probe);
      const answered = await playProbes(
        dialogues.map(({ probe }) => probe),
        {
          persona: version,
          agent,
          seed,
          store,
          run,
          signal,
          concurrency: 2,
          ...(options.partner === undefined ? {} : { partner: options.partner }),
        },
      );
      return dialogues.map((dialogue, i) => ({ dialogue, answered: answered[i] }));
    }),
  );
  const read = await Promise.all(
    played.flat().map(async ({ dialogue, answered }) => ({
      ...dialogue,
      answered,
      reading: await blindReading(reader.read, dialogue, answered),
    })),
  );
  let stored = 0;
  for (const dialogue of read) {
    const { episode } = dialogue.answered;
    if (options.store === undefined || episode === undefined || dialogue.reading === null) continue;
    await options.store.putScores(episode, [portrayalScore(dialogue, reader.name)]);
    stored++;
  }
  return { ...reportOf(persona, reader.name, read), stored };
}

/** Scores whether the pole showed, so such dialogues can be exported: --where "portrayal>=1". */
function portrayalScore(dialogue: ReadDialogue, reader: string): Score {
  const { trait, pole, topic, reading } = dialogue;
  return {
    name: 'portrayal',
    status: 'ok',
    seat: 'character',
    value: shows(dialogue) ? 1 : 0,
    scale: [0, 1],
    floor: 0,
    parts: { reading: reading![trait] },
    evidence: [],
    cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 },
    provenance: { trait, pole, topic, reader },
  };
}

function shows({ trait, pole, reading }: ReadDialogue): boolean {
  return pole === 'high' ? reading![trait] > 0 : reading![trait] < 0;
}

async function blindReading(read: TraitReader, { persona }: Dialogue, { probe, answers }: ProbeAnswers): Promise<TraitReading | null> {
  const spokenAnswers = answers.filter((text) => text.trim() !== '');
  if (spokenAnswers.length === 0) return null;
  const mask = blindMask(persona);
  const hidden = (text: string) => toEscapedText(text, mask).text;
  return read(probe.turns.map(hidden), spokenAnswers.map(hidden));
}

/** Names, and every word that the card uses for its character's temper. */
function blindMask(persona: Persona): RegExp {
  const names = [persona.name, persona.nickname ?? '', ...persona.aliases, ...persona.name.split(/\s+/)];
  const levels = Object.entries(persona.identity.personal.bigFive ?? {});
  const words = levels.flatMap(([trait, { score, note }]) => wordsOf(`${traitWords(trait as Trait, score)} ${note ?? ''}`));
  return maskOf([...names, ...words.filter((word) => word.length > 4)]);
}

type ReadDialogue = Dialogue & { readonly answered: ProbeAnswers; readonly reading: TraitReading | null };

function reportOf(persona: Persona, reader: string, all: readonly ReadDialogue[]): Omit<PortrayalReport, 'stored'> {
  const whole = all.filter((readDialogue) => readDialogue.reading !== null);
  const traits = [...new Set(all.map(({ trait }) => trait))];
  const rateOf = (list: readonly ReadDialogue[]) => ratio(list.filter(shows).length, list.length);
  const rows = traits.flatMap((trait) =>
    (['high', 'low'] as const).map((pole): PortrayalRow => {
      const readDialogues = whole.filter((readDialogue) => readDialogue.trait === trait && readDialogue.pole === pole);
      const { rate, interval } = rateOf(readDialogues);
      const score = persona.identity.personal.bigFive?.[trait]?.score ?? 50;
      return { trait, pole, success: rate, interval, n: readDialogues.length, own: pole === 'high' ? score > 50 : score < 50 };
    }),
  );
  const pairsOf = (trait: Trait) =>
    whole.flatMap((high) => {
      if (high.trait !== trait || high.pole !== 'high') return [];
      const low = whole.find(
        (readDialogue) => readDialogue.trait === trait && readDialogue.pole === 'low' && readDialogue.topic === high.topic,
      );
      return low === undefined ? [] : [(Math.sign(high.reading![trait] - low.reading![trait]) + 1) / 2];
    });
  const paired = (values: readonly number[]) => ({
    ...ratio(
      values.reduce((sum, value) => sum + value, 0),
      values.length,
    ),
    n: values.length,
  });
  const total = rateOf(whole);
  const everyPair = paired(traits.flatMap(pairsOf));
  const copied = meanCopied(whole);
  return {
    reader,
    rows,
    success: total.rate,
    interval: total.interval,
    pairs: Object.fromEntries(traits.map((trait) => [trait, paired(pairsOf(trait))])),
    pairRate: everyPair.rate,
    pairInterval: everyPair.interval,
    copied,
    recites: copied > muchCopied,
    broken: all.length - whole.length,
    floors: { success: 0, pairRate: 0.5 },
  };
}

/** A share with its interval; ties count half, so the number of hits may be fractional. */
function ratio(hits: number, n: number): { readonly rate: number | null; readonly interval: Interval | null } {
  return n === 0 ? { rate: null, interval: null } : { rate: hits / n, interval: wilson(Math.min(n, hits), n) };
}

function meanCopied(all: readonly ReadDialogue[]): number {
  const shares = all.flatMap(({ persona, answered }) => {
    const card = new Set(gramsOf(wordsOf(cardText(persona)), 3));
    const grams = gramsOf(wordsOf(answered.answers.join(' ')), 3);
    return grams.length === 0 ? [] : [grams.filter((gram) => card.has(gram)).length / grams.length];
  });
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** The words of a card that reciting would use: its temper and its statements. */
export function cardText(persona: Persona): string {
  const levels = Object.entries(persona.identity.personal.bigFive ?? {});
  const temper = levels.map(([trait, { score }]) => `I am ${traitWords(trait as Trait, score)}.`);
  return [...temper, ...persona.statements.map(({ text }) => text)].join('\n');
}
