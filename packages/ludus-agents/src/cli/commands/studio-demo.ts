/** @file `ludus studio --demo`: opens the studio while a language model teaches itself poker, and shows its progress here and on the page. */

import { setTimeout as sleep } from 'node:timers/promises';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { exploitabilityText } from '@ludus-agents/kernel/internal/core/legal-words';
import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import { lessonName } from '@ludus-agents/learning/internal/training/demo-training';
import type { TrainingProgress } from '@ludus-agents/learning/internal/training/train';
import type { CommandRun } from '../command.ts';
import { coloursFor } from '../render/colours.ts';
import { sparkline } from '../render/training-report.ts';
import { clip } from '../render/width.ts';
import { columnsOf, print, type Terminal } from '../terminal.ts';
import { type OpenStudio, openStudio, type StudioFlags } from './studio.ts';

interface Options extends StudioFlags {
  readonly demoGames?: number;
}

export const studioDemo: CommandRun<Options> = {
  run({ options, terminal }) {
    return openStudio(terminal, { ...options, place: 'lesson' }, (studio) => lesson(terminal, options, studio));
  },
};

/** Starts the demo training unless it was started before, and shows its progress. */
async function lesson(terminal: Terminal, { demoGames = 302_400, json = false }: Options, studio: OpenStudio): Promise<void> {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const before = await lessonIn(studio.store);
  const run = before?.id ?? (await begin(studio, demoGames));
  if (json) return;
  const page = `${studio.url}/#/lesson/${encodeURIComponent(run)}`;
  if (before === null)
    print(
      terminal,
      '',
      `${colours.bold(`A ${hasRuntime() ? 'language model' : 'player'} that has never seen a card`)} is now teaching itself Kuhn poker: ${colours.cyan(page)}`,
      colours.faint('Exploitability is what a perfect opponent would win from it each hand: 0.46 for random play, 0 for perfect play.'),
    );
  const curve = await follow(terminal, studio, run);
  const [last] = curve.slice(-1);
  if (last === undefined || studio.signal.aborted) return;
  const seat = `${studio.url}/#/play?world=kuhn-poker&second=${encodeURIComponent(`local/${nameOf(await studio.store.run(run))}@last`)}`;
  const fell = `${exploitabilityText(curve[0]!, 3) ?? ''} → ${colours.bold(exploitabilityText(last, 3) ?? '')}`;
  print(
    terminal,
    `${colours.green('✓')} ${before === null ? 'It' : 'Your agent'} has played ${formatGrouped(last.games)} games against itself: exploitability ${fell}.`,
    `  Play against it: ${colours.cyan(seat)}`,
  );
}

async function lessonIn(store: Store): Promise<RunRecord | null> {
  return (await store.runs()).findLast(({ id, work }) => work?.kind === 'train' && id.startsWith(lessonName)) ?? null;
}

function nameOf(run: RunRecord | null): string {
  return String(run?.work?.['name'] ?? lessonName);
}

/** The same request as from the page. */
async function begin({ url, token }: OpenStudio, games: number): Promise<string> {
  const recipe = hasRuntime() ? 'kuhn-lm' : 'kuhn-tabular';
  const response = await fetch(`${url}/api/training`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ recipe, games, name: lessonName }),
  });
  const answer = (await response.json()) as { readonly run?: string; readonly error?: string };
  if (answer.run === undefined) throw new Fault('server', answer.error ?? 'Training could not be started.');
  return answer.run;
}

/** Draws the curve until its end, or until the studio closes; returns the measured values. */
async function follow(terminal: Terminal, { store, signal }: OpenStudio, run: string): Promise<readonly TrainingProgress[]> {
  const { stderr: screen } = terminal;
  const colours = coloursFor(screen, terminal.env);
  const metrics: TrainingProgress[] = [];
  for (let silent = 0; !signal.aborted; silent++) {
    const fresh = (await store.notes(run, 'metrics', metrics.length)) as readonly TrainingProgress[];
    metrics.push(...fresh);
    const last = metrics.at(-1);
    if (fresh.length > 0) silent = 0;
    if (last !== undefined && screen.isTTY === true && fresh.length > 0) {
      const curve = sparkline(
        metrics.flatMap(({ exploitability }) => exploitability ?? []),
        50,
      );
      const status = `${exploitabilityText(last, 3) ?? ''} · ${formatGrouped(last.games)} games`;
      screen.write(`\r\u001b[2K${colours.cyan(curve)} ${clip(status, columnsOf(screen) - 52)}`);
    }
    // A stopped or dead training is awaited no longer than a measurement takes.
    if (last !== undefined && (last.update >= last.updates || silent > 80)) break;
    await sleep(250, undefined, { signal }).catch(() => undefined);
  }
  if (screen.isTTY === true && metrics.length > 0) screen.write('\n');
  return metrics;
}
