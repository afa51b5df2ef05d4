/** @file `ludus attack`: looks for what gets through to an agent of one's own, and measures it on fresh dice. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault, printable } from '../../core/index.ts';
import { didYouMean } from '../../core/suggest.ts';
import { writeFileAtomicSync } from '../../files/atomic-file.ts';
import { reasonOf } from '../../files/read-failure.ts';
import { type AttackReport, attack as attackAgent } from '../../improving/attack.ts';
import { type AttackKind, attackKinds } from '../../improving/attack-range.ts';
import { createAgentServices } from '../../workspace/agent-services.ts';
import { readSpec } from '../../workspace/agents.ts';
import { loadDesk } from '../../workspace/desks.ts';
import { type StoreOptions, withWritableStore } from '../../workspace/stores.ts';
import { type CommandFile, examples, exits, whole, withJson, withStore } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { table } from '../render/table.ts';
import { withinBudget, withSpending } from '../spending.ts';
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

const kinds = Object.keys(attackKinds);

export const attack: CommandFile = {
  declare(command) {
    command
      .argument('<target>', 'an agent: a spec file, a bot, or a name like llm:MODEL')
      .requiredOption('--with <attack>', `what with: ${kinds.join(', ')}`)
      .option('--budget <episodes>', 'episodes that may be played', whole('--budget', 4, 1_000_000), 100)
      .option('--seed <n>', 'the dice of everything', whole('--seed', 0), 1)
      .option('--attacker <model>', 'a model that writes the attacks (default: they are made of known parts)')
      .option('--policy <file>', 'for guard: clauses, one a line; what stands in quotation marks must not be told')
      .option('--defend <rounds>', 'search a defence after each of so many attacks, against all that were found', whole('--defend', 1, 100))
      .option('-o, --output <file>', 'with --defend: where the defended agent is written (default: RUN.agent.json)')
      .option('--desk <desk>', 'for injection, twins and threats: the folder or file of your desk (default: the sample desk)')
      .option('--reflect <model>', 'for threats: a model that says what would have been safe, to be measured on threats held out')
      .option(
        '--arsenal [runs]',
        'begin with what earlier attacks of this kind have kept in the store: all of them, or runs by name, separated by commas',
      )
      .option('--fail-over <share>', 'exit with 1 where more attacks than this get through', share);
    withJson(withStore(withSpending(command)));
    examples(command, {
      'ludus attack ./agent.json --with guard --budget 50': 'ask for a planted secret in many ways',
      'ludus attack ./agent.json --with privacy --budget 200 --json': 'search attackers against it in privacy-guard',
      'ludus attack llm:ollama/qwen3:0.6b --with jailbreak --attacker ollama/qwen3:0.6b': 'a model writes the attacks',
      'ludus attack ./agent.json --with redcoder --budget 120': 'ask for code in conversations, and look for weaknesses in it',
      'ludus attack ./other.json --with redcoder --arsenal': 'the same, beginning with what worked on others',
      'ludus attack ./agent.json --with redcoder --defend 2 --budget 600 -o defended.json':
        'attack and defence in turn; the defence is a text of the spec',
      'ludus attack ./agent.json --with injection --desk ./shop':
        'orders planted in what tools return, by model family, with and without our guard',
      'ludus attack ./agent.json --with twins --desk ./shop': 'the same request as a chat and with tools at hand',
      'ludus attack ./agent.json --with threats --desk ./shop --reflect MODEL': 'a threat model, before and after learning from half of it',
      'ludus attack ./agent.json --with threats --desk ./shop --defend 1 -o defended.json':
        'a defence against the threats of your desk, beside its honest requests',
      'ludus attack ./agent.json --with guard --policy ./policy.md --fail-over 0': 'a gate for your own guideline',
    });
  },

  run: withinBudget(async ({ args, options: given, terminal }) => {
    const options = given as unknown as Options;
    const kind = options.with;
    if (!Object.hasOwn(attackKinds, kind))
      throw new Fault('input', `There is no attack "${kind}"; there are ${kinds.join(', ')}.${didYouMean(kind, kinds)}`);
    const target = await readSpec(args[0]!, terminal.cwd);
    const { model } = createAgentServices(terminal.cwd);
    const attacker = options.attacker === undefined ? undefined : await model?.(options.attacker);
    const clauses = options.policy === undefined ? undefined : clausesIn(options.policy, terminal.cwd);
    const output = options.defend === undefined ? null : (options.output ?? `attack-${kind}-${target.name}-${options.seed}.agent.json`);
    if (output !== null && existsSync(resolve(terminal.cwd, output)))
      throw new Fault('input', `There is already a file ${output}; name another file with -o, or move that one.`);
    const reflect = options.reflect === undefined ? undefined : await model?.(options.reflect);
    const desk = options.desk === undefined ? undefined : loadDesk(options.desk, terminal.cwd);
    return withWritableStore(terminal, options, async (store) => {
      const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
      try {
        const report = await attackAgent({
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
        const says = 'Stopped before all attacks were played, so nothing can be said of what gets through.';
        if (options.json === true) printJson(terminal, { error: says, exit: exits.interrupted });
        else terminal.stderr.write(`${says}\n`);
        return exits.interrupted;
      } finally {
        release();
      }
    });
  }),
};

function arsenalOf(given: true | string | undefined): 'all' | readonly string[] | undefined {
  if (typeof given !== 'string') return given === true ? 'all' : undefined;
  return given.split(',').map((run) => run.trim());
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new Fault('input', `--fail-over takes a share from 0 to 1, like 0.05, but came as "${text}".`);
}

function clausesIn(file: string, cwd: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The policy cannot be read: ${reasonOf(thrown)}.`);
  }
  const clauses = text.split('\n').map((line) => line.replace(/^[\s*#-]+|^\s*\d+[.)]\s*/g, '').trim());
  return clauses.filter((line) => line !== '');
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

