/**
 * @file Episodes of Sotopia: messages arranged by turn, each with sender and receiver, and the judge's scores of every agent.
 *
 * Agents send to "Environment", which forwards the message, so an agent has read only the environment's messages. Turns in which an agent
 * did nothing are omitted.
 */

import { Fault, type Json, type JsonObject, type Score, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { brief, isObject } from '@ludus-agents/kernel/internal/core/json';
import type { TranscriptLine, TranscriptReader } from './transcript.ts';

const stage = 'Environment';

export const sotopia: TranscriptReader = {
  name: 'sotopia',
  fits: ({ messages, agents, environment }) =>
    Array.isArray(agents) && environment !== undefined && Array.isArray(messages) && messages.every((turn) => Array.isArray(turn)),
  read(item) {
    const lines: TranscriptLine[] = [];
    let idle = 0;
    for (const [sender, receiver, text] of triples(item['messages'])) {
      if (sender === stage && receiver === stage) continue;
      if (sender === stage) lines.push({ kind: 'told', to: [receiver], role: 'user', text });
      else if (receiver === stage && /^\s*did nothing\s*$/.test(text)) idle++;
      else if (receiver === stage) lines.push({ kind: 'said', seat: sender, to: [], text });
    }
    const seats = [...new Set(lines.flatMap((line) => (line.kind === 'told' ? line.to : [line.seat])))];
    if (seats.length === 0) throw new Fault('input', 'Expected a Sotopia episode with messages of at least one agent.');
    const models = (Array.isArray(item['models']) ? item['models'] : []).map(String);
    return {
      seats,
      cast: Object.fromEntries(seats.map((seat, i) => [seat, models[i + 1] ?? seat])),
      task: { id: item['environment']!, agents: item['agents']! },
      trial: 0,
      lines,
      scores: scoresIn(item, seats, models[0] ?? 'unknown'),
      ...(idle === 0 ? {} : { left: Array.from({ length: idle }, () => 'turns without an action') }),
    };
  },
};

function triples(value: Json | undefined): readonly (readonly [string, string, string])[] {
  return (value as readonly (readonly Json[])[]).flat().map((item: Json) => {
    if (Array.isArray(item) && item.length === 3 && item.every((part: Json) => typeof part === 'string'))
      return item as readonly string[] as readonly [string, string, string];
    throw new Fault('input', `A message of a Sotopia episode is [sender, receiver, text], but got ${brief(item)}.`);
  });
}

/** The scales of the seven dimensions. */
const scales: Readonly<Record<string, readonly [number, number]>> = {
  believability: [0, 10],
  relationship: [-5, 5],
  knowledge: [0, 10],
  secret: [-10, 0],
  social_rules: [-10, 0],
  financial_and_material_benefits: [-5, 5],
  goal: [0, 10],
};

function scoresIn({ rewards }: JsonObject, seats: readonly Seat[], judge: string): readonly Score[] {
  if (!Array.isArray(rewards)) return [];
  return seats.flatMap((seat, i): readonly Score[] => {
    const reward = rewards[i] as Json | undefined;
    const [overall, parts] = Array.isArray(reward) ? reward : [reward, {}];
    const named = { ...(typeof overall === 'number' ? { overall_score: overall } : {}), ...(isObject(parts) ? parts : {}) };
    return Object.entries(named).flatMap(([name, value]): readonly Score[] => {
      if (typeof value !== 'number' || !Number.isFinite(value)) return [];
      const scale = Object.hasOwn(scales, name) ? { scale: scales[name]! } : {};
      const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: null };
      return [
        { name: `sotopia.${name}`, value, status: 'ok', seat, ...scale, evidence: [], cost, provenance: { judge, source: 'sotopia' } },
      ];
    });
  });
}
