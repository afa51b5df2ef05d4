/**
 * @file `ludus arena`: agents play each other until their ranking is decided or the episodes are used up; the same command again continues.
 */

import { earlierText, type VersionChange } from '@ludus-agents/agents/internal/workspace/versions';
import type { ArenaReport } from '@ludus-agents/evaluation/internal/arena';
import { exploitWords, type RankedAgent, type Ranking } from '@ludus-agents/evaluation/internal/scoring/arena/index';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { count, formatGrouped, formatSigned } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { arena as holdArena, type Tournament } from '../../library/scores.ts';
import { type CommandRun, exitOfStop, exits } from '../command.ts';
import { confirm } from '../confirm.ts';
import type { shownRatings } from '../declarations/arena.ts';
import { type Colours, coloursFor } from '../render/colours.ts';
import { progressLine } from '../render/progress.ts';
import { type Column, table } from '../render/table.ts';
import { noticeChanges } from '../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../spending.ts';
import { interruptible, print, printJson, type Terminal, tableWidth } from '../terminal.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly agents: string;
  readonly games?: number;
  readonly task?: string;
  readonly swiss?: boolean;
  readonly rating?: ShownRating;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly reuse?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const arena: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { agents, task, games, swiss, concurrency, reuse, store } = options;
    const line = progressLine(terminal);
    const { controller, release } = interruptible(terminal, line.note);
    let began = performance.now();
    const request = {
      ...{ environment: args[0], agents: agents.split(',').flatMap((name) => name.trim() || []), games, swiss, concurrency, reuse, store },
      ...{ task: task === undefined ? undefined : jsonFrom(task, '--task'), budget: budgetOf(options), signal: controller.signal },
      onProgress: line.tell,
      onChanges: (changes: readonly VersionChange[], run: string) => noticeChanges(terminal, changes, run),
      async confirm(called: boolean) {
        const isWanted = !called || options.yes === true || (await confirm(terminal, 'Models will be called. Start?'));
        began = performance.now();
        return isWanted;
      },
    };
    const report = await holdArena(request, terminal, (use) => withRunner(terminal, options, use)).finally(() => {
      release();
      line.done();
    });
    if (report === null) return exits.interrupted;
    const seconds = (performance.now() - began) / 1000;
    const { ranking, failure, exploits, environment, ...rest } = report;
    if (options.json === true) printJson(terminal, { environment, ...rest, seconds, ...ranking, exploits });
    else
      print(
        terminal,
        text(report, { title: environment, terminal, rating: options.rating }),
        ...failureLine(report),
        ...exploits.map((exploit) => printable(exploitWords(exploit))),
      );
    // A decided ranking, or playing all requested games, counts as success.
    const code = exitOfStop(report.stopped === 'separated' || report.stopped === 'budget' ? null : report.stopped);
    return code === exits.fine && report.failed > 0 ? exits.found : code;
  },
};

/** The reason for failed games, quoted from the last one. */
function failureLine({ failed, played, failure }: Tournament): readonly string[] {
  if (failure === null) return [];
  const who = failure.agent === null ? '' : ` (${failure.agent})`;
  const all = failed === played ? 'All games failed' : `${formatGrouped(failed)} games failed`;
  return ['', printable(`${all}. The last one${who}: ${failure.message}`)];
}

function text(
  { ranking, played, before, failed, stopped, run, unpinned, earlier }: ArenaReport,
  { title, terminal, rating }: { title: string; terminal: Terminal; rating: ShownRating | undefined },
): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const games = `${count(played, 'game')} played${before > 0 ? `, ${formatGrouped(before)} already stored` : ''}${failed > 0 ? `, ${formatGrouped(failed)} failed` : ''}`;
  const head = `${colours.bold(title)} ${colours.faint(`· ${games} · ${run}`)}`;
  if (ranking === null)
    return failed > 0 && failed === played ? head : `${head}\n\nThere are too few games for a ranking; play more with --games.`;
  const again = Object.keys(unpinned).length === 0 ? '' : ' with --reuse';
  const why = {
    separated: 'Stopped at the limit.',
    budget: ranking.separation.decided ? '' : `All games are played; ${more(ranking)}.`,
    money: `The budget is used up. Run the same command${again} with a larger budget to continue.`,
    signal: `Stopped. Run the same command${again} to resume.`,
  }[stopped];
  const columns = tableWidth(terminal);
  return [
    head,
    '',
    ratingsTable(ranking, { colours, columns }, rating),
    '',
    pairsTable(ranking, colours, columns),
    '',
    `${ranking.separation.words} ${why}`.trim(),
    ...(earlier > 0 ? [earlierText(earlier)] : []),
  ].join('\n');
}

