/** @file `ludus desk`: generates, joins, and imports desks, writes their tools, and proves their cases solvable. */

import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import {
  check as checkDesk,
  join as joinDesks,
  make as makeDesk,
  importDomain as readDomain,
  tools as readTools,
} from '../../library/desk.ts';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { withinBudget } from '../spending.ts';
import { interruptible, jsonText, print, printJson } from '../terminal.ts';

interface JoinOptions {
  readonly name: string;
  readonly output: string;
  readonly json?: boolean;
}

/** `ludus desk join`: several desks as one, with the same customers, one clock, and cases that need more than one of them. */
export const join: CommandRun<JoinOptions, readonly [readonly string[]]> = {
  async run({ args, options, terminal }) {
    const desk = await joinDesks({ desks: args[0], name: options.name }, terminal);
    const file = options.output;
    writeFileAtomicSync(resolve(terminal.cwd, file), `${JSON.stringify(desk, null, 1)}\n`);
    const crossed = desk.tasks.filter(({ rubrics }) => rubrics !== undefined).length;
    if (options.json === true) printJson(terminal, { file, tools: desk.tools.length, cases: desk.tasks.length, crossed });
    else
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(desk.tasks.length, 'case')} in ${printable(file)}, ${crossed} over several desks, with ${count(desk.tools.length, 'tool')}`,
      );
    return exits.fine;
  },
};

interface ImportOptions {
  readonly output: string;
  readonly domain?: string;
  readonly split?: string;
  readonly customer: string;
  readonly json?: boolean;
}

/** `ludus desk import`: a domain of τ²-bench, from its folder, as a suite that eval and test play. */
export const importDomain: CommandRun<ImportOptions> = {
  async run({ args, options, terminal }) {
    const { domain, split, customer } = options;
    const { suite, tasks, taken, missing, reduced } = await readDomain({ folder: args[0], domain, split, customer }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(suite)}\n`);
    if (options.json === true) printJson(terminal, { file: options.output, tasks, taken, missing, reduced });
    else {
      const lines = (title: string, counts: Readonly<Record<string, number>>) =>
        Object.entries(counts).map(([why, much]) => `  ${title}: ${why} (${much})`);
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(
        terminal,
        `${colours.green('✓')} ${taken} of ${count(tasks, 'task')} in ${options.output}; the customer is ${options.customer}`,
        ...lines('not taken', missing),
        ...lines('differs from the release', reduced),
      );
    }
    return exits.fine;
  },
};

interface ToolsOptions {
  readonly desk?: string;
  readonly output?: string;
  readonly json?: boolean;
}

/** `ludus desk tools`: imports the tools of a desk from an OpenAPI document or an MCP server, as a file to review. */
export const tools: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as ToolsOptions;
    const deskTools = await readTools({ source: args[0], desk: options.desk }, terminal);
    const open = deskTools.filter(({ does }) => does.returns === null).map(({ name }) => name);
    if (options.output !== undefined) writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(deskTools, null, 1)}\n`);
    if (options.json === true)
      printJson(terminal, {
        tools: deskTools.length,
        open,
        ...(options.output === undefined ? { written: deskTools } : { file: options.output }),
      });
    else if (options.output === undefined) terminal.stdout.write(jsonText(deskTools, 1));
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      print(terminal, `${colours.green('✓')} ${count(deskTools.length, 'tool')} in ${printable(options.output)}`);
      if (open.length > 0)
        print(
          terminal,
          `${colours.yellow('·')} Could not determine what these tools do. Fill in their "does": ${printable(open.join(', '))}`,
        );
    }
    return exits.fine;
  },
};

interface Options {
  readonly people: number;
  readonly seed: number;
  readonly model?: string;
  readonly rounds: number;
  readonly json?: boolean;
}

export const make: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const { controller, release } = interruptible(terminal);
    const { people, seed, model, rounds } = options;
    const madeDesk = await makeDesk({ folder: args[0], people, seed, model, rounds, signal: controller.signal }, terminal).finally(release);
    if (options.json === true) printJson(terminal, madeDesk);
    else {
      const steps = Object.entries(madeDesk.steps).map(([name, how]) => `${name} ${how}`);
      print(
        terminal,
        `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${count(madeDesk.cases, 'case')} over ${count(madeDesk.tables, 'table')} (${steps.join(', ')})`,
        ...madeDesk.notApplied.map(({ tool, rule }) => `  · Check the cases of ${tool} by hand: no case was made for “${printable(rule)}”`),
      );
    }
    return exits.fine;
  }),
};

/** `ludus desk check`: proves the cases of a desk solvable, finds those that pass trivially, and checks its policy. */
export const check: CommandRun = {
  async run({ args, options, terminal }) {
    const deskCheck = await checkDesk({ desk: args[0] }, terminal);
    const problems = deskCheck.findings.filter(({ level }) => level === 'problem' || options['strict'] === true);
    if (options['json'] === true) printJson(terminal, { fine: problems.length === 0, ...deskCheck });
    else {
      const colours = coloursFor(terminal.stdout, terminal.env);
      const probes = Object.entries(deskCheck.probes).map(([name, much]) => `${name} ${much}`);
      print(
        terminal,
        `${problems.length === 0 ? colours.green('✓') : colours.red('✗')} ${printable(deskCheck.desk)}: ${deskCheck.solvable} of ${count(deskCheck.cases, 'case')} can be solved by their gold calls`,
        ...deskCheck.findings.map(
          ({ level, case: item, says }) =>
            `  ${level === 'problem' ? colours.red('✗') : colours.yellow('·')} ${item === null ? '' : `${printable(item)}: `}${printable(says)}`,
        ),
        `  ${colours.faint(`Cases made to find faults: ${probes.join(', ') || 'none'}.`)}`,
      );
    }
    return problems.length === 0 ? exits.fine : exits.found;
  },
};
