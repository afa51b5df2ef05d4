/**
 * @file `npm run evidence`: runs experiments of the ledger, checks it, and writes the pages that are generated from it.
 *
 *     npm run evidence -- --rows 13,14        run these rows on their registered seeds and store the results
 *     npm run evidence -- --todo --jobs 2     run every row whose result is missing or stale
 *     npm run evidence -- --rows 13 --pilot 4 run four seeds below 1,000 and store nothing
 *     npm run evidence -- --rows 13 --again   run on fresh seeds and compare with the stored verdict
 *     npm run evidence -- --check             one cheap run of every arm, the counter rule, and stale results
 *     npm run evidence -- --page              write docs/evidence.md and the effect column of docs/systems.md
 */

import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { checkLedger } from './check.ts';
import { fileOf, isStale, readEntry, readLedger } from './ledger.ts';
import { writePages } from './page.ts';
import { runRow } from './rows.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string' },
    todo: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    budget: { type: 'string', default: '3600' },
    pilot: { type: 'string' },
    again: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});

const ledger = readLedger();
const entries = ledger.filter((entry) =>
  options.rows === undefined
    ? options.todo && entry.experiment !== undefined && (entry.result === undefined || isStale(entry))
    : options.rows.split(',').includes(String(entry.row)),
);
const deadline = performance.now() + 1000 * Number(options.budget);
const mode = options.pilot !== undefined ? { pilot: Number(options.pilot) } : options.again ? { again: true } : {};

if (options.check) process.exitCode = (await checkLedger(options.rows === undefined ? ledger : entries, deadline)) ? 0 : 1;
else if (options.page) writePages(ledger);
else if (entries.length === 0) {
  console.error('Name rows with --rows 13,14, or take --todo, --check or --page.');
  process.exitCode = 2;
} else if (Number(options.jobs) > 1 && entries.length > 1) await runInProcesses();
else
  for (const entry of entries) {
    const outcome = await runRow(readEntry(fileOf(entry)), { ...mode, deadline }).catch((thrown: unknown) => {
      process.exitCode = 1;
      return `failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    });
    console.log(`${entry.row} ${entry.system}: ${outcome}`);
  }

/** Each row in a process of its own, a few at once; a row writes its entry itself. */
async function runInProcesses(): Promise<void> {
  const waiting = [...entries];
  const flags = process.argv
    .slice(2)
    .filter((word, i, list) => !/^--(rows|jobs|todo)$/.test(word) && !/^--(rows|jobs)$/.test(list[i - 1] ?? ''));
  const work = async () => {
    for (let entry = waiting.shift(); entry !== undefined && performance.now() < deadline; entry = waiting.shift()) {
      const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, '--rows', String(entry.row), ...flags], {
        stdio: 'inherit',
      });
      const code = await new Promise((resolve) => child.on('exit', resolve));
      if (code !== 0) process.exitCode = 1;
    }
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, work));
}