function more({ separation: { needed } }: Ranking): string {
  return needed === null ? 'two are exactly tied' : `about ${formatGrouped(2 * needed)} more would decide it, if the difference is real`;
}

type ShownRating = (typeof shownRatings)[number];

const ratingOf: Readonly<Record<ShownRating, (rankedAgent: RankedAgent) => { name: string; value: string; interval: Interval | null }>> = {
  elo: (rankedAgent) => ({ name: 'Elo', value: rankedAgent.elo.toFixed(0), interval: rankedAgent.eloInterval }),
  glicko: (rankedAgent) => ({ name: 'Glicko-2', value: rankedAgent.glicko.toFixed(0), interval: rankedAgent.glickoInterval }),
  trueskill: (rankedAgent) => ({ name: 'TrueSkill', value: rankedAgent.skill.toFixed(1), interval: rankedAgent.skillInterval }),
};

interface TableLook {
  readonly colours: Colours;
  readonly columns: number | undefined;
}

function ratingsTable({ agents }: Ranking, { colours, columns: screen }: TableLook, rating: ShownRating | undefined): string {
  const ratings = rating === undefined ? (['elo', 'trueskill'] as const) : [rating];
  const columns: readonly Column[] = [
    { title: 'place', align: 'right' },
    { title: 'agent', flexible: 'cut' },
    { title: 'rating', align: 'right' },
    { title: '95%' },
    ...ratings.map((name): Column => ({ title: ratingOf[name](agents[0]!).name, align: 'right' })),
    ...(rating === undefined ? [] : [{ title: '95%' }]),
    { title: 'matches', align: 'right' },
    { title: 'won–tied–lost', align: 'right' },
  ];
  const rows = agents.map((rankedAgent) => [
    place(rankedAgent),
    colours.bold(printable(rankedAgent.agent)),
    rankedAgent.rating.toFixed(0),
    colours.faint(`${rankedAgent.interval[0].toFixed(0)} to ${rankedAgent.interval[1].toFixed(0)}`),
    ...ratings.map((name) => ratingOf[name](rankedAgent).value),
    ...(rating === undefined ? [] : [colours.faint(intervalText(ratingOf[rating](rankedAgent)))]),
    formatGrouped(rankedAgent.matches),
    `${formatGrouped(rankedAgent.wins)}–${formatGrouped(rankedAgent.draws)}–${formatGrouped(rankedAgent.losses)}`,
  ]);
  return table(columns, rows, { colours, columns: screen });
}

function intervalText({ value, interval }: { readonly value: string; readonly interval: Interval | null }): string {
  const digits = value.includes('.') ? 1 : 0;
  return interval === null ? '' : `${interval[0].toFixed(digits)} to ${interval[1].toFixed(digits)}`;
}

function place({ places: [from, to] }: RankedAgent): string {
  return from === to ? String(from) : `${from}–${to}`;
}

function pairsTable({ pairs }: Ranking, colours: Colours, screen: number | undefined): string {
  const rows = pairs.map(({ a, b, matches, wins, draws, losses, margin, interval }) => [
    `${printable(a)} – ${printable(b)}`,
    formatGrouped(matches),
    `${formatGrouped(wins)}–${formatGrouped(draws)}–${formatGrouped(losses)}`,
    formatSigned(margin),
    interval === null ? '' : colours.faint(`${formatSigned(interval[0])} to ${formatSigned(interval[1])}`),
  ]);
  const columns: readonly Column[] = [
    { title: 'pair', flexible: 'cut' },
    { title: 'matches', align: 'right' },
    { title: 'won–tied–lost', align: 'right' },
    { title: 'margin per game', align: 'right' },
    { title: '95%' },
  ];
  return table(columns, rows, { colours, columns: screen });
}
