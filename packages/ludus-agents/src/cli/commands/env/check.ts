/** @file `ludus env check`: checks an environment against the contract of all environments. */

import { type ContentProblem, formatContentProblem } from '@ludus-agents/environments/internal/content/content';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { type Problem, rules } from '@ludus-agents/kernel/internal/engine/check';
import { check as checkEnvironment } from '../../../library/env.ts';
import { type CommandRun, exits } from '../../command.ts';
import { type Colours, coloursFor } from '../../render/colours.ts';
import { wrap } from '../../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../../terminal.ts';

export const check: CommandRun = {
  async run({ args, options, terminal }) {
    const { environment, problems, content, proofs } = await checkEnvironment({ environment: args[0] }, terminal);
    if (environment === null) return reportContent(content, { name: args[0], asJson: options['json'] === true, terminal });
    const colours = coloursFor(terminal.stdout, terminal.env);
    const columns = Math.min(100, columnsOf(terminal.stdout));
    if (options['json'] === true) printJson(terminal, { problems, ...(proofs.length > 0 && { proofs }) });
    else if (problems.length === 0) {
      for (const proof of proofs) print(terminal, `${colours.green('✓')} ${printable(proof)}`);
      print(terminal, `${colours.green('✓')} ${colours.bold(environment)} passes all ${rules.length} checks of the environment contract.`);
    } else {
      print(terminal, `${colours.red('✗')} ${colours.bold(environment)} has ${count(problems.length, 'problem')}.`);
      for (const problem of problems) print(terminal, '', formatProblem(problem, colours, columns));
    }
    return problems.length === 0 ? exits.fine : exits.found;
  },
};

/** Lists the problems in the files of a folder. */
function reportContent(
  content: readonly ContentProblem[],
  { name, asJson, terminal }: { readonly name: string; readonly asJson: boolean; readonly terminal: Terminal },
): number {
  const colours = coloursFor(terminal.stdout, terminal.env);
  if (asJson) printJson(terminal, { problems: content });
  else {
    print(terminal, `${colours.red('✗')} ${colours.bold(printable(name))} has ${count(content.length, 'problem')}.`);
    for (const problem of content) print(terminal, `  ${printable(formatContentProblem(problem))}`);
  }
  return exits.found;
}

/** The rule, the problem, and its location. */
function formatProblem({ rule, message, task, seed, times }: Problem, colours: Colours, columns: number): string {
  const says = rules.find(({ id }) => id === rule)?.says ?? '';
  const lines = [`${colours.yellow(rule)} ${says}`, ...wrap(printable(message), columns - 4)];
  const often = times > 1 ? `${formatGrouped(times)} times, first in ` : '';
  if (seed !== undefined) lines.push(colours.faint(`${often}task ${printable(JSON.stringify(task ?? {}))}, seed ${seed}`));
  return lines.map((line, i) => (i === 0 ? `  ${line}` : `    ${line}`)).join('\n');
}
