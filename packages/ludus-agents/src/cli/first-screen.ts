/** @file The output of `ludus` without a command: five suggestions, one of which a person at a terminal can start directly. */

import { Keyboard } from '@ludus-agents/agents/internal/keyboard';
import { coloursFor } from './render/colours.ts';
import { print, type Terminal } from './terminal.ts';
import { typedName } from './typed-name.ts';

interface FirstStep {
  readonly about: string;
  readonly words: readonly string[];
}

/** Enter starts the first one. */
const firstSteps: readonly FirstStep[] = [
  { about: 'Play poker against the computer', words: ['play', 'kuhn-poker'] },
  { about: 'Open the studio and watch an agent learn', words: ['studio', '--demo'] },
  { about: 'Talk with a character', words: ['chat', 'innkeeper'] },
  { about: 'Test a bot: write an example desk to ./shop', words: ['new', 'desk', 'shop'] },
  { about: 'Train an agent by self-play', words: ['train', 'kuhn-tabular', '--seed', '1'] },
];

/** Shows the suggestions; returns the arguments of the selected one, or null. */
export async function showFirstScreen(terminal: Terminal): Promise<readonly string[] | null> {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const command = typedName(terminal);
  const typed = firstSteps.map(({ words }) => `${command} ${words.join(' ')}`);
  const columns = Math.max(...typed.map((text) => text.length));
  print(
    terminal,
    'Ludus: language agents play, are scored, and improve. Five things to do:',
    '',
    ...firstSteps.map(({ about }, i) => `  ${i + 1}  ${colours.cyan(typed[i]!.padEnd(columns))}  ${about}`),
    '',
    colours.faint(`${command} --help lists every command. "npm create ludus-agents" starts a project.`),
  );
  if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) return null;
  const question = `\nStart which? [1-${firstSteps.length}, Enter for 1, q to quit] `;
  const answer = await Keyboard.of(terminal.stdin).read(question, terminal.stderr, new AbortController().signal);
  if (answer === null) return null;
  const choice = answer.trim() === '' ? '1' : answer.trim();
  return /^\d+$/.test(choice) ? (firstSteps[Number(choice) - 1]?.words ?? null) : null;
}
