/** @file What an agent carried inside when it answered, in words: thought, mood, memories, plan, tools. A mind of another kind is shown as it is. */

import { affectWords } from '../../agents/mind/affect.ts';
import { type Mind, readMind } from '../../agents/mind/mind.ts';
import { mindLines } from '../../agents/mind-words.ts';
import type { Json } from '../../core/index.ts';
import { type Persona, parsePersona } from '../../personas/index.ts';
import type { Inside } from './api.ts';

export function insideOf(raw: Json | undefined, persona: Json | undefined): Inside | null {
  if (raw === undefined) return null;
  const mind = readMind(raw);
  const used = new Set(mind?.why?.memories ?? []);
  return {
    thought: mind?.thought ?? mindLines(raw).join('\n'),
    mood: mind === undefined ? '' : moodOf(mind, personaIn(persona)),
    memories: (mind?.memory?.records ?? []).map(({ id, kind, text }) => ({ id, kind, text, used: used.has(id) })),
    plan: mind?.plan?.steps ?? [],
    memo: mind?.memo?.text ?? '',
    uses: mind?.uses ?? [],
    prompt: mind?.prompt ?? null,
    raw,
  };
}

function moodOf({ affect, turn }: Mind, persona: Persona | null): string {
  if (affect === undefined) return '';
  if (persona !== null) return affectWords(affect, turn - 1, persona.affect);
  const [pleasure = 0, arousal = 0, dominance = 0] = affect.mood;
  return `pleasure ${pleasure.toFixed(2)}, arousal ${arousal.toFixed(2)}, dominance ${dominance.toFixed(2)}`;
}

/** A log may be older than the form of its documents. */
function personaIn(document: Json | undefined): Persona | null {
  if (document === undefined) return null;
  try {
    return parsePersona(document);
  } catch {
    return null;
  }
}
