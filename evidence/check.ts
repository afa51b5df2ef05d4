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
        const usual = arm === 'on' ? (trial.result?.arms['on']?.acted ?? 0) : 0;
        const acted = await countActs(async (words, seed) => (await runSeed(plan, words, seed)).acted, command, usual);
        arms.push(`${arm} ${((performance.now() - began) / 1000).toFixed(1)} s${acted === null ? '' : ` [acted ${acted}]`}`);
        if (arm === 'off' && (acted ?? 0) > 0) problems.push(`row ${row}${text}: the mechanism acts in "off"`);
        if (usual >= 1 && acted === 0) problems.push(`row ${row}${text}: the mechanism does not act in "on"`);
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

/**
 * How often a mechanism acts in a run of a command on a few games. Such a run can be too short for it, and one that acts in most runs need
 * not act in each: where it stands idle, but acted `usual` times in a run of the stored result, the whole command runs on up to three seeds.
 */
export async function countActs(
  run: (command: string, seed: number) => Promise<number | null>,
  command: string,
  usual: number,
): Promise<number | null> {
  // A third of the games is a whole number, too.
  const short = command.replace(/ --games \d+/, ' --games 192');
  let acted = await run(short, 1);
  for (let seed = short === command ? 2 : 1; acted === 0 && usual >= 1 && seed <= 3; seed++) acted = await run(command, seed);
  return acted;
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
