/** @file `npm run evidence`: runs experiments of the ledger, checks it, and writes the pages that are generated from it. */

import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { canRun, serverVariable } from './arms.ts';
import { checkLedger } from './check.ts';
import { fileOf, isStale, readEntry, readLedger, textEntry } from './ledger.ts';
import { writePages } from './page.ts';
import { runRow } from './rows.ts';

const help = `npm run evidence -- OPTIONS

  --rows 13,14         run these rows on their registered seeds and store the results
  --todo               run every row whose result is missing or stale
  --text               with --rows or --todo: the experiments with a language model that stand beside a main one
  --rows 13 --pilot 4  run four seeds below 1,000 and store nothing
  --rows 13 --again    run on fresh seeds and compare with the stored verdict
  --check              run every arm once, apply the counter rule, and list stale results
  --page               write docs/evidence.md and the effect column of docs/systems.md

  --server URL#MODEL   the training server for rows with a model of 1.1 billion weights; without it they are not run.
                       Each arm trains a model: start ludus-gpu with --models 200
  --jobs 2             rows that run at the same time, each in its own process
  --budget 3600        no seed starts after this many seconds`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    rows: { type: 'string' },
    todo: { type: 'boolean', default: false },
    text: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    budget: { type: 'string', default: '3600' },
    pilot: { type: 'string' },
    again: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    server: { type: 'string' },
  },
});
if (options.server !== undefined) process.env[serverVariable] = options.server;

const ledger = readLedger();
const trials = options.text ? ledger.flatMap((entry) => textEntry(entry) ?? []) : ledger;
const entries = trials.filter((entry) =>
  options.rows === undefined
    ? options.todo && entry.experiment !== undefined && canRun(entry.experiment) && (entry.result === undefined || isStale(entry))
    : options.rows.split(',').includes(String(entry.row)),
);
const deadline = performance.now() + 1000 * Number(options.budget);
const mode = {
  text: options.text,
  ...(options.pilot !== undefined ? { pilot: Number(options.pilot) } : { again: options.again }),
};

if (options.help) console.log(help);
else if (options.check) process.exitCode = (await checkLedger(options.rows === undefined ? ledger : entries, deadline)) ? 0 : 1;
else if (options.page) writePages(ledger);
else if (entries.length === 0) {
  console.error(`Nothing to run.\n\n${help}`);
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

/** Each row in its own process, a few at once; a row writes its entry itself. */
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
