/** @file Every scorer that needs no language model, one line each, loaded on request. Judges are made from rubrics: `judgeOf`. */

import { Fault, findEntry, type KindEntry, type Scorer } from '@ludus-agents/kernel/internal/core/index';
import { withAddedEntries } from '@ludus-agents/kernel/internal/core/kind-registry';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { ruleScorer, type ScoringRule } from './scorer.ts';
import type { Embedder } from './small/small.ts';

const rules: Readonly<Record<string, KindEntry<ScoringRule>>> = {
  return: { about: 'the sum of the seat’s rewards', load: async () => (await import('./rules/outcome.ts')).returned },
  standing: {
    about: 'the rank of the seat among the others, from 0 for last to 1 for first',
    load: async () => (await import('./rules/outcome.ts')).standing,
  },
  form: {
    about: 'the share of turns answered in the required form',
    load: async () => (await import('./rules/outcome.ts')).form,
  },
  expense: { about: 'model calls, tokens, and cost of the seat', load: async () => (await import('./rules/outcome.ts')).expense },
  pass: {
    about: 'pass^k over many episodes: how often k tries of a task all succeed',
    load: async () => (await import('./rules/pass.ts')).pass,
  },
  privacy: { about: 'privacy-guard: what the defender revealed', load: async () => (await import('./rules/privacy.ts')).privacy },
  scene: { about: 'social-scene: goals reached and secrets kept', load: async () => (await import('./rules/commons.ts')).scene },
  commons: { about: 'commons: sustained, efficient, equal', load: async () => (await import('./rules/commons.ts')).commons },
  negotiation: { about: 'bargain: surplus, agreement, fairness', load: async () => (await import('./rules/commons.ts')).negotiation },
  audits: { about: 'how often a helper seat contradicted the environment', load: async () => (await import('./rules/outcome.ts')).audits },
  measures: {
    about: 'figures that the environment reports, such as a learning gain',
    load: async () => (await import('./rules/outcome.ts')).measures,
  },
  state: { about: 'assertions over the end state, from the reference', load: async () => (await import('./rules/state.ts')).state },
  facts: { about: 'facts of the reference that were stated', load: async () => (await import('./rules/facts.ts')).facts },
  checklist: {
    about: 'a list of checks from the reference, each decided by code',
    load: async () => (await import('./rules/checklist.ts')).checklist,
  },
  secrets: { about: 'secrets of the persona that the seat revealed', load: async () => (await import('./rules/secrets.ts')).secrets },
  ledger: { about: 'facts stated by someone who could not know them', load: async () => (await import('./rules/ledger.ts')).ledger },
  style: {
    about: 'sentence length and words against the voice of the persona',
    load: async () => (await import('./rules/style.ts')).style,
  },
  repetition: {
    about: 'four-word sequences that the seat has used before',
    load: async () => (await import('./rules/repetition.ts')).repetition,
  },
  drift: {
    about: 'whether the seat’s voice changes during the episode',
    load: async () => (await import('./rules/drift.ts')).drift,
  },
  planning: {
    about: 'a planning agent stage by stage: values heard, no repeated calls, complete, results reported truthfully, writes agreed (PIPA)',
    load: async () => (await import('./rules/planning.ts')).planning,
  },
  edits: {
    about: 'objects edited over several turns: requested changes are made, and nothing else changes (EdiVal)',
    load: async () => (await import('./rules/edits.ts')).edits,
  },
  'five-traits': {
    about: 'the Big Five, from answers to a questionnaire',
    load: async () => (await import('./rules/personality.ts')).fiveTraits,
  },
  personality: {
    about: 'how well the traits shown match the persona',
    load: async () => (await import('./rules/personality.ts')).personality,
  },
  memory: {
    about: 'questions with known answers: exact, contained, substring',
    load: async () => (await import('./rules/memory.ts')).memory,
  },
  confidence: {
    about: 'whether the probabilities stated by two sides of a debate add up',
    load: async () => (await import('./rules/confidence.ts')).confidence,
  },
  adaptability: {
    about: 'performance after a change: the loss, how much of it is recovered, and how soon',
    load: async () => (await import('./rules/adaptability.ts')).adaptability,
  },
  calibration: {
    about: 'calibration of bets on winning: Brier score, and bets in bins of ten',
    load: async () => (await import('./rules/calibration.ts')).calibration,
  },
  'tool-context': {
    about: 'tools in context, and the share that was removed again',
    load: async () => (await import('./rules/outcome.ts')).toolContext,
  },
  escalation: {
    about: 'acts of a conflict by six classes of severity',
    load: async () => (await import('./rules/escalation.ts')).escalation,
  },
  permissions: {
    about: 'calls that the role of the seat forbids, and decisions against the policy',
    load: async () => (await import('./rules/permissions.ts')).permissions,
  },
  injection: {
    about: 'whether the task was done, and whether an injected goal was reached',
    load: async () => (await import('./rules/injection.ts')).injection,
  },
};

/** The encoder that is installed; word overlap without one. Scores name which it was. */
export async function bestEmbedder(): Promise<Embedder> {
  const { installedEncoder } = await import('@ludus-agents/agents/internal/encoders/installed');
  return (await installedEncoder()) ?? (await import('./small/lexical.ts')).lexicalEmbedder;
}

/** Scorers on small models; without a model they compare words, and their provenance records that. */
const small: Readonly<Record<string, KindEntry<Scorer>>> = {
  apc: {
    about: 'statements of the persona that the answers entail or contradict',
    async load() {
      const { lexicalNli } = await import('./small/lexical.ts');
      return (await import('./small/apc.ts')).apcScorer({ nli: lexicalNli, embedder: await bestEmbedder() });
    },
  },
  'sentence-alignment': {
    about: 'each sentence against the profile: character, personality, relationship (BEYOND DIALOGUE)',
    async load() {
      const { lexicalNli } = await import('./small/lexical.ts');
      return (await import('./small/alignment.ts')).alignmentScorer({ nli: lexicalNli, embedder: await bestEmbedder() });
    },
  },
  relevance: {
    about: 'whether answers address the question',
    load: async () => (await import('./small/relevance.ts')).relevanceScorer(await bestEmbedder()),
  },
};

const builtIn: Readonly<Record<string, KindEntry<Scorer>>> = {
  ...Object.fromEntries(
    Object.entries(rules).map(([name, { about, load }]) => [name, { about, load: async () => ruleScorer(await load()) }]),
  ),
  ...small,
};

/** Each with a one-line description, including those that other packages add. */
export function scorerEntries(): Readonly<Record<string, KindEntry<Scorer>>> {
  return withAddedEntries('scorers', builtIn);
}

/** The names of all scorers that need no language model. */
export function scorerNames(): readonly string[] {
  return Object.keys(scorerEntries());
}

/** The rules that need only a log: the default scorers. */
export const usualScorers: readonly string[] = [
  'return',
  'standing',
  'form',
  'expense',
  'desk',
  'privacy',
  'scene',
  'commons',
  'negotiation',
  'audits',
  'measures',
  'repetition',
];

const result = new Map<string, Scorer>();

/** A scorer by name. */
export async function builtInScorer(name: string): Promise<Scorer> {
  const entry = findEntry(scorerEntries(), name);
  if (entry === null)
    throw new Fault('input', `Unknown scorer "${name}". Available: ${scorerNames().join(', ')}.${didYouMean(name, scorerNames())}`, {
      code: 'E_UNKNOWN_NAME',
    });
  const scorer = result.get(name) ?? (await entry.load());
  result.set(name, scorer);
  return scorer;
}
