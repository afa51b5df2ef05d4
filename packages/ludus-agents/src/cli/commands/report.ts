/** @file `ludus report`: a run as one HTML file, as Markdown, or as JSON. */

import { resolve } from 'node:path';
import { cardFrom } from '@ludus-agents/evaluation/internal/judges';
import { reportFor } from '@ludus-agents/evaluation/internal/report';
import { markdownOf, pageOf } from '@ludus-agents/evaluation/internal/scoring/report/index';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { improveReport, lineageOf } from '@ludus-agents/learning/internal/improving/lineage';
import { storyMarkdown, trainingStory } from '@ludus-agents/learning/internal/training/training-story';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { loadRun, type StoreOptions, withExistingStore } from '@ludus-agents/store/internal/stores';
import { type CommandRun, exits } from '../command.ts';
import { improveMarkdown, improvePage } from '../render/improve-report.ts';
import { trainingPage } from '../render/training-report.ts';
import { printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly output?: string;
  readonly format?: string;
  readonly suite?: string;
  readonly score?: string;
  readonly card?: string;
  readonly over?: Over;
  readonly json?: boolean;
}

const formats = ['html', 'md', 'json'];

export const report: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const format = formatOf(options);
    return withExistingStore(terminal, options, async (store) => {
      const typed = args[0]!;
      const run = await loadRun(store, typed);
      if (run.work?.kind === 'improve') return reportImprovement(store, run, { options, format, terminal });
      if (run.work?.kind === 'train') return reportTraining(store, run, { options, format, terminal });
      const { suite, score, over } = options;
      const card = cardFrom(options.card, terminal.cwd);
      const { report: full, transcripts } = await reportFor(
        run,
        { suite, score, card, over },
        { trust: terminal.trust, store, cwd: terminal.cwd },
      );
      const text = format === 'json' ? `${JSON.stringify(full)}\n` : format === 'md' ? markdownOf(full) : pageOf(full, transcripts);
      deliver(text, options, { terminal, told: { run: run.id, format, episodes: full.episodes } });
      return exits.fine;
    });
  },
};

/** The report of a training: what happened, in words and figures. */
async function reportTraining(
  store: Store,
  run: RunRecord,
  { options, format, terminal }: { readonly options: Options; readonly format: string; readonly terminal: Terminal },
): Promise<number> {
  const story = await trainingStory(store, run);
  const text = format === 'json' ? `${JSON.stringify(story)}\n` : format === 'md' ? storyMarkdown(story) : trainingPage(story);
  deliver(text, options, { terminal, told: { run: run.id, format, episodes: story.games } });
  return exits.fine;
}

/** The report of an improvement: the same formats, other contents. */
async function reportImprovement(
  store: Store,
  run: RunRecord,
  { options, format, terminal }: { readonly options: Options; readonly format: string; readonly terminal: Terminal },
): Promise<number> {
  const matchingImproveReport = await improveReport(store, run.id);
  if (matchingImproveReport === null)
    throw new Fault('input', `The improvement ${run.id} is not finished. Resume it with "ludus improve --resume ${run.id}".`);
  const lineage = await lineageOf(store, run);
  const text =
    format === 'json'
      ? `${JSON.stringify(matchingImproveReport)}\n`
      : format === 'md'
        ? improveMarkdown(matchingImproveReport, lineage)
        : improvePage(matchingImproveReport, lineage);
  const episodes = (await store.statuses(run.id)).size;
  deliver(text, options, { terminal, told: { run: run.id, format, episodes } });
  return exits.fine;
}

function formatOf({ format, output = '', json }: Options): string {
  if (format !== undefined && !formats.includes(format))
    throw new Fault('input', `--format: expected one of ${formats.join(', ')}, got "${format}".`);
  const ending = /\.(html|md|json)$/.exec(output)?.[1];
  return format ?? ending ?? (json === true && output === '' ? 'json' : 'html');
}

interface Delivery {
  readonly terminal: Terminal;
  readonly told: { readonly run: string; readonly format: string; readonly episodes: number };
}

function deliver(text: string, { output, json }: Options, { terminal, told }: Delivery): void {
  if (output === undefined) {
    terminal.stdout.write(text);
    return;
  }
  const file = resolve(terminal.cwd, output);
  writeFileAtomicSync(file, text);
  if (json === true) printJson(terminal, { ...told, file, bytes: Buffer.byteLength(text) });
  else terminal.stderr.write(`${count(told.episodes, 'episode')} of ${told.run} in ${file}\n`);
}
