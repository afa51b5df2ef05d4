/** @file Every scorer that needs no language model, one line each, loaded when it is asked for. Judges are made from rubrics: `judgeOf`. */

import { Fault, type Scorer } from '../core/index.ts';
import { type Rule, ruleScorer } from './scorer.ts';

const rules: Readonly<Record<string, () => Promise<Rule>>> = {
  return: async () => (await import('./rules/outcome.ts')).returned,
  standing: async () => (await import('./rules/outcome.ts')).standing,
  form: async () => (await import('./rules/outcome.ts')).form,
  expense: async () => (await import('./rules/expense.ts')).expense,
  pass: async () => (await import('./rules/pass.ts')).pass,
  service: async () => (await import('./rules/service.ts')).service,
  privacy: async () => (await import('./rules/privacy.ts')).privacy,
  scene: async () => (await import('./rules/scene.ts')).scene,
  commons: async () => (await import('./rules/commons.ts')).commons,
  negotiation: async () => (await import('./rules/negotiation.ts')).negotiation,
  audits: async () => (await import('./rules/audits.ts')).audits,
  state: async () => (await import('./rules/state.ts')).state,
  facts: async () => (await import('./rules/facts.ts')).facts,
  checklist: async () => (await import('./rules/checklist.ts')).checklist,
  secrets: async () => (await import('./rules/secrets.ts')).secrets,
  ledger: async () => (await import('./rules/ledger.ts')).ledger,
  style: async () => (await import('./rules/style.ts')).style,
  repetition: async () => (await import('./rules/repetition.ts')).repetition,
  drift: async () => (await import('./rules/drift.ts')).drift,
  'five-traits': async () => (await import('./rules/personality.ts')).fiveTraits,
  personality: async () => (await import('./rules/personality.ts')).personality,
  memory: async () => (await import('./rules/memory.ts')).memory,
  confidence: async () => (await import('./rules/confidence.ts')).confidence,
  escalation: async () => (await import('./rules/escalation.ts')).escalation,
  permissions: async () => (await import('./rules/permissions.ts')).permissions,
  injection: async () => (await import('./rules/injection.ts')).injection,
};

/** Scorers on small models; without a model given they read words, and their provenance says so. */
const small: Readonly<Record<string, () => Promise<Scorer>>> = {
  apc: async () => {
    const { lexicalEmbedder, lexicalNli } = await import('./small/lexical.ts');
    return (await import('./small/apc.ts')).apcScorer({ nli: lexicalNli, embedder: lexicalEmbedder });
  },
  relevance: async () => (await import('./small/relevance.ts')).relevanceScorer((await import('./small/lexical.ts')).lexicalEmbedder),
};

const scorers: Readonly<Record<string, () => Promise<Scorer>>> = {
  ...Object.fromEntries(Object.entries(rules).map(([name, load]) => [name, async () => ruleScorer(await load())])),
  ...small,
};

/** The names of all scorers that need no language model. */
export const scorerNames: readonly string[] = Object.keys(scorers);

/** The rules that need nothing but a log: what is scored where nobody says what. */
export const usualScorers: readonly string[] = [
  'return',
  'standing',
  'form',
  'expense',
  'service',
  'privacy',
  'scene',
  'commons',
  'negotiation',
  'audits',
  'repetition',
];

const made = new Map<string, Scorer>();

/** A scorer by name. */
export async function scorerOf(name: string): Promise<Scorer> {
  const load = Object.hasOwn(scorers, name) ? scorers[name] : undefined;
  if (load === undefined) throw new Fault('input', `There is no scorer "${name}"; there are ${scorerNames.join(', ')}.`);
  const scorer = made.get(name) ?? (await load());
  made.set(name, scorer);
  return scorer;
}
