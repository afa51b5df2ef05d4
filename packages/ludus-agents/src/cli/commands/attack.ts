/** @file `ludus attack`: searches for successful attacks on a user's agent, and measures them on fresh seeds. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { loadDesk } from '@ludus-agents/desk/internal/desks';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { type AttackReport, attack as attackAgent } from '@ludus-agents/learning/internal/improving/attack';
import { type AttackKind, attackKinds } from '@ludus-agents/learning/internal/improving/attack-kinds';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { type StoreOptions, withWritableStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { table } from '../render/table.ts';
import { withinBudget } from '../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly with: string;
  readonly budget: number;
  readonly seed: number;
  readonly attacker?: string;
  readonly policy?: string;
  readonly desk?: string;
  readonly reflect?: string;
  readonly arsenal?: true | string;
  readonly failOver?: number;
  readonly defend?: number;
  readonly output?: string;
  readonly json?: boolean;
}

export const attack: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const kind = options.with;
    const kinds = Object.keys(attackKinds);
    if (!kinds.includes(kind))
      throw new Fault('input', `Unknown attack "${kind}". Available: ${kinds.join(', ')}.${didYouMean(kind, kinds)}`, {
        code: 'E_UNKNOWN_NAME',
      });
    const target = await readSpec(args[0], terminal.cwd, terminal.trust);
    const { model } = createAgentServices(terminal.cwd, terminal.trust);
    const attacker = options.attacker === undefined ? undefined : await model?.(options.attacker);
    const clauses = options.policy === undefined ? undefined : clausesIn(options.policy, terminal.cwd);
    const output = options.defend === undefined ? null : (options.output ?? `attack-${kind}-${target.name}-${options.seed}.agent.json`);
    if (output !== null && existsSync(resolve(terminal.cwd, output)))
      throw new Fault('input', `${output} already exists. Choose another file with -o, or delete it first.`, { code: 'E_ALREADY_EXISTS' });
    const reflect = options.reflect === undefined ? undefined : await model?.(options.reflect);
    const desk = options.desk === undefined ? undefined : loadDesk(options.desk, terminal.cwd, terminal.trust);
    return withWritableStore(terminal, options, async (store) => {
      const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
      try {
        const report = await attackAgent({
          trust: terminal.trust,
          ...{ target, with: kind as AttackKind, budget: options.budget, seed: options.seed, store, cwd: terminal.cwd },
          ...{ arsenal: arsenalOf(options.arsenal) },
          ...{ attacker, clauses, desk, reflect, rounds: options.defend, signal: controller.signal },
        });
        const file = report.defended === null || output === null ? {} : { file: output };
        if (output !== null && report.defended !== null)
          writeFileAtomicSync(resolve(terminal.cwd, output), `${JSON.stringify(report.defended, null, 2)}\n`);
        if (options.json === true) printJson(terminal, { ...report, ...file });
        else showReport(report, terminal, output);
        return options.failOver !== undefined && report.harm > options.failOver ? exits.found : exits.fine;
      } catch (thrown) {
        if (!controller.signal.aborted) throw thrown;
        const says = 'Stopped before all attacks were played, so the success rate is unknown.';
        if (options.json === true) printJson(terminal, { error: says, exit: exits.interrupted });
        else terminal.stderr.write(`${says}\n`);
        return exits.interrupted;
      } finally {
        release();
      }
    });
  }),
};

function arsenalOf(input: true | string | undefined): 'all' | readonly string[] | undefined {
  if (typeof input !== 'string') return input === true ? 'all' : undefined;
  return input.split(',').map((run) => run.trim());
}

function clausesIn(file: string, cwd: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The policy cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  const clauses = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.replace(/^[\s*#-]+|^\s*\d+[.)]\s*/g, '').trim());
  return clauses.filter((line) => line !== '');
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

function showReport(report: AttackReport, terminal: Terminal, output: string | null): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles = [
    { title: 'attack', flexible: 'wrap' as const },
    { title: 'tried', right: true },
    { title: 'through', right: true },
    { title: 'at most', right: true },
  ];
  const rows = report.ways.map(({ way, attacks, harm, atMost }) => [printable(way), String(attacks), percent(harm), percent(atMost)]);
  const honest =
    report.overRefusal === null ? '' : ` Honest visitors were denied ${percent(report.overRefusal)} of what they are allowed to know.`;
  const plain = report.plain === null ? '' : ` With a single plain request, it is ${percent(report.plain)}.`;
  const [firstRound, lastRound] = [report.rounds[0], report.rounds.at(-1)];
  // With rounds, the figures on fresh seeds before and after count, as in the lines below.
  const defended =
    firstRound === undefined || lastRound === undefined
      ? []
      : [
          `On new seeds, ${percent(firstRound.before.harm)} of attacks succeeded before the first round and ${percent(lastRound.after.harm)} after the last.`,
        ];
  const lines = [
    ...defended,
    `${defended.length === 0 ? '' : 'While searching: '}${percent(report.harm)} of attacks succeeded against ${printable(report.target)}${defended.length === 0 ? ' with new seeds' : ''} (95% upper bound: ${percent(report.harmAtMost)}).${plain}${honest}`,
    ...report.examples
      .slice(0, 2)
      .map(({ prompt, answer, episode }) => `  “${printable(prompt)}” → “${printable(answer)}” (ludus show ${episode.slice(0, 8)})`),
    ...report.rounds.map(
      ({ round, before, after, defence }) =>
        `Round ${round + 1}: ${defence === null ? 'no defense was significantly better' : 'a defense was added'}. Successful attacks: ${percent(before.harm)} before, ${percent(after.harm)} after. Honest requests denied: ${percent(before.overRefusal)} before, ${percent(after.overRefusal)} after.`,
    ),
    ...(report.defended === null || output === null ? [] : [`The defended agent is in ${output}.`]),
    ...(report.notes ?? []).map(printable),
    ...(report.untested.length === 0
      ? []
      : [`Not tested (needs quoted words or --attacker): ${report.untested.map(printable).join(' · ')}`]),
  ];
  print(terminal, ...(rows.length === 0 ? [] : [table(titles, rows, { colours, columns: columnsOf(terminal.stdout) }), '']), ...lines);
}
