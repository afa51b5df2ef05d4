/**
 * @file A character that plays by the rules in its own document, without a model. Its feelings and relations are stored in its mind, and so
 * in the log.
 */

import { type Agent, type AgentSpec, Fault, type Json, type Seen } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { defaultUser, expandMacros, type Persona, type PersonaInput, parsePersona } from './personas/index.ts';
import { type AuthoredState, actByRules, betweenTalks, firstState, type HeardWords } from './personas/rules/act.ts';

/** Number of turns by which the mood decays between two conversations: it halves. */
const pause = 60;

/** Creates an agent that follows the rules of a spec's persona. `earlier` is the mind at the end of an earlier conversation. */
export function authoredAgent({ name, persona: input, settings }: AgentSpec, earlier?: Json): Agent {
  const persona: Persona | null = input === undefined ? null : parsePersona(input as PersonaInput);
  const rules = persona?.rules;
  if (persona === null || rules === undefined)
    throw new Fault('input', `${name} plays by authored rules, but its persona has none. Add "rules" to the persona.`);
  const user = typeof settings?.['user'] === 'string' ? settings['user'] : defaultUser;
  const affinity = Object.fromEntries(persona.relations.map((relation) => [relation.to, relation.affinity]));
  const last = authoredMind(earlier);
  const first = last === null ? firstState(rules, affinity) : betweenTalks(rules, last, pause);
  return {
    name,
    persona: persona.hash,
    async act({ view, mind, rng }) {
      const { says, state, by } = actByRules(rules, authoredMind(mind) ?? first, heardSince(view.seen, user), rng);
      const text = expandMacros(says, { char: persona.nickname || persona.name, user });
      return { action: { text }, mind: { authored: state, why: { rules: by } } };
    },
  };
}

/** The authored state in a mind, if any. */
export function authoredMind(mind: Json | undefined): AuthoredState | null {
  const state = isObject(mind) ? mind['authored'] : undefined;
  return isObject(state) && typeof state['mood'] === 'number' ? (state as AuthoredState) : null;
}

/** What others said since the agent's last action; the seat of a visitor has the visitor's name. */
function heardSince(observations: readonly Seen[], user: string): readonly HeardWords[] {
  const last = observations.findLastIndex((item) => item.kind === 'action');
  return observations
    .slice(last + 1)
    .flatMap((item) =>
      item.kind === 'message' && item.from !== undefined ? [{ speaker: item.from === 'user' ? user : item.from, text: item.text }] : [],
    );
}
