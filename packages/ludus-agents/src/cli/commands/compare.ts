/** @file `ludus compare`: compares two agents or runs on shared tasks and seeds, with the difference and a verdict. */

import { earlierText } from '@ludus-agents/agents/internal/workspace/versions';
import type { CaseFileOptions } from '@ludus-agents/evaluation/internal/cases/case-suite';
import type { Summary } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { figure, span } from '@ludus-agents/evaluation/internal/scoring/report/index';
import type { Comparison } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type Compared, type CompareRequest, compare as compareStored } from '../../library/compare.ts';
import { caseOptionsIn } from '../case-options.ts';
import { type CommandRun, exits } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { showCaseChanges } from '../render/evaluation.ts';
import { wrap } from '../render/width.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options
  extends StoreOptions,
    CaseFileOptions,
    Pick<CompareRequest, 'run' | 'score' | 'target' | 'over' | 'margin' | 'agent' | 'control' | 'reuse'> {
  readonly cases?: boolean;
  readonly html?: string;
  readonly words?: boolean;
  readonly card?: string;
  /** False with --no-worse. */
  readonly worse?: boolean;
  readonly strict?: boolean;
  readonly on?: string;
  readonly plays: number;
  readonly seed: number;
  readonly json?: boolean;
}

export const compare: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const [a, b] = args as [string, string];
    const { cases, html, words, worse, strict, json, ...keep } = options;
    const by = cases === true || html !== undefined ? ('cases' as const) : worse === false ? ('no-worse' as const) : undefined;
    const { controller, release } = options.on === undefined ? { controller: undefined, release() {} } : interruptible(terminal);
    const request = { ...keep, a, b, by, cases: caseOptionsIn(options), signal: controller?.signal };
    const compared = await compareStored(request, terminal).finally(release);
    const { kind, ...data } = compared;
    if ('changes' in data) showCaseChanges(data, { html, words, json }, terminal);
    else if (json === true) printJson(terminal, data);
    else if (compared.kind !== 'cases') print(terminal, ...linesOf(compared, terminal));
    if (compared.kind !== 'no-worse' || compared.noWorse) return exits.fine;
    return compared.worse || strict === true ? exits.found : exits.fine;
  },
};

function linesOf(compared: Exclude<Compared, { kind: 'cases' }>, terminal: Terminal): readonly string[] {
  const wrapped = (text: string) => wrap(printable(text), Math.min(100, columnsOf(terminal.stdout)));
  if (compared.kind === 'trainings') return compared.words;
  if (compared.kind === 'suite') return [...(compared.notice === null ? [] : [compared.notice]), ...compared.words].flatMap(wrapped);
  if (compared.kind === 'no-worse') return wrapped(`${compared.after} compared with ${compared.before}: ${compared.words}`);
  const { score, p, pairs, unpaired, missing, leftOut, earlier, saved } = compared;
  const colours = coloursFor(terminal.stdout, terminal.env);
  const facts = `by ${score}; p = ${p.toPrecision(2)}; ${formatGrouped(pairs)} pairs, ${formatGrouped(unpaired)} unpaired, ${formatGrouped(missing)} missing${leftOut === 0 ? '' : `, ${formatGrouped(leftOut)} played by only one of them and left out`}`;
  const text = earlier === 0 ? [] : [colours.faint(earlierText(earlier))];
  return [...wrapped(compared.words), ...sideLines(compared), colours.faint(facts), ...text, ...saved.map(printable)];
}

/** The mean of each side with its interval, as in reports. */
function sideLines({ a, b, sides: { a: left, b: right }, points, scenes }: Comparison): readonly string[] {
  const sideLine = (name: string, { value, interval, tasks, episodes }: Summary) =>
    `${printable(name)}: ${figure(value, points)}${interval === null ? '' : ` (95% ${span(interval, points)})`}, ${scenes > 1 ? `mean of ${scenes} scenes that count the same, ` : ''}${count(tasks, 'task')}, ${count(episodes, 'episode')}`;
  return [sideLine(a, left), sideLine(b, right)];
}
