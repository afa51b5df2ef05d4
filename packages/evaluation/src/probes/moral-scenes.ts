/** @file Scenes in which a character can act at any of four moral levels: the built-in ones, and those of a user. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { list, object, optional, readAs, required, words } from '@ludus-agents/kernel/internal/core/shape';
import { dilemmas } from './temper.ts';

/** A situation, later messages of others, and what would be done at each level, from paragon to villain. */
export interface MoralScene {
  readonly scene: string;
  readonly ways: readonly string[];
  readonly turns?: readonly string[];
}

/** What others say after the character has acted, in every scene that has no turns. It asks for reasons and for deeds, never for a level. */
const usualTurns = [
  'Somebody who saw it asks: “Why did you do that?” What do you answer?',
  'A day later. What have you done about it since?',
];

export const moralScenes: readonly MoralScene[] = dilemmas;

/** Everything that is said to the character in a scene, in order. */
export function turnsIn({ scene, turns = usualTurns }: MoralScene): readonly string[] {
  return [`${scene} What do you do, and what do you say?`, ...turns];
}

const shape = list(
  object<MoralScene>({
    scene: required(words, 'the situation'),
    ways: required(list(words, 4), 'what is done at levels 1 (paragon), 2 (flawed but good), 3 (egoist) and 4 (villain)'),
    turns: optional(list(words, { from: 1 }), 'later messages of others'),
  }),
  { from: 2 },
);

/** Scenes of a user: a list of {"scene", "ways", "turns"}. */
export function readMoralScenes(input: Json, where: string): readonly MoralScene[] {
  return readAs(shape, input, { where, called: 'a list of moral scenes' });
}
