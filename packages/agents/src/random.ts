/** @file The agent that reads nothing: all moves are equally likely. It is the baseline for other agents. */

import { type Agent, type Script, scripted } from '@ludus-agents/kernel/internal/core/index';

export const remarks: readonly string[] = [
  'Yes.',
  'No.',
  'Perhaps.',
  'Go on.',
  'Tell me more.',
  'I see.',
  'What do you mean?',
  'Let us try.',
];

/** One of the choices, all equally likely; if an environment lists none, a short remark. */
export const uniform: Script = ({ ask, rng }) => ({
  text: ask.choices !== undefined && ask.choices.length > 0 ? rng.pick(ask.choices) : rng.pick(remarks),
});

/** The uniform player under the given name. */
export function random(name = 'random'): Agent {
  return scripted(name, uniform);
}
