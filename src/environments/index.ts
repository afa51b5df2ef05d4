/** @file Every built-in world, one line each, loaded when it is asked for. */

import { type AnyEnvironment, Fault } from '../core/index.ts';
import { dress } from './surface.ts';

const worlds: Readonly<Record<string, () => Promise<AnyEnvironment>>> = {
  'kuhn-poker': async () => (await import('./kuhn-poker.ts')).kuhnPoker,
  leduc: async () => (await import('./leduc.ts')).leduc,
  'liars-dice': async () => (await import('./liars-dice.ts')).liarsDice,
  'hanabi-tiny': async () => (await import('./hanabi/tiny.ts')).hanabiTiny,
  hanabi: async () => (await import('./hanabi/hanabi.ts')).hanabi,
  'tic-tac-toe': async () => (await import('./kinarow.ts')).ticTacToe,
  'connect-four': async () => (await import('./kinarow.ts')).connectFour,
  kinarow: async () => (await import('./kinarow.ts')).kinarow,
  dilemma: async () => (await import('./dilemma.ts')).dilemma,
  bargain: async () => (await import('./bargain.ts')).bargain,
  codebreaker: async () => (await import('./codebreaker.ts')).codebreaker,
  'twenty-questions': async () => (await import('./twenty-questions.ts')).twentyQuestions,
  commons: async () => (await import('./commons.ts')).commons,
  werewolf: async () => (await import('./werewolf.ts')).werewolf,
  relay: async () => (await import('./relay.ts')).relay,
  chat: async () => (await import('./chat.ts')).chat,
  clinic: async () => (await import('./clinic/clinic.ts')).clinic,
  'quest-world': async () => (await import('./quest-world/quest-world.ts')).questWorld,
  'social-scene': async () => (await import('./social-scene/social-scene.ts')).socialScene,
  'service-desk': async () => (await import('./service-desk/index.ts')).serviceDesk,
  'privacy-guard': async () => (await import('./privacy-guard/index.ts')).privacyGuard,
  jailbreak: async () => (await import('./jailbreak.ts')).jailbreak,
  questionnaire: async () => (await import('./questionnaire.ts')).questionnaire,
};

const loaded = new Map<string, AnyEnvironment>();

/** The names of all built-in worlds. */
export const environmentNames: readonly string[] = Object.keys(worlds);

/** A built-in world by name, with or without its version. */
export async function environment(name: string): Promise<AnyEnvironment> {
  const [plain, version] = name.split('@', 2) as [string, string | undefined];
  const load = Object.hasOwn(worlds, plain) ? worlds[plain] : undefined;
  if (load === undefined)
    throw new Fault('input', `There is no environment "${name}"; the built-in ones are ${environmentNames.join(', ')}.`);
  const world = loaded.get(plain) ?? dress(await load());
  loaded.set(plain, world);
  if (version !== undefined && world.id !== name)
    throw new Fault('input', `The rules of "${plain}" at hand are ${world.id}, not ${name}; use the version of Ludus that has them.`);
  return world;
}
