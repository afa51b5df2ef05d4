/** @file `ludus judge`: measures judges, builds rubrics and reward models, and stores labels. */

import { userInfo } from 'node:os';
import { basename, resolve } from 'node:path';
import type { InduceReport } from '@ludus-agents/evaluation/internal/induce';
import type { RewardModelFile } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-model';
import { cardLine, type TrustCard } from '@ludus-agents/evaluation/internal/scoring/trust/index';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { labelsText } from '@ludus-agents/learning/internal/judge-labels';
import type { Bound } from '@ludus-agents/store/internal/exports/bounds';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import type { JudgeReview, JudgeReviewRequest } from '../../library/judge.ts';
import { induce as induceRubric, reward as learnReward, trust as measureTrust, review as reviewEpisodes } from '../../library/judge.ts';
import { type CommandRun, exits } from '../command.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { wrap } from '../render/width.ts';
import { budgetOf, type SpendingOptions, withinBudget } from '../spending.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface TrustOptions extends StoreOptions {
  readonly labels?: string;
  readonly tune?: string;
  readonly rounds: number;
  readonly output?: string;
  readonly judge: string;
  readonly second?: string;
  readonly twins?: number;
  readonly seed?: number;
  readonly json?: boolean;
}

const meaning: Readonly<Record<TrustCard['grade'], string>> = {
  A: 'It may rank and train, but the judge used for training must not be the one that reports.',
  B: 'It may be shown next to other numbers, with this card. It may not rank or train.',
  C: 'Its scores are not reliable.',
};

