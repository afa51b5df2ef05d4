/** @file Checks the ledger cheaply: every arm still runs and prints its measure, the counter rule holds in results, and nothing is stale. */

import { canRun } from './arms.ts';
import { type Entry, isStale, textEntry } from './ledger.ts';
import { runSeed } from './rows.ts';

/** Prints what is wrong and returns whether nothing is. Commands run on one seed below 1,000, one after another, until the deadline. */
export async function checkLedger(ledger: readonly Entry[], deadline: number): Promise<boolean> {
  const problems: string[] = [];
  const stale: number[] = [];
  const unreachable: number[] = [];
  const waiting: number[] = [];
  let commands = 0;
  for (const { row, text, trial } of ledger.flatMap(trialsOf)) {
    problems.push(...flawsOf(trial));
    if (isStale(trial)) stale.push(row);
    const { experiment: plan } = trial;
    if (plan === undefined) continue;
    if (!canRun(plan)) {
      unreachable.push(row);
      continue;
    }
    if (performance.now() > deadline) {
      waiting.push(row);
      continue;
    }
    const arms: string[] = [];
    for (const arm of ['on', 'off', 'placebo', 'ceiling'] as const) {
      const command = plan[arm];
      if (command === undefined) continue;
      commands++;
      const began = performance.now();
      try {
        const short = await runSeed(plan, shorten(command), 1);
        // A short training may be too short for the mechanism, and one that acts in some runs need not act in this one.
        const isIdle = arm === 'on' && short.acted === 0 && (trial.result?.arms['on']?.acted ?? 0) >= 1;
        let { acted } = short;
        for (let seed = 1; isIdle && acted === 0 && seed <= 3; seed++) acted = (await runSeed(plan, command, seed)).acted;
        arms.push(`${arm} ${((performance.now() - began) / 1000).toFixed(1)} s${acted === null ? '' : ` [acted ${acted}]`}`);
        if (arm === 'off' && (acted ?? 0) > 0) problems.push(`row ${row}${text}: the mechanism acts in "off"`);
        if (isIdle && acted === 0) problems.push(`row ${row}${text}: the mechanism does not act in "on"`);
      } catch (thrown) {
        problems.push(`row ${row}${text}, ${arm}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      }
    }
    console.log(`${row}${text}: ${arms.join(', ')}`);
  }
  for (const problem of problems) console.error(problem);
  if (stale.length > 0) console.error(`Stale (code or settings have changed since): ${stale.join(', ')}`);
  if (unreachable.length > 0) console.error(`Commands not run, since they need --server: rows ${unreachable.join(', ')}`);
  if (waiting.length > 0) console.error(`Out of time. Continue with --check --rows ${[...new Set(waiting)].join(',')}`);
  console.log(`${ledger.length} entries, ${commands} commands run, ${problems.length} problems, ${stale.length} stale.`);
  return problems.length === 0 && waiting.length === 0;
}

/** The experiments of an entry: the main one, and the one with a language model where it is written. */
function trialsOf(entry: Entry) {
  const text = textEntry(entry);
  return [{ row: entry.row, text: '', trial: entry }, ...(text === null ? [] : [{ row: entry.row, text: ' (text)', trial: text }])];
}

/** A training is checked on a few games; a third of them is a whole number, too. */
function shorten(command: string): string {
  return command.replace(/ --games \d+/, ' --games 192');
}

/** What is wrong with an entry as it is written. */
export function flawsOf({ row, experiment: plan, result, missing, kind }: Entry): readonly string[] {
  const flaws: string[] = [];
  if (result === undefined && missing === undefined && plan === undefined)
    flaws.push(`row ${row}: without a result, "missing" must say what is needed`);
  if (result !== undefined && plan === undefined) flaws.push(`row ${row}: a result needs its experiment`);
  if (plan !== undefined && !plan.on.includes('{seed}')) flaws.push(`row ${row}: "on" must contain {seed}`);
  if (plan !== undefined && plan.counter === undefined && plan.structural === undefined && kind === 'effect')
    flaws.push(`row ${row}: a mechanism needs a counter, or a reason why its structure always acts`);
  if (result === undefined || plan?.counter === undefined || result.verdict === 'void') return flaws;
  if ((result.arms['on']?.acted ?? 0) <= 0)
    flaws.push(`row ${row}: the mechanism never acted in "on", but the verdict is ${result.verdict}`);
  if ((result.arms['off']?.acted ?? 0) > 0) flaws.push(`row ${row}: the mechanism acted in "off", but the verdict is ${result.verdict}`);
  return flaws;
}