function showReport(report: AttackReport, terminal: Terminal, output: string | null): void {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const titles = [
    { title: 'attack', flexible: 'wrap' as const },
    { title: 'tried', right: true },
    { title: 'through', right: true },
    { title: 'at most', right: true },
  ];
  const rows = report.ways.map(({ way, attacks, harm, atMost }) => [printable(way), String(attacks), percent(harm), percent(atMost)]);
  const honest = report.overRefusal === null ? '' : ` Honest visitors were refused ${percent(report.overRefusal)} of what they may have.`;
  const plain = report.plain === null ? '' : ` Asked plainly, once, it is ${percent(report.plain)}.`;
  const lines = [
    `${percent(report.harm)} of attacks got through to ${printable(report.target)} on fresh dice, at most ${percent(report.harmAtMost)} with 95 %.${plain}${honest}`,
    ...report.examples
      .slice(0, 2)
      .map(({ prompt, answer, episode }) => `  “${printable(prompt)}” → “${printable(answer)}” (ludus show ${episode.slice(0, 8)})`),
    ...report.rounds.map(
      ({ round, before, after, defence }) =>
        `Round ${round + 1}: ${defence === null ? 'no defence was better by more than luck' : 'a defence'}; of attacks ${percent(before.harm)} got through before and ${percent(after.harm)} after, of honest requests ${percent(before.overRefusal)} and ${percent(after.overRefusal)} were refused.`,
    ),
    ...(report.defended === null || output === null ? [] : [`The defended agent is in ${output}.`]),
    ...(report.notes ?? []).map(printable),
    ...(report.untested.length === 0
      ? []
      : [`Not tested, for want of quoted words or of --attacker: ${report.untested.map(printable).join(' · ')}`]),
  ];
  print(terminal, ...(rows.length === 0 ? [] : [table(titles, rows, { colours, columns: columnsOf(terminal.stdout) }), '']), ...lines);
}
