/** @file The result files of the benchmarks as pages: command, commit, machine, date, and every figure as it was measured. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface ResultFile {
  readonly benchmark: string;
  readonly commit?: string;
  readonly date?: string;
  readonly machine: Readonly<Record<string, unknown>>;
  readonly commands?: unknown;
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly figures: readonly { readonly name: string; readonly value: number | null; readonly unit?: string; readonly note?: string }[];
}

const folder = join(import.meta.dirname, '../../benchmarks/results');

/** The names of all result files, such as "search". */
export function resultNames(): readonly string[] {
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith('.json') ? [file.replace(/\.json$/, '')] : []))
    .sort();
}

/** The command that measures the figures again. A value that is not a number or a name is quoted. */
function commandOf({ benchmark, flags = {} }: ResultFile): string {
  const options = Object.entries(flags).map(([flag, value]) => (value === true ? `--${flag}` : `--${flag}=${quote(String(value))}`));
  return ['npm run bench --', benchmark, ...options].join(' ');
}

function quote(value: string): string {
  return /^[\w./:,-]+$/.test(value) ? value : `'${value}'`;
}

function machineOf({ cpu, cores, memoryGb, node, ...rest }: ResultFile['machine']): string {
  const other = Object.values(rest).filter((value) => typeof value === 'string');
  const parts = [cpu, cores === undefined ? undefined : `${cores} cores`, memoryGb === undefined ? undefined : `${memoryGb} GB`];
  return [...parts, node === undefined ? undefined : `Node ${node}`, ...other].filter((part) => part !== undefined).join(', ');
}

function valueText(value: number | null): string {
  return value === null ? '–' : String(Number(value.toPrecision(4)));
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{{', '{ {').replace(/\s+/g, ' ');

/** The text of the page of a result file. */
export function resultPage(name: string): string {
  const result = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as ResultFile;
  const { commit = 'not recorded', date = 'not recorded', figures } = result;
  const facts = [
    ['command', result.commands === undefined ? `\`${commandOf(result)}\`` : 'see `commands` in the file'],
    ['commit', commit],
    ['date', date],
    ['machine', machineOf(result.machine)],
    ['file', `\`benchmarks/results/${name}.json\``],
  ].map(([fact, text]) => `| ${fact} | ${cell(text!)} |`);
  const rows = figures.map(
    ({ name: figure, value, unit = '', note = '' }) => `| ${cell(figure)} | ${valueText(value)} | ${cell(unit)} | ${cell(note)} |`,
  );
  return `# Results: ${name}\n\n| run | |\n|---|---|\n${facts.join('\n')}\n\n| figure | value | unit | note |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}
