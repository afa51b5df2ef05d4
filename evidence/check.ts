/** @file Checks the ledger cheaply: every arm still runs and prints its measure, the counter rule holds in results, and nothing is stale. */

import { canRun } from './arms.ts';
import { type Entry, isStale, textEntry } from './ledger.ts';
import { runSeed } from './rows.ts';

/** Prints what is wrong and returns whether nothing is. Commands run on one seed below 1,000, one after another, until the deadline. */
export async function checkLedger(ledger: readonly Entry[], deadline: number): Promise<boolean> {
  const problems: string[] = [];
  const stale: number[] = [];
  const unreachable: number[] = [];
  let commands = 0;
  for (const entry of ledger.flatMap((each) => [each, textEntry(each)].filter((trial) => trial !== null))) {
    problems.push(...flawsOf(entry));
    if (isStale(entry)) stale.push(entry.row);
    const { experiment: plan } = entry;
    if (plan === undefined) continue;
    if (!canRun(plan)) {
      unreachable.push(entry.row);
      continue;
    }
    for (const arm of ['on', 'off', 'placebo', 'ceiling'] as const) {
      const command = plan[arm];
      if (command === undefined || performance.now() > deadline) continue;
      commands++;
      await runSeed(plan, shorten(command), 1).catch((thrown: unknown) => {
        problems.push(`row ${entry.row}, ${arm}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      });
    }
  }
  for (const problem of problems) console.error(problem);
  if (stale.length > 0) console.error(`Stale (code or settings have changed since): ${stale.join(', ')}`);
  if (unreachable.length > 0) console.error(`Commands not run, since they need --server: rows ${unreachable.join(', ')}`);
  console.log(`${ledger.length} entries, ${commands} commands run, ${problems.length} problems, ${stale.length} stale.`);
  return problems.length === 0;
}

/** A training is checked on a few games. */
function shorten(command: string): string {
  return command.replace(/ --games \d+/, ' --games 256');
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
