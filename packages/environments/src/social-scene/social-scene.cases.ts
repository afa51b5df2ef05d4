/** @file Test helpers for social scenes: opening one, taking a step, and reading what a seat is shown. */

import type { Action, Json, JsonObject, Script, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { scenes } from './scenes.ts';
import { socialScene } from './social-scene.ts';

export type State = Parameters<typeof socialScene.step>[0];

export const names = Object.keys(scenes);

export const scripts = socialScene.scripts as Readonly<Record<string, Script>>;

export const none: Action = { text: '[none]' };

/** Plays a scene with one script for all characters and the stand-in narrator. */
export function perform(task: JsonObject, script: Script, seeds: readonly number[] = [1, 2, 3]) {
  const policy = scriptedPolicy('script', script);
  const policies = Object.fromEntries(
    socialScene
      .seats(socialScene.task(task))
      .map((seat) => [seat, seat === 'narrator' ? scriptedPolicy('narrator', scripts['narrator']!) : policy]),
  );
  return rollout(socialScene, policies, { seeds, task });
}

export const openScene = (task: Json = {}, seed = 1): Step<State> => socialScene.start(socialScene.task(task), rng(seed, 'start'));

/** Lets the asked seats act as given, and the others do nothing. */
export const go = ({ state, asks }: Step<State>, statement: Readonly<Record<Seat, string>>): Step<State> =>
  socialScene.step(
    state,
    Object.fromEntries(asks.map(({ seat }) => [seat, statement[seat] === undefined ? none : { text: statement[seat] }])),
    rng(0),
  );

export const messagesTo = (step: Step<State>, seat: Seat) => step.messages.filter(({ to }) => to.includes(seat)).map(({ text }) => text);
