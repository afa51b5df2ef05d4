/** @file Every built-in suite, one line each, loaded on request. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { findEntry, type KindEntry } from '@ludus-agents/kernel/internal/core/kind';
import { withAddedEntries } from '@ludus-agents/kernel/internal/core/kind-registry';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import type { Suite } from './suite.ts';

const suites: Readonly<Record<string, KindEntry<Suite>>> = {
  'games-core': {
    about: 'eight small games against strong or solved opponents',
    load: async () => (await import('./games.ts')).gamesCore,
  },
  'play-core': {
    about: 'a kitchen, a skirmish, a motor, a drone and volleyball: cooperate, command, control',
    load: async () => (await import('./games.ts')).playCore,
  },
  'grids-core': {
    about: 'boards and guessing games whose optimal play is known or searched',
    load: async () => (await import('./games.ts')).gridsCore,
  },
  'work-core': {
    about: 'memory, library, tables, maths, rules, blocks and programs, with exact checks',
    load: async () => (await import('./work-core.ts')).workCore,
  },
  'talk-core': {
    about: 'teaching, support, debate, nations, a commons and a feed, against stand-ins',
    load: async () => (await import('./talks.ts')).talkCore,
  },
  'adaptability-core': {
    about: 'before and after a change of people, goal, or rules: what is lost, and how soon it is recovered',
    load: async () => (await import('./games.ts')).adaptabilityCore,
  },
  'sites-core': {
    about: 'tasks on small working web sites: to do, to answer, impossible, harmful',
    load: async () => (await import('./work-core.ts')).sitesCore,
  },
  'social-core': {
    about: 'scenes between characters: goals, secrets, bargains',
    load: async () => (await import('./talks.ts')).socialCore,
  },
  'privacy-core': {
    about: 'what an agent keeps confidential when asked for it',
    load: async () => (await import('./talks.ts')).privacyCore,
  },
  'multi-turn-core': {
    about: 'abilities of many turns, one row each: context, coherence, consistency, correction, return, fairness',
    load: async () => (await import('./talks.ts')).multiTurnCore,
  },
  'persona-core': {
    about: 'whether a character stays in character, turn after turn',
    load: async () => (await import('./persona-core.ts')).personaCore,
  },
};

/** Each with a one-line description, including those that other packages add. */
export function suiteEntries(): Readonly<Record<string, KindEntry<Suite>>> {
  return withAddedEntries('suites', suites);
}

/** The names of all built-in suites. */
export function suiteNames(): readonly string[] {
  return Object.keys(suiteEntries());
}

export async function builtInSuite(name: string): Promise<Suite> {
  const entry = findEntry(suiteEntries(), name);
  if (entry === null)
    throw new Fault(
      'input',
      `Unknown suite "${name}". Available: ${suiteNames().join(', ')}, or a JSON file.${didYouMean(name, suiteNames())}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return entry.load();
}
