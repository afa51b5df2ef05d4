/** @file Scorers that read figures off a log: returns, ranks, form, what calls cost, measures and audits of the environment, and tools in context. */

import { readMind } from '@ludus-agents/agents/internal/mind/mind';
import { auditsOf, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { evidenceOf, type Finding, type ScoringRule } from '../scorer.ts';
import type { Log } from './log.ts';

/** The figures that an environment reports about an episode, such as the learning gain of a lesson: one score for each. */
export const measures: ScoringRule = {
  name: 'measures',
  version: 1,
  unit: 'episode',
  find({ log }) {
    const note = log.notes.get('measures');
    if (note === undefined || !isObject(note.value)) return null;
    const evidence = evidenceOf(log, { event: note.event, text: note.text }, { supports: true });
    return Object.entries(note.value).flatMap(([part, value]) => (typeof value === 'number' ? [{ part, value, evidence }] : []));
  },
};

/**
 * How often a helper seat (customer, patient, oracle) contradicted the environment: reported separately from the agents that depend on it.
 */
export const audits: ScoringRule = {
  name: 'audits',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    if (!log.notes.has('audit')) return null;
    const { events } = log.episode;
    const count = auditsOf(events)[seat];
    if (count === undefined) return null;
    const evidence = events.flatMap((episodeEvent, event) => {
      if (episodeEvent.kind !== 'message' || episodeEvent.to.length > 0 || !isObject(episodeEvent.data)) return [];
      const audit = episodeEvent.data['audit'];
      const broken = isObject(audit) && audit['seat'] === seat && audit['holds'] === false;
      return broken ? evidenceOf(log, { event, text: episodeEvent.text }, { supports: false }) : [];
    });
    return { value: 1 - count.contradicted / count.checked, parts: { ...count }, evidence: evidence.slice(0, 5) };
  },
};

/** The value is tokens, read and written. Money and time are null where one of the calls lacks them. */
export const expense: ScoringRule = {
  name: 'expense',
  version: 1,
  unit: 'seat',
  lowerIsBetter: true,
  floor: 0,
  find({ log, seat }) {
    let [calls, prompt, completion, truncated] = [0, 0, 0, 0];
    let money: number | null = 0;
    let milliseconds: number | null = 0;
    let slowest = 0;
    for (const { event } of log.answers.get(seat) ?? []) {
      const episodeEvent = log.episode.events[event];
      if (episodeEvent?.kind !== 'action' || episodeEvent.calls === undefined) continue;
      for (const call of episodeEvent.calls) {
        calls++;
        prompt += call.usage.promptTokens;
        completion += call.usage.completionTokens;
        truncated += call.finish === 'length' ? 1 : 0;
        money = money === null || call.cost === null ? null : money + call.cost;
        milliseconds = milliseconds === null || call.milliseconds === undefined ? null : milliseconds + call.milliseconds;
        slowest = Math.max(slowest, call.milliseconds ?? 0);
      }
    }
    if (calls === 0) return null;
    const time = { milliseconds, slowest: milliseconds === null ? null : slowest };
    return { value: prompt + completion, parts: { calls, promptTokens: prompt, completionTokens: completion, money, ...time, truncated } };
  },
};

/** The value is the removal ratio: tools removed for each that was added, over the episode. It does not apply where all tools are always shown. */
export const toolContext: ScoringRule = {
  name: 'tool-context',
  version: 1,
  unit: 'seat',
  find({ log, seat }) {
    const states = (log.answers.get(seat) ?? []).flatMap(({ event }) => {
      const answer = log.episode.events[event];
      const state = answer?.kind === 'action' ? readMind(answer.mind)?.toolState : undefined;
      return state === undefined ? [] : [state];
    });
    const last = states.at(-1);
    if (last === undefined) return null;
    const visible = states.map(({ active }) => active.length);
    const results = Object.values(last.results);
    return {
      value: last.added === 0 ? 0 : last.removed / last.added,
      parts: {
        added: last.added,
        removed: last.removed,
        toolsInContext: visible.reduce((sum, count) => sum + count, 0) / visible.length,
        most: Math.max(...visible),
        calls: results.reduce((sum, { ok, failed }) => sum + ok + failed, 0),
        failed: results.reduce((sum, { failed }) => sum + failed, 0),
      },
    };
  },
};

/** Why an episode has no outcome, or null where it has one. A failing boundary is not the seat's failure, so it is left out, not lost. */
export function unfinishedFinding({ end }: Log): Finding | null {
  if (end === null || end.reason === 'abort') return { value: null, status: 'not-applicable' };
  return end.reason === 'error' ? { value: null, status: 'error' } : null;
}

/** The sum of a seat's rewards. */
export const returned: ScoringRule = {
  name: 'return',
  version: 1,
  unit: 'seat',
  find({ log, seat }) {
    const value = log.end?.returns[seat];
    if (value === undefined || log.end === null) return null;
    const { penalties, turns, reason } = log.end;
    return unfinishedFinding(log) ?? { value, parts: { penalties: penalties[seat] ?? 0, turns, limit: reason === 'limit' ? 1 : 0 } };
  },
};

/** The share of the other seats that got less, ties counted half: 1 for the only winner, 0 for the only loser. */
export const standing: ScoringRule = {
  name: 'standing',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0.5,
  find({ log, seat }) {
    const mine = log.end?.returns[seat];
    const others = log.seats.filter((other) => other !== seat);
    if (mine === undefined || others.length === 0) return null;
    return unfinishedFinding(log) ?? { value: others.reduce((sum, other) => sum + ahead(log, mine, other), 0) / others.length };
  },
};

function ahead(log: Log, mine: number, other: Seat): number {
  const theirs = log.end?.returns[other] ?? 0;
  return mine > theirs ? 1 : mine === theirs ? 0.5 : 0;
}

/** The share of a seat's answers that were in proper form: no penalty followed. */
export const form: ScoringRule = {
  name: 'form',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  find({ log, seat }) {
    const answers = log.answers.get(seat);
    if (answers === undefined) return null;
    const fouls = log.fouls.get(seat) ?? [];
    const evidence = answers
      .filter(({ event }) => fouls.includes(event))
      .slice(0, 3)
      .flatMap((line) => evidenceOf(log, line, { supports: false, note: 'penalised' }));
    return { value: 1 - new Set(fouls).size / answers.length, parts: { answers: answers.length, fouls: fouls.length }, evidence };
  },
};
