/**
 * @file Turns a rule into a scorer: a rule returns its findings, and everything else in a score is added and checked here.
 *
 * Missing is a status and never 0; each quote must be in the event it names; scale, floor and provenance go with every value.
 */

import { type Persona, type PersonaInput, parsePersona, withNames } from '@ludus-agents/agents/internal/personas/index';
import type {
  Cost,
  Episode,
  Evidence,
  Json,
  JsonObject,
  Score,
  ScoreInput,
  Scorer,
  ScoreStatus,
  Seat,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { type Log, logOf, type Utterance } from './rules/log.ts';
import { SharedScores } from './shared-scores.ts';

/** The findings of a rule. Without a value the status gives the reason; null instead of a finding is "not applicable". */
export interface Finding {
  readonly value: number | null;
  readonly status?: Exclude<ScoreStatus, 'ok'>;
  /** The place and the reason of a failure, in a sentence. */
  readonly reason?: string;
  /** For rules that give several scores: "E" makes the score "five-traits/E". */
  readonly part?: string;
  readonly turn?: number;
  readonly parts?: Readonly<Record<string, number | null>>;
  readonly evidence?: readonly Evidence[];
  readonly floor?: number;
  readonly interval?: readonly [number, number];
}

/** The input of a rule. `log` is the first of `logs`; rules over many episodes read them all. */
export interface Case {
  readonly logs: readonly Log[];
  readonly log: Log;
  /** The seat that is scored; empty for rules that score whole episodes. */
  readonly seat: Seat;
  readonly persona: Persona | null;
  /** The persona of any seat that has one. */
  personaOf(seat: Seat): Persona | null;
  readonly reference: JsonObject;
}

/** A scorer that needs no model: code that finds something in a log. */
export interface ScoringRule {
  readonly name: string;
  /** Increased whenever the same log could get another score. */
  readonly version: number;
  /** Whether one score is given for each seat, for each episode, or for all episodes together. */
  readonly unit: 'seat' | 'episode' | 'many';
  readonly scale?: readonly [number, number];
  readonly lowerIsBetter?: boolean;
  readonly floor?: number;
  /** Tables and thresholds that affect the result: they are part of the provenance. */
  readonly settings?: Json;
  find(input: Case): Finding | readonly Finding[] | null;
}

export const free: Cost = Object.freeze({ calls: 0, promptTokens: 0, completionTokens: 0, money: 0 });

/** A rule as a scorer. Given several episodes, a rule for seats or episodes scores them one after the other. */
export function ruleScorer(rule: ScoringRule): Scorer {
  const { name, version, scale, lowerIsBetter, floor, settings = null } = rule;
  const common = {
    cost: free,
    provenance: { scorer: `${name}@${version}`, hash: hash({ name, version, settings }) },
    ...(scale === undefined ? {} : { scale: [...scale] as const }),
    ...(lowerIsBetter === undefined ? {} : { lowerIsBetter }),
  };
  const missing = new Map<Seat, Score>();
  /** Most rules do not apply to most logs, so that answer is made once for each seat. */
  const absent = (seat: Seat): Score => {
    let score = missing.get(seat);
    if (score === undefined) {
      score = { name, value: null, status: 'not-applicable', evidence: [], ...(seat === '' ? {} : { seat }), ...common };
      if (missing.size < 1000) missing.set(seat, score);
    }
    return score;
  };
  const sharedScores = new SharedScores();
  const scoreOf = (finding: Finding | null, log: Log, seat: Seat): Score =>
    finding === null ? absent(seat) : sharedScores.get(finding, seat, () => makeScore(finding, log, seat));
  const makeScore = (finding: Finding, log: Log, seat: Seat): Score => {
    const of = seat === '' ? {} : { seat };
    const { value, status = 'ok', part, evidence = [], ...rest } = finding;
    if ((value === null) === (status === 'ok') || (value !== null && !Number.isFinite(value)))
      throw new Fault(
        'scorer',
        `The rule "${name}" must return a finite value or a reason for not scoring, but returned ${value} and "${status}".`,
      );
    for (const otherEvidence of evidence) if (otherEvidence.episode === log.episode.id) confirm(name, log.episode, otherEvidence);
    const named = part === undefined ? name : `${name}/${part}`;
    return { name: named, value, status, evidence, ...of, ...(floor === undefined ? {} : { floor }), ...rest, ...common };
  };
  /** A rule that fails on one seat fails only for that seat. */
  const findScores = (input: Case, scores: Score[]): void => {
    const before = scores.length;
    try {
      const findings = rule.find(input);
      if (!isList(findings)) scores.push(scoreOf(findings, input.log, input.seat));
      else for (const finding of findings) scores.push(scoreOf(finding, input.log, input.seat));
    } catch (thrown) {
      scores.length = before;
      scores.push({ ...absent(input.seat), status: 'error', reason: sentenceOf(thrown) });
    }
  };
  const scoreNow = (cases: RuleCases): readonly Score[] => {
    const scores: Score[] = [];
    for (const input of cases.of(rule.unit)) findScores(input, scores);
    return scores;
  };
  const scorer: Scorer = { name, tier: 'rule', score: async (input) => scoreNow(new RuleCases(input)) };
  rules.set(scorer, scoreNow);
  return scorer;
}

const rules = new WeakMap<Scorer, (cases: RuleCases) => readonly Score[]>();

/** The synchronous form of a rule, because promises would take longer than most rules. Undefined for any other scorer. */
export function ruleOf(scorer: Scorer): ((cases: RuleCases) => readonly Score[]) | undefined {
  return rules.get(scorer);
}

function isList(findings: Finding | readonly Finding[] | null): findings is readonly Finding[] {
  return Array.isArray(findings);
}

/** The input of rules; rules use no randomness. */
export class RuleCases {
  readonly #input: Omit<ScoreInput, 'rng'>;
  readonly #made: Partial<Record<ScoringRule['unit'], readonly Case[]>> = {};

  constructor(input: Omit<ScoreInput, 'rng'>) {
    this.#input = input;
  }

  /** All rules of a unit are given the same. */
  of(unit: ScoringRule['unit']): readonly Case[] {
    this.#made[unit] ??= makeCases(unit, this.#input);
    return this.#made[unit];
  }
}

function makeCases(unit: ScoringRule['unit'], input: Omit<ScoreInput, 'rng'>): readonly Case[] {
  const logs = input.episodes.map(logOf);
  const reference = isObject(input.reference) ? input.reference : {};
  const personaOf = (seat: Seat): Persona | null => {
    const json = input.personas?.[seat] ?? (seat === input.seat ? input.persona : undefined);
    return json === undefined || json === null ? null : read(json);
  };
  const caseOf = (log: Log, seat: Seat): Case => ({
    logs: unit === 'many' ? logs : [log],
    log,
    seat,
    persona: seat === '' ? null : personaOf(seat),
    personaOf,
    reference,
  });
  if (unit === 'many') return logs.slice(0, 1).map((log) => caseOf(log, input.seat ?? ''));
  const each: Case[] = [];
  for (const log of logs)
    for (const seat of unit === 'episode' ? whole : input.seat === undefined ? log.seats : [input.seat]) each.push(caseOf(log, seat));
  return each;
}

/** An episode that is scored as one has no seat. */
const whole: readonly Seat[] = [''];

const personas = new WeakMap<object, Persona>();

/** Reads a persona once, however many episodes it is scored in. */
function read(json: Json): Persona {
  if (typeof json !== 'object' || json === null) return withNames(parsePersona(json));
  const knownPersona = personas.get(json);
  if (knownPersona !== undefined) return knownPersona;
  const persona = withNames(parsePersona(json as PersonaInput));
  personas.set(json, persona);
  return persona;
}

// ── evidence ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The quotable text of an event. */
export function quotable(episode: Episode, event: number): string {
  const episodeEvent = episode.events[event];
  if (episodeEvent?.kind === 'message') return episodeEvent.text;
  return episodeEvent?.kind === 'action' ? episodeEvent.action.text : '';
}

/** Whether the quote is in the event it names, letter for letter. */
export function stands(episode: Episode, { episode: id, event, quote }: Evidence): boolean {
  return id === episode.id && quote !== '' && quotable(episode, event).includes(quote);
}

function confirm(rule: string, episode: Episode, evidence: Evidence): void {
  if (!stands(episode, evidence))
    throw new Fault('scorer', `The rule "${rule}" quotes "${evidence.quote.slice(0, 60)}", which is not in event ${evidence.event}.`);
}

/** The score as it is, or an error if it quotes something that is not in the episodes. For scorers that do not pass through `ruleScorer`. */
export function withTrueQuotes(score: Score, episodes: readonly Episode[]): Score {
  const isFalse = (evidence: Evidence) => episodes.some((episode) => episode.id === evidence.episode && !stands(episode, evidence));
  const wrong = score.evidence.find(isFalse);
  if (wrong === undefined) return score;
  const reason = `It quotes "${wrong.quote.slice(0, 60)}", which is not in event ${wrong.event}.`;
  return { ...score, value: null, status: 'error', reason, evidence: score.evidence.filter((evidence) => !isFalse(evidence)) };
}

const longestQuote = 200;

/** A part of a line as evidence; undefined if there is nothing to quote. */
export function evidenceOf(
  log: Log,
  { event, text }: Pick<Utterance, 'event' | 'text'>,
  { quote = text, supports, note }: { readonly quote?: string; readonly supports: boolean; readonly note?: string },
): readonly Evidence[] {
  // A surrogate pair cut in two would not survive being written down.
  const piece = quote.length > longestQuote ? quote.slice(0, longestQuote).replace(/[\ud800-\udbff]$/, '') : quote;
  if (piece === '') return [];
  return [{ episode: log.episode.id, event, quote: piece, supports, ...(note === undefined ? {} : { note }) }];
}
