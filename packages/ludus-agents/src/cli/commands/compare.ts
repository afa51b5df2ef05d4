/** @file `ludus compare`: two agents, or two runs, on the tasks and seeds that both have played; the difference and a verdict in words. */

import { readSpec } from '@ludus-agents/agents/internal/workspace/agents';
import { isPath } from '@ludus-agents/agents/internal/workspace/environments';
import { earlierText } from '@ludus-agents/agents/internal/workspace/versions';
import { compareResults, type GateResult, readResults } from '@ludus-agents/desk/internal/gate';
import { diffRuns } from '@ludus-agents/desk/internal/run-diff';
import type { CaseFileOptions } from '@ludus-agents/evaluation/internal/cases/case-suite';
import { changedSinceText } from '@ludus-agents/evaluation/internal/changed-since';
import { sides } from '@ludus-agents/evaluation/internal/comparison';
import { cardFrom } from '@ludus-agents/evaluation/internal/judges';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import { contest, type Summary } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { figure, span } from '@ludus-agents/evaluation/internal/scoring/report/index';
import type { Comparison } from '@ludus-agents/evaluation/internal/scoring/statistics/compare';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import { noWorseText } from '@ludus-agents/evaluation/internal/scoring/statistics/no-worse';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { printable, type Store } from '@ludus-agents/kernel/internal/core/index';
import { compareSpecs } from '@ludus-agents/learning/internal/improving/compare-specs';
import { compareStories, trainingStory } from '@ludus-agents/learning/internal/training/training-story';
import { findRun, loadRun, type StoreOptions, withExistingStore, withWritableStore } from '@ludus-agents/store/internal/stores';
import { caseOptionsIn } from '../case-options.ts';
import { type CommandRun, exits } from '../command.ts';
import { showCaseChanges } from '../render/case-changes.ts';
import { coloursFor } from '../render/colours.ts';
import { wrap } from '../render/width.ts';
import { columnsOf, interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions, CaseFileOptions {
  readonly cases?: boolean;
  readonly html?: string;
  readonly words?: boolean;
  readonly run?: string;
  readonly score?: string;
  readonly card?: string;
  readonly target?: number;
  readonly over?: Over;
  /** False with --no-worse. */
  readonly worse?: boolean;
  readonly margin?: number;
  readonly agent?: string;
  readonly strict?: boolean;
  readonly on?: string;
  readonly control?: string;
  readonly plays: number;
  readonly seed: number;
  readonly json?: boolean;
}

export const compare: CommandRun<Options> = {
  async run({ args, options: input, terminal }) {
    const { on } = input;
    const { run: runName, score, card: cardFile, target, over, json, worse, margin, agent, strict, ...keep } = input;
    const [a, b] = args as [string, string];
    if (on !== undefined) return compareOn([a, b], { ...input, on }, terminal);
    const card = cardFrom(cardFile, terminal.cwd);
    return withExistingStore(terminal, keep, async (store) => {
      const { cases, html, words: withWords } = input;
      if (cases === true || html !== undefined) {
        const [before, after] = [await loadRun(store, a), await loadRun(store, b)];
        showCaseChanges(await diffRuns(store, before.id, after.id, agent), { html, words: withWords, json }, terminal);
        return exits.fine;
      }
      if (worse === false) return decide(store, [a, b], { terminal, margin, agent, strict, json });
      const run = runName === undefined ? null : await loadRun(store, runName);
      const trainings = run === null ? await Promise.all([findRun(store, a), findRun(store, b)]) : [];
      const [runRecord, other] = trainings.filter((training) => training?.work?.kind === 'train');
      if (runRecord && other) {
        const [first, second] = [await trainingStory(store, runRecord), await trainingStory(store, other)];
        if (json === true) printJson(terminal, { a: first, b: second, words: compareStories(first, second) });
        else print(terminal, ...compareStories(first, second));
        return exits.fine;
      }
      const comparedSides = await sides(store, [await nameBehind(a, terminal), await nameBehind(b, terminal)], {
        run: run?.id,
        score,
        card,
      });
      const saved = await savedBehind(store, { runs: run === null ? comparedSides.runs : [run.id], cwd: terminal.cwd });
      const comparison = contest(comparedSides.a, comparedSides.b, { over, ...(target === undefined ? {} : { target }) });
      const leftOut = comparison.leftOut + comparedSides.leftOut;
      if (json === true) printJson(terminal, { score: comparedSides.score, ...comparison, leftOut, earlier: comparedSides.earlier, saved });
      else {
        const colours = coloursFor(terminal.stdout, terminal.env);
        const words = wrap(printable(comparison.words), Math.min(100, columnsOf(terminal.stdout)));
        const facts = `by ${comparedSides.score}; p = ${comparison.p.toPrecision(2)}; ${formatGrouped(comparison.pairs)} pairs, ${formatGrouped(comparison.unpaired)} unpaired, ${formatGrouped(comparison.missing)} missing${leftOut === 0 ? '' : `, ${formatGrouped(leftOut)} played by only one of them and left out`}`;
        const earlier = comparedSides.earlier === 0 ? [] : [colours.faint(earlierText(comparedSides.earlier))];
        print(terminal, ...words, ...sideLines(comparison), colours.faint(facts), ...earlier, ...saved.map(printable));
      }
      return exits.fine;
    });
  },
};

/** What an agent is called in the store, for one that is named by its file. */
async function nameBehind(word: string, { cwd, trust }: Terminal): Promise<string> {
  return isPath(word) ? (await readSpec(word, cwd, trust)).name : word;
}

/** Files that changed after the episodes that are compared were played or scored, in a sentence for each run. */
async function savedBehind(
  store: Store,
  { runs, cwd }: { readonly runs: readonly string[]; readonly cwd: string },
): Promise<readonly string[]> {
  const records = await Promise.all(runs.map((id) => store.run(id)));
  const texts = await Promise.all(records.map((record) => (record === null ? null : changedSinceText(store, record, cwd))));
  return texts.filter((text) => text !== null);
}

/** Plays two agents on the tasks of a suite. */
async function compareOn(
  words: readonly [string, string],
  options: Options & { readonly on: string },
  terminal: Terminal,
): Promise<number> {
  const [before, after] = await Promise.all(words.map((word) => readSpec(word, terminal.cwd, terminal.trust)));
  const suite = await loadSuite(options.on, terminal.cwd, terminal.trust, caseOptionsIn(options));
  return withWritableStore(terminal, options, async (store) => {
    const { controller, release } = interruptible(terminal);
    try {
      const { plays, seed, control: run } = options;
      const specComparison = await compareSpecs({
        trust: terminal.trust,
        ...{ before: before!, after: after!, suite, run, plays, seed, store },
        ...{ cwd: terminal.cwd, signal: controller.signal },
      });
      if (options.json === true) printJson(terminal, specComparison);
      else print(terminal, ...specComparison.words.flatMap((line) => wrap(printable(line), Math.min(100, columnsOf(terminal.stdout)))));
      return exits.fine;
    } finally {
      release();
    }
  });
}

interface NoWorseChoice {
  readonly terminal: Terminal;
  readonly margin: number | undefined;
  readonly agent: string | undefined;
  readonly strict: boolean | undefined;
  readonly json: boolean | undefined;
}

/** Whether the second run may take the place of the first. */
async function decide(
  store: Store,
  names: readonly [string, string],
  { terminal, margin, agent, strict, json }: NoWorseChoice,
): Promise<number> {
  const results = [];
  for (const name of names) {
    const run = await loadRun(store, name);
    results.push(await readResults(store, run.id, agent));
  }
  const [before, after] = results as [readonly GateResult[], readonly GateResult[]];
  const verdict = compareResults(before, after, margin);
  const words = noWorseText(verdict);
  if (json === true) printJson(terminal, { before: names[0], after: names[1], ...verdict, words });
  else print(terminal, ...wrap(printable(`${names[1]} beside ${names[0]}: ${words}`), Math.min(100, columnsOf(terminal.stdout))));
  if (verdict.noWorse) return exits.fine;
  return verdict.worse || strict === true ? exits.found : exits.fine;
}

/** The mean of each side with its interval, as reports show it. */
function sideLines({ a, b, sides: { a: left, b: right }, points }: Comparison): readonly string[] {
  const sideLine = (name: string, { value, interval, tasks, episodes }: Summary) =>
    `${printable(name)}: ${figure(value, points)}${interval === null ? '' : ` (95% ${span(interval, points)})`}, ${count(tasks, 'task')}, ${count(episodes, 'episode')}`;
  return [sideLine(a, left), sideLine(b, right)];
}