/** `ludus judge trust`: measures the reliability of a judge under a rubric, on planted cases. */
export const trust: CommandRun<TrustOptions> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    const { controller, release } = interruptible(terminal);
    const { judge, second, twins, seed, labels: run, tune, rounds, store, readOnly } = options;
    const request = { rubric: args[0], judge, second, twins, seed, labels: run, tune, rounds, store, readOnly, signal: controller.signal };
    const { card, labels, tuned } = await measureTrust(request, terminal).finally(release);
    if (tuned !== undefined && options.output !== undefined)
      writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(tuned.rubric, null, 1)}\n`);
    if (options.json === true)
      printJson(terminal, {
        ...card,
        means: meaning[card.grade],
        ...(labels === undefined ? {} : { labels }),
        ...(tuned === undefined ? {} : { tuned }),
      });
    else {
      print(terminal, text(card, coloursFor(terminal.stdout, terminal.env), Math.min(100, columnsOf(terminal.stdout))));
      if (labels !== undefined) print(terminal, '', labelsText(labels));
      if (tuned !== undefined)
        print(terminal, '', ...tuned.rounds, `Before: ${labelsText(tuned.before)}`, `After: ${labelsText(tuned.after)}`);
    }
    return exits.fine;
  }),
};

function text(card: TrustCard, colours: Colours, columns: number): string {
  const paint = { A: colours.green, B: colours.yellow, C: colours.red }[card.grade];
  const reasons = card.reasons.flatMap((reason) => wrap(reason, columns - 2).map((line, i) => `${i === 0 ? '• ' : '  '}${line}`));
  return [
    `${paint(colours.bold(card.grade))}  ${printable(card.judge)} ${colours.faint(`under ${card.rubric}`)}`,
    meaning[card.grade],
    '',
    ...reasons,
    '',
    ...wrap(printable(cardLine(card)), columns).map(colours.faint),
  ].join('\n');
}

interface InduceOptions extends StoreOptions, SpendingOptions {
  readonly feedback?: string;
  readonly judge: string;
  readonly metrics?: readonly number[];
  readonly output?: string;
  readonly json?: boolean;
}

/** `ludus judge induce`: derives a rubric from written feedback, and reports how much of the feedback it covers. */
export const induce: CommandRun<InduceOptions> = {
  async run({ args, options, terminal }) {
    const { feedback, judge, metrics: sizes, store, readOnly } = options;
    const { controller, release } = interruptible(terminal);
    const request = {
      ...{ run: args[0], judge, feedback, name: rubricName(options.output), sizes, store, readOnly },
      ...{ budget: budgetOf(options), signal: controller.signal },
    };
    const report = await induceRubric(request, terminal).finally(release);
    const file = report.rubric === null || options.output === undefined ? null : resolve(terminal.cwd, options.output);
    if (file !== null) writeFileAtomicSync(file, `${JSON.stringify(report.rubric, null, 2)}\n`);
    if (options.json === true) printJson(terminal, { file, ...report });
    else print(terminal, textOf(report, options));
    if (report.rubric !== null) return exits.fine;
    const why = report.problem ?? 'nothing in the feedback is praise or criticism of a behavior';
    terminal.stderr.write(`${red(terminal)} ${printable(`${report.judge} found no metrics: ${why.replace(/[.]$/, '')}.`)}\n`);
    return exits.found;
  },
};

function red(terminal: Terminal): string {
  return coloursFor(terminal.stderr, terminal.env).red('✗');
}

/** A rubric is named after its file, so its scores are judge/NAME. */
function rubricName(output: string | undefined): string {
  if (output === undefined) return 'induced';
  const name = basename(output).replace(/\.json$/, '');
  if (!/^[\w.-]{1,60}$/.test(name) || !output.endsWith('.json'))
    throw new Fault('input', `Invalid file name "${output}" for a rubric. Use letters, digits, dots, and hyphens, such as polite.json.`);
  return name;
}

function textOf({ metrics, cover, remarks, heldOut, unread, tally }: InduceReport, { output, judge }: InduceOptions): string {
  const percent = (share: number | null | undefined) => (share === null || share === undefined ? 'unknown' : `${Math.round(100 * share)}%`);
  const over = heldOut > 0 ? `${count(heldOut, 'remark')} held out` : `${count(remarks, 'remark')} they were made from`;
  return [
    `${count(metrics.length, 'metric')} from ${count(remarks, 'remark')}, in ${count(tally.cost.calls, 'call')}.`,
    ...metrics.map(({ name, definition, good, bad }) =>
      printable(`  ${name}  ${definition} (${good.length} praised, ${bad.length} criticised)`),
    ),
    ...(cover === null ? [] : [`Over ${over}: coverage ${percent(cover.coverage)}, redundancy ${percent(cover.redundancy)}.`]),
    ...(unread > 0 ? [`${formatGrouped(unread)} questions had no readable answer; results that depend on them are left out.`] : []),
    ...(metrics.length === 0
      ? []
      : [
          output === undefined
            ? 'Nothing was written. Pass -o mine.json to save them as a rubric.'
            : `"ludus score RUN --rubric ${/^[./]/.test(output) ? output : `./${output}`} --judge ${judge}" scores by it.`,
        ]),
  ].join('\n');
}

interface RewardOptions extends StoreOptions {
  readonly where: Bound;
  readonly seat?: string;
  readonly output: string;
  readonly seed: number;
  readonly json?: boolean;
}

/** `ludus judge reward`: trains a reward model on the episodes of a run, with a trust card; the file is a scorer. */
export const reward: CommandRun<RewardOptions> = {
  async run({ args, options, terminal }) {
    const name = basename(options.output).replace(/\.json$/, '');
    if (!options.output.endsWith('.json') || !/^[\w.-]{1,60}$/.test(name))
      throw new Fault(
        'input',
        `Invalid file name "${options.output}" for a reward model. Use letters, digits, dots, and hyphens, such as mine.json.`,
      );
    const { where, seat, seed, store, readOnly } = options;
    const file = await learnReward({ run: args[0], where, seat, name, seed, store, readOnly }, terminal);
    writeFileAtomicSync(resolve(terminal.cwd, options.output), `${JSON.stringify(file)}\n`);
    const { weights: _, ...rest } = file;
    if (options.json === true) printJson(terminal, { file: options.output, ...rest });
    else print(terminal, ...formatModel(file, options.output, terminal));
    return exits.fine;
  },
};

function formatModel({ card, rule, seat }: RewardModelFile, output: string, terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const paint = { A: colours.green, B: colours.yellow, C: colours.red }[card.grade];
  return [
    `${paint(colours.bold(card.grade))}  ${printable(output)} ${colours.faint(`learned ${printable(rule)} of ${printable(seat)}`)}`,
    ...card.reasons.map((reason) => `• ${reason}`),
    colours.faint(
      `Hard negatives mined: ${card.mined.join(', ')}. "ludus score RUN --scorers ./${printable(output.replace(/^\.\//, ''))}" rates episodes by it.`,
    ),
  ];
}

interface ReviewOptions extends StoreOptions, Pick<JudgeReviewRequest, 'label' | 'against' | 'reason'> {
  readonly by?: string;
  readonly pairs?: boolean;
  readonly agreement?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

/**
 * `ludus judge review`: human labels of episodes. The next episode to label, labels with reasons, blind pairs, and agreement.
 */
export const review: CommandRun<ReviewOptions> = {
  async run({ args, options, terminal }) {
    const { label, against, reason, by = userInfo().username, limit, store, readOnly } = options;
    const what = options.agreement === true ? 'agreement' : options.pairs === true ? 'pairs' : 'queue';
    const answer = await reviewEpisodes({ of: args[0], label, against, reason, by, what, limit, store, readOnly }, terminal);
    if (options.json === true) printJson(terminal, answer.stored ?? answer);
    else print(terminal, ...linesOf(answer));
    return exits.fine;
  },
};

function linesOf({ stored, queue = [], pairs, agreement }: JudgeReview): readonly string[] {
  if (stored !== undefined) return [`✓ ${stored.episode.slice(0, 8)}: ${printable(stored.label)}, says ${printable(stored.by)}`];
  if (agreement !== undefined) return agreementLines(agreement);
  if (pairs !== undefined) return pairLines(pairs);
  if (queue.length === 0) return ['Nothing is left to label in this run.'];
  return queue.map(({ episode, disagreement, failed }) => {
    const short = episode.slice(0, 8);
    return `${short}  verdicts differ by ${disagreement.toFixed(2)}${failed === null ? '' : `, failed: ${printable(failed)}`}  (ludus show ${short})`;
  });
}

function agreementLines(agreement: NonNullable<JudgeReview['agreement']>): readonly string[] {
  if (agreement.length === 0) return ['No episode of this run has two labels, or a label and a score.'];
  return agreement.map(({ with: who, episodes, raw, alpha, interval }) => {
    const ends = interval === null ? '' : ` (${interval.map((end) => end.toFixed(2)).join(' to ')})`;
    return `${printable(who)}: ${alpha === null ? 'alpha is undefined because all labels are the same' : `alpha ${alpha.toFixed(2)}${ends}`}, ${(100 * raw).toFixed(0)}% agreement over ${episodes} episodes`;
  });
}

function pairLines(pairs: NonNullable<JudgeReview['pairs']>): readonly string[] {
  if (pairs.length === 0) return ['No pair is left to compare.'];
  return pairs.flatMap(({ episode, against, words }, i) => [
    ...(i === 0 ? (['episode', 'against'] as const).flatMap((side) => [`── ${side}`, ...words[side].map(printable), '']) : []),
    `ludus judge review ${episode.slice(0, 8)} --against ${against.slice(0, 8)} --label episode|against|tie`,
  ]);
}
