/** @file An agent's internal state at an answer, in readable form: thought, mood, memories, plan, tools. Unknown kinds stay unchanged. */

import { affectWords } from '@ludus-agents/agents/internal/mind/affect';
import { type Mind, readMind } from '@ludus-agents/agents/internal/mind/mind';
import { mindLines } from '@ludus-agents/agents/internal/mind-words';
import { type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import type { TriedMove } from '@ludus-agents/agents/internal/search/positions';
import { isObject, type Json, plainNumber, plainText } from '@ludus-agents/kernel/internal/core/index';
import type { DiscussionShown, Inside, SearchShown } from './api.ts';

/** `made` is the given answer. */
export function insideOf(raw: Json | undefined, persona: Json | undefined, result: string): Inside | null {
  if (raw === undefined) return null;
  const mind = readMind(raw);
  const used = new Set(mind?.why?.memories ?? []);
  const [discussion, search] = [discussionIn(raw), searchIn(raw, result)];
  return {
    thought: mind?.thought ?? (discussion === null && search === null ? mindLines(raw).join('\n') : ''),
    mood: mind === undefined ? '' : moodOf(mind, personaIn(persona)),
    memories: (mind?.memory?.records ?? []).map((memoryRecord) => ({
      ...{
        id: memoryRecord.id,
        kind: memoryRecord.kind,
        text: memoryRecord.text,
        used: used.has(memoryRecord.id),
        evidence: memoryRecord.evidence ?? [],
      },
      gone: memoryRecord.retractedAt !== undefined || memoryRecord.validTo !== undefined,
    })),
    plan: mind?.plan?.steps ?? [],
    memo: mind?.memo?.text ?? '',
    uses: mind?.uses ?? [],
    prompt: mind?.prompt ?? null,
    discussion,
    search,
    raw,
  };
}

/** A team's messages before its answer. Logs may come from anywhere, so nothing about a mind is guaranteed. */
function discussionIn(raw: Json): DiscussionShown | null {
  if (!isObject(raw) || raw['kind'] !== 'team/1' || !Array.isArray(raw['discussion'])) return null;
  const log: readonly Json[] = raw['discussion'];
  const start = log.find((event) => isObject(event) && event['kind'] === 'start');
  const task = isObject(start) && isObject(start['task']) ? start['task'] : {};
  const lines = log.flatMap((event) =>
    isObject(event) && event['kind'] === 'action' && isObject(event['action'])
      ? [{ seat: plainText(event['seat']), text: plainText(event['action']['text']) }]
      : [],
  );
  const result = isObject(raw['result']) ? raw['result'] : {};
  return {
    protocol: plainText(task['protocol'] ?? ''),
    members: [...new Set([...(Array.isArray(task['members']) ? task['members'].map(String) : []), ...lines.map(({ seat }) => seat)])],
    lines,
    answer: plainText(result['answer'] ?? ''),
  };
}

function searchIn(raw: Json, result: string): SearchShown | null {
  if (!isObject(raw) || raw['kind'] !== 'search/1' || !Array.isArray(raw['moves'])) return null;
  return { strategy: plainText(raw['strategy'] ?? ''), exact: raw['exact'] === true, made: result, moves: movesIn(raw['moves']) };
}

function movesIn(moves: Json | undefined, deep = 0): readonly TriedMove[] {
  if (!Array.isArray(moves) || deep > 6) return [];
  return moves
    .filter(isObject)
    .map((jsonObject) => ({
      ...{
        move: plainText(jsonObject['move']),
        visits: plainNumber(jsonObject['visits']) || 0,
        value: plainNumber(jsonObject['value']) || 0,
      },
      ...(typeof jsonObject['by'] === 'string' ? { by: jsonObject['by'] } : {}),
      ...(typeof jsonObject['words'] === 'string' ? { words: jsonObject['words'] } : {}),
      next: movesIn(jsonObject['next'], deep + 1),
    }))
    .sort((a, b) => b.visits - a.visits || b.value - a.value);
}

function moodOf({ affect, turn }: Mind, persona: Persona | null): string {
  if (affect === undefined) return '';
  if (persona !== null) return affectWords(affect, turn - 1, persona.affect);
  const [pleasure = 0, arousal = 0, dominance = 0] = affect.mood;
  return `pleasure ${pleasure.toFixed(2)}, arousal ${arousal.toFixed(2)}, dominance ${dominance.toFixed(2)}`;
}

/** A log may be older than its document format. */
function personaIn(document: Json | undefined): Persona | null {
  if (document === undefined) return null;
  try {
    return parsePersona(document);
  } catch {
    return null;
  }
}
