/**
 * @file The APC score: every statement about a persona constrains a reply, actively where it is relevant and passively where it is not.
 *
 * After "Quantifying and optimizing global faithfulness in persona-driven role-playing" (Peng and Shang, 2024):
 * Σ P_rel·P_entailed + (1 − P_rel)·(1 − P_contradicted). The sum grows with the number of statements and pays for silence, so the value
 * given is the mean over statements, its floor is what an always neutral reply gets, and the two sides are shown apart.
 */

import { type Persona, parsePersona, type Statement, withNames } from '@ludus-agents/agents/internal/personas/index';
import type { Episode, Evidence, Json, Score, ScoreInput, Scorer, Seat } from '@ludus-agents/kernel/internal/core/index';
import { type Embedder, type Entailment, labelOf, likeness, type Nli, provenanceOf, relevanceOf } from './small.ts';

export interface ApcRow extends Entailment {
  readonly relevance: number;
}

export interface Apc {
  readonly perStatement: readonly number[];
  readonly sum: number;
  /** The score of a reply that neither follows from nor contradicts anything. */
  readonly neutral: number;
  /** The sum minus that of a neutral reply. */
  readonly delta: number;
  readonly mean: number;
  /** Among relevant statements, the share that was said; null if none was relevant. */
  readonly activeRecall: number | null;
  /** Among irrelevant statements, the share that was not contradicted; null if all were relevant. */
  readonly passiveSafety: number | null;
}

export function apc(rows: readonly ApcRow[]): Apc {
  const total = (of: (row: ApcRow) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const active = (row: ApcRow) => row.relevance * row.entails;
  const passive = (row: ApcRow) => (1 - row.relevance) * (1 - row.contradicts);
  const relevant = total(({ relevance }) => relevance);
  const neutral = rows.length - relevant;
  const sum = total(active) + total(passive);
  return {
    perStatement: rows.map((row) => active(row) + passive(row)),
    sum,
    neutral,
    delta: sum - neutral,
    mean: sum / rows.length,
    activeRecall: relevant === 0 ? null : total(active) / relevant,
    passiveSafety: neutral === 0 ? null : total(passive) / neutral,
  };
}

/** A reply and its input: everything its seat read since its last reply. */
export interface QuestionReply {
  readonly event: number;
  readonly query: string;
  readonly reply: string;
}

export function exchangesOf({ events }: Episode, seat: Seat): readonly QuestionReply[] {
  const questionReplies: QuestionReply[] = [];
  let messages: string[] = [];
  for (const [event, item] of events.entries()) {
    if (item.kind === 'message' && item.to.includes(seat) && item.from !== seat) messages.push(item.text);
    if (item.kind !== 'action' || item.seat !== seat) continue;
    if (item.action.text.trim() !== '') questionReplies.push({ event, query: messages.join('\n'), reply: item.action.text });
    messages = [];
  }
  return questionReplies;
}

/** The small models that a scorer needs. */
export interface SmallModels {
  readonly nli: Nli;
  readonly embedder: Embedder;
}

const code = 'apc@1';

/** Scores how far a seat's words follow from the statements of its persona, by small models (APC). */
export function apcScorer(models: SmallModels): Scorer {
  const provenance = provenanceOf({ code, nli: labelOf(models.nli), embedder: labelOf(models.embedder) });
  const common = { name: 'apc', cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 }, scale: [0, 1] as const, provenance };
  return {
    name: 'apc',
    tier: 'small',
    identity: provenance.hash,
    async score(input) {
      const scores: Score[] = [];
      for (const [seat, json] of seatsOf(input)) {
        const { statements } = withNames(parsePersona(json));
        const [episode] = input.episodes;
        const exchanges = episode === undefined || input.episodes.length > 1 ? [] : exchangesOf(episode, seat);
        if (episode === undefined || exchanges.length === 0 || statements.length === 0)
          scores.push({ ...common, value: null, status: 'not-applicable', seat, evidence: [] });
        else scores.push({ ...common, seat, ...(await overTurns(models, { episode, statements, exchanges })) });
      }
      return scores;
    },
  };
}

/** The scored seat with its persona; without a seat, every seat that has one. */
export function seatsOf({ seat, persona, personas }: ScoreInput): readonly (readonly [Seat, Json])[] {
  if (seat === undefined) return Object.entries(personas ?? {});
  const json = persona ?? personas?.[seat];
  return json === undefined ? [] : [[seat, json]];
}

interface Talk {
  readonly episode: Episode;
  readonly statements: Persona['statements'];
  readonly exchanges: readonly QuestionReply[];
}

async function overTurns(
  models: SmallModels,
  { episode, statements, exchanges }: Talk,
): Promise<Pick<Score, 'value' | 'status' | 'parts' | 'floor' | 'evidence'>> {
  const turns: Apc[] = [];
  const evidence: Evidence[] = [];
  for (const exchange of exchanges) {
    const rows = await rowsOf(models, statements, exchange);
    turns.push(apc(rows));
    for (const [i, { relevance, entails, contradicts }] of rows.entries()) {
      const supports = contradicts < 0.5;
      if (supports && (entails < 0.5 || relevance < 0.5)) continue;
      const note = `${statements[i].id}: ${supports ? 'said' : 'contradicted'}, relevance ${relevance.toFixed(2)}`;
      evidence.push({ episode: episode.id, event: exchange.event, quote: exchange.reply, supports, note });
    }
  }
  const mean = (of: (turn: Apc) => number | null) => {
    const turnValues = turns.map(of).filter((value) => value !== null);
    return turnValues.length === 0 ? null : turnValues.reduce((sum, value) => sum + value, 0) / turnValues.length;
  };
  return {
    value: mean((turn) => turn.mean),
    status: 'ok',
    floor: (mean((turn) => turn.neutral) as number) / statements.length,
    parts: {
      sum: mean((turn) => turn.sum),
      delta: mean((turn) => turn.delta),
      activeRecall: mean((turn) => turn.activeRecall),
      passiveSafety: mean((turn) => turn.passiveSafety),
    },
    evidence,
  };
}

/** One row per statement. Prohibitions are inverted: following from one is a violation. */
async function rowsOf(
  { nli, embedder }: SmallModels,
  statements: Persona['statements'],
  { query, reply }: QuestionReply,
): Promise<ApcRow[]> {
  const [request, ...stated] = await embedder.embed([query, ...statements.map(({ text }) => text)]);
  const inferred = await nli.classify(statements.map(({ text }) => ({ premise: text, hypothesis: reply })));
  return statements.map((statement, i) => {
    const close = relevanceOf(embedder, likeness(request as Float32Array, stated[i]));
    const relevance = hasKey(statement, query) ? Math.max(close, 0.9) : close;
    const { entails, neutral, contradicts } = inferred[i];
    return statement.polarity === 'must_not'
      ? { relevance, entails: contradicts, neutral, contradicts: entails }
      : { relevance, entails, neutral, contradicts };
  });
}

/** Words that an author has marked as making a statement relevant override any similarity. */
function hasKey({ keys = [] }: Statement, query: string): boolean {
  const message = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return keys.some((key) => message.has(key.toLowerCase()));
}
