/** @file Suggests the intended option for an unknown one: a typo, an abbreviation, or another command's name for it. */

import { nearest } from '@ludus-agents/kernel/internal/core/suggest';
import type { Command } from 'commander';

/** Synonyms: commands use different names for the same object, and so do other programs. */
const alike: readonly (readonly string[])[] = [
  ['agents', 'agent', 'model', 'models', 'player', 'players', 'bot', 'policy', 'llm'],
  ['environment', 'env', 'world', 'game', 'on', 'suite'],
  ['output', 'out', 'file', 'save', 'dir'],
  ['games', 'episodes', 'number', 'count', 'plays', 'each', 'seeds', 'n', 'limit'],
  ['max-cost', 'budget', 'cost', 'max-calls'],
  ['concurrency', 'parallel', 'jobs', 'workers', 'threads'],
  ['name', 'run', 'id'],
  ['store', 'db', 'database'],
  ['persona', 'character', 'personas'],
  ['against', 'opponent', 'opponents', 'baseline'],
  ['recipe', 'method', 'algorithm', 'algo'],
  ['yes', 'force', 'y'],
  ['debug', 'verbose', 'trace'],
  ['read-only', 'readonly', 'dry-run'],
];

/** The intended long name, without dashes; null if none is similar. */
export function meantOption(typed: string, knownNames: readonly string[]): string | null {
  const group = alike.find((names) => names.includes(typed)) ?? [];
  // An abbreviation takes precedence over another command's name.
  const longer = typed.length < 3 ? undefined : knownNames.find((name) => name.startsWith(typed));
  return longer ?? group.find((name) => knownNames.includes(name)) ?? nearest(typed, knownNames);
}

/** The error for an unknown option; an argument may have been intended. */
export function unknownOptionSentence(flag: string, command: Command): string {
  const typed = flag.replace(/^-+/, '').replace(/=.*$/s, '');
  const group = alike.find((names) => names.includes(typed)) ?? [typed];
  const argument = command.registeredArguments.find(
    (registeredArgument) => group.includes(registeredArgument.name()) || registeredArgument.name() === typed,
  );
  const options = command.options.flatMap(({ long }) => (typeof long === 'string' ? [long.slice(2)] : []));
  const meant = meantOption(typed, [...options, 'debug', 'help']);
  if (argument !== undefined && (meant === null || !(group.includes(meant) || meant.startsWith(typed))))
    return `Unknown option '${flag}'; the ${argument.name()} is a word without an option: "${pathOf(command)} ${argument.name().toUpperCase()}".`;
  if (meant === null) return `Unknown option '${flag}'.`;
  // If a command takes agents, a model is one kind of agent.
  const value = /^(model|llm)s?$/.test(typed) && /^agents?$/.test(meant) ? ' llm:MODEL' : '';
  return `Unknown option '${flag}'. Did you mean --${meant}${value}?`;
}

/** The first long option on a line that neither the command nor its parents have. */
export function firstUnknownOption(args: readonly string[], command: Command): string | undefined {
  const knownNames = new Set(['--help']);
  for (let at: Command | null = command; at !== null; at = at.parent)
    for (const { long } of at.options) if (typeof long === 'string') knownNames.add(long);
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).find((word) => word.startsWith('--') && !knownNames.has(word.replace(/=.*$/s, '')));
}

/** "ludus desk tasks make". */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
