/**
 * @file Every sentence of a character against its profile, on five dimensions (after BEYOND DIALOGUE): character, style, personality,
 * relationship and emotion. A sentence fits the profile, contradicts it, or does not bear on it; what no sentence shows is "not shown".
 */

import { type Persona, sentences, type Trait } from '@ludus-agents/agents/internal/personas/index';
import { type Evidence, states } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { type Log, type Utterance, wordsBy } from './log.ts';
import { stemsOf, wordsOf } from './text.ts';
import { readTraitCues } from './trait-cues.ts';

type Dimension = 'character' | 'style' | 'personality' | 'relationship';

/** What one sentence says about one entry of the profile. */
interface Alignment {
  readonly dimension: Dimension;
  /** The entry: a trait with its pole, a word, a statement's id, a person. */
  readonly value: string;
  readonly fits: boolean;
}

/** A trait this near the middle has no pole to show. */
const middle = 10;
const negation = /\b(?:not|never|no|none|nothing|nobody|without|cannot)\b|n['’]t\b/i;
const warm = linear(/\b(?:dear|friend|love|trust|thank|glad|fond|like|miss|kind)\w*\b/i);
const cold = linear(/\b(?:hate|fool|liar|despise|enemy|trait(?:or)|loathe|never forgive|curse|coward|detest)\w*\b/i);
const feeling = linear(
  /\b(?:joy|glad|happy|sad|sorry|afraid|fear|angry|furious|proud|ashamed|hope|relie(?:f|ved)|disappoint|love|hate|grief|worry|worried|delight|regret|envy|grateful)\w*\b/i,
);

/** What a sentence shows of the profile. */
export function alignmentsIn(sentence: string, persona: Persona): readonly Alignment[] {
  return [
    ...inStyle(sentence, persona),
    ...inPersonality(sentence, persona),
    ...inCharacter(sentence, persona),
    ...inRelations(sentence, persona),
  ];
}

function inStyle(sentence: string, { voice }: Persona): readonly Alignment[] {
  const said = (words: readonly string[], fits: boolean) =>
    words.filter((value) => states(sentence, { kind: 'words', value })).map((value): Alignment => ({ dimension: 'style', value, fits }));
  const most = voice.sentenceLen?.max;
  const long: readonly Alignment[] =
    most !== undefined && wordsOf(sentence).length > most ? [{ dimension: 'style', value: `at most ${most} words`, fits: false }] : [];
  return [...said(voice.lexicon.use, true), ...said(voice.lexicon.avoid, false), ...long];
}

function polesOf({ identity }: Persona): readonly (readonly [Trait, 'high' | 'low'])[] {
  return Object.entries(identity.personal.bigFive ?? {}).flatMap(([trait, { score }]) =>
    Math.abs(score - 50) < middle ? [] : [[trait as Trait, score > 50 ? 'high' : 'low'] as const],
  );
}

function inPersonality(sentence: string, persona: Persona): readonly Alignment[] {
  const traitCues = readTraitCues([sentence]);
  return polesOf(persona).flatMap(([trait, pole]): readonly Alignment[] =>
    traitCues[trait] === 0
      ? []
      : [{ dimension: 'personality', value: `${trait} ${pole}`, fits: traitCues[trait] > 0 === (pole === 'high') }],
  );
}

/** A statement that a sentence says again, or says the opposite of. */
function inCharacter(sentence: string, { statements, name }: Persona): readonly Alignment[] {
  const ownStems = stemsOf(name);
  const spokenStems = stemsOf(sentence);
  return statements.flatMap(({ id, text, polarity, kind }): readonly Alignment[] => {
    const stems = [...stemsOf(text)].filter((stem) => !ownStems.has(stem));
    const shared = stems.filter((stem) => spokenStems.has(stem)).length;
    if (kind === 'style' || stems.length < 2 || shared < Math.max(2, 0.6 * stems.length)) return [];
    const same = negation.test(sentence) === negation.test(text);
    return [{ dimension: 'character', value: id, fits: same === (polarity === 'must') }];
  });
}

/** A sentence with feeling about somebody towards whom the profile has one. */
function inRelations(sentence: string, { relations }: Persona): readonly Alignment[] {
  return relations.flatMap(({ to, affinity }): readonly Alignment[] => {
    const named = wordsOf(to).some((word) => word.length > 2 && states(sentence, { kind: 'words', value: word }));
    const [kind, unkind] = [warm.test(sentence), cold.test(sentence)];
    if (!named || affinity === 0 || kind === unkind) return [];
    return [{ dimension: 'relationship', value: to, fits: kind === affinity > 0 }];
  });
}

const dimensions: readonly Dimension[] = ['character', 'style', 'personality', 'relationship'];
const mostQuotes = 12;

/** Of the sentences that bear on the profile, the share that fits it. `shown` is how much of the profile any sentence shows. */
export const sentenceAlignment: ScoringRule = {
  name: 'sentence-alignment',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0.5,
  settings: { middle },
  find({ log, seat, persona }) {
    if (persona === null) return null;
    const lines = wordsBy(log, seat).flatMap((line) => sentences(line.text).map((sentence) => ({ line, sentence })));
    if (lines.length === 0) return null;
    const matches = lines.flatMap(({ line, sentence }) =>
      alignmentsIn(sentence, persona).map((alignment) => ({ line, sentence, ...alignment })),
    );
    const share = (of: typeof matches) => (of.length === 0 ? null : of.filter(({ fits }) => fits).length / of.length);
    const parts = {
      ...Object.fromEntries(
        dimensions.map((otherDimension) => [otherDimension, share(matches.filter(({ dimension }) => dimension === otherDimension))]),
      ),
      emotion: lines.filter(({ sentence }) => feeling.test(sentence)).length / lines.length,
      shown: shownShare(persona, matches),
      sentences: lines.length,
    };
    const value = share(matches);
    if (value === null)
      return { value: null, status: 'not-applicable', reason: 'No sentence bears on the profile; the profile is not shown.', parts };
    return { value, parts, evidence: quotesOf(log, matches) };
  },
};

function shownShare(persona: Persona, alignments: readonly Alignment[]): number | null {
  const { voice, statements, relations } = persona;
  const entries = new Set([
    ...voice.lexicon.use.map((word) => `style ${word}`),
    ...polesOf(persona).map(([trait, pole]) => `personality ${trait} ${pole}`),
    ...statements.filter(({ kind }) => kind !== 'style').map(({ id }) => `character ${id}`),
    ...relations.filter(({ affinity }) => affinity !== 0).map(({ to }) => `relationship ${to}`),
  ]);
  const shown = new Set(alignments.filter(({ fits }) => fits).map(({ dimension, value }) => `${dimension} ${value}`));
  return entries.size === 0 ? null : [...entries].filter((entry) => shown.has(entry)).length / entries.size;
}

/** Contradictions first: they are what one wants to read. */
function quotesOf(
  log: Log,
  matches: readonly (Alignment & { readonly line: Utterance; readonly sentence: string })[],
): readonly Evidence[] {
  return [...matches]
    .sort((a, b) => Number(a.fits) - Number(b.fits))
    .filter(({ line, sentence }) => line.text.includes(sentence))
    .slice(0, mostQuotes)
    .flatMap(({ line, sentence, dimension, value, fits }) =>
      evidenceOf(log, line, { quote: sentence, supports: fits, note: `${dimension}: ${value}` }),
    );
}
