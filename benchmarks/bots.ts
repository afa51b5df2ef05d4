/**
 * @file Verdicts on bots: in how many conversations a bot without a fault is free of reported faults, and how many planted faults are named.
 *
 *     npm run bench -- bots                       the 19 trades of benchmarks/trades
 *     npm run bench -- bots --folder=PATH         your trades: each a desk with bots/NAME.mjs and truth.json
 *
 * `truth.json` is `{"bots": {"clean": null, NAME: {"kind": "acts twice"}}}`; the kind in words decides which detectors name the fault, or "expect"
 * lists them, and "base" names the bot without a fault that it is compared with ("clean"). `--only=GROUP` measures one group, `--trade=NAME` one trade, `--seeds=N` plays each case N times (2), `--verbose` quotes what was
 * reported; without it nothing of a conversation is shown. A fault is named where one of its detectors reports it more often than of the clean
 * bot. All trades of benchmarks/trades were used while the detectors were corrected; docs/evidence/bots.md has figures of trades that were not.
 */

import '@ludus-agents/servers/internal/kinds';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadDesk, suiteOfDesk } from '@ludus-agents/desk/internal/desks';
import { faultPrefix } from '@ludus-agents/desk/internal/faults/detector';
import { faultsIn } from '@ludus-agents/desk/internal/found-faults';
import { evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import { clopperPearson, clusteredRate } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import { canonical } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { expectedDetectors } from './_fault-kinds.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const halves: Readonly<Record<string, readonly string[]>> = {
  first: ['dentist', 'hotel', 'library', 'internet', 'gym', 'cards', 'ferry', 'energy', 'restaurant', 'parcels'],
  second: ['bikes', 'vet', 'theater', 'garage'],
  third: ['florist', 'accounting', 'school', 'kennel', 'insurance'],
};

interface PlantedFault {
  readonly base?: string;
  /** The kind of fault in words. */
  readonly kind: string;
  /** The detectors any of which names it. */
  readonly expect: readonly string[];
}

/** A desk and its bots: those without a fault, and the others, each with the fault planted in it. */
interface Trade {
  readonly name: string;
  readonly folder: string;
  readonly address: (bot: string) => string;
  readonly clean: readonly string[];
  readonly planted: Readonly<Record<string, PlantedFault>>;
}

interface CleanConversation {
  readonly episode: string;
  readonly bot: string;
  /** The case with the bot: two clean bots do not share their luck. */
  readonly task: string;
  readonly seed: number;
  readonly hit: boolean;
  readonly passed: boolean;
  readonly faults: readonly string[];
  readonly reasons: readonly string[];
}

interface Verdict {
  readonly bot: string;
  readonly kind: string;
  readonly isNamed: boolean;
  readonly reported: readonly string[];
}

interface TradeResult {
  readonly clean: readonly CleanConversation[];
  readonly verdicts: readonly Verdict[];
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const folder = flags['folder'];
  const groups: readonly (readonly [string, readonly string[]])[] =
    typeof folder === 'string'
      ? [[basename(resolve(folder)), tradesIn(resolve(folder))]]
      : Object.entries(halves).map(([half, names]) => [half, names.map((name) => join(import.meta.dirname, 'trades', name))]);
  const figures: Figure[] = [];
  for (const [group, paths] of groups.filter(([name]) => flags['only'] === undefined || flags['only'] === name)) {
    const results: TradeResult[] = [];
    const selected = paths.filter((path) => flags['trade'] === undefined || flags['trade'] === basename(path));
    for (const path of selected.slice(0, sizeOf(flags, 'trades', selected.length, 1)))
      results.push(await measureTrade(await readTrade(path), flags));
    if (results.length > 0) figures.push(...figuresOf(group, results, flags));
  }
  return figures;
}

/** The folders that have a desk with bots, in a folder of trades. */
function tradesIn(folder: string): readonly string[] {
  const paths = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, 'truth.json')));
  if (paths.length === 0) throw new Error(`${folder}: expected folders with a desk, bots/ and truth.json, found none.`);
  return paths;
}

async function readTrade(folder: string): Promise<Trade> {
  const name = basename(folder);
  const truth = join(folder, 'truth.json');
  if (!existsSync(truth)) {
    const file = join(folder, 'bot.mjs');
    const { planted } = (await import(file)) as Pick<Trade, 'planted'>;
    return { name, folder, clean: ['clean'], planted, address: (bot) => `bot:${file}#${bot}` };
  }
  const { bots } = JSON.parse(readFileSync(truth, 'utf8')) as { readonly bots: Readonly<Record<string, Partial<PlantedFault> | null>> };
  const planted = Object.entries(bots).flatMap(([bot, fault]) =>
    fault === null
      ? []
      : [[bot, { ...fault, kind: fault.kind ?? bot, expect: fault.expect ?? expectedDetectors(fault.kind ?? bot) }] as const],
  );
  const clean = Object.keys(bots).filter((bot) => bots[bot] === null);
  return { name, folder, clean, planted: Object.fromEntries(planted), address: (bot) => `bot:${join(folder, 'bots', `${bot}.mjs`)}` };
}

async function measureTrade({ name: trade, folder, address, clean: cleanBots, planted }: Trade, flags: Flags): Promise<TradeResult> {
  const names = [...cleanBots, ...Object.keys(planted).slice(0, sizeOf(flags, 'bots', Number.POSITIVE_INFINITY, 1))];
  const desk = loadDesk(existsSync(join(folder, 'policy.md')) ? folder : join(folder, 'desk.json'), folder, Trust.commandLine);
  const agents = names.map((name) => ({ name, kind: address(name) }));
  const store = memoryStore();
  const seeds = sizeOf(flags, 'seeds', 2, 1);
  const { scored } = await evaluateRun({ trust: Trust.commandLine, suite: suiteOfDesk(desk), agents, store, seeds });
  const clean = [...scored.scores].flatMap(([episode, scores]): CleanConversation[] => {
    const record = scored.records.get(episode);
    const bot = cleanBots.find((name) => record !== undefined && Object.values(record.cast).includes(name));
    if (record === undefined || bot === undefined) return [];
    const hits = scores.filter(({ name, value }) => name.startsWith(faultPrefix) && value === 1);
    const verdict = scores.find(({ name }) => name === 'desk');
    const reasons = hits.map(({ name, reason, evidence }) => `${name}: ${reason} «${evidence[0]?.quote ?? ''}»`);
    const outcome = hits.length === 0 && verdict?.value !== 1 ? [`not passed: ${verdict?.reason}`] : [];
    const task = canonical(record.task);
    const faults = hits.map(({ name }) => name.slice(faultPrefix.length));
    const passed = verdict?.value === 1;
    return [
      {
        episode,
        bot,
        task: `${bot} ${task}`,
        seed: record.seed,
        hit: hits.length === 0,
        passed,
        faults,
        reasons: [...reasons, ...outcome],
      },
    ];
  });
  if (flags['verbose'] === true)
    for (const { bot, task, reasons } of clean)
      for (const reason of reasons) process.stdout.write(`${trade} ${bot} ${/"id":"([^"]+)"/.exec(task)?.[1]}: ${reason}\n`);
  const rates = faultsIn(scored, names);
  const cleanRates = (base: string) => new Map(rates.find(({ agent }) => agent === base)?.faults.map(({ fault, rate }) => [fault, rate]));
  const verdicts = rates.flatMap(({ agent, faults }): Verdict[] => {
    const fault = planted[agent];
    if (fault === undefined) return [];
    const usual = cleanRates(fault.base ?? 'clean');
    const reported = faults.flatMap(({ fault: name, found, rate }) => (found && rate > (usual.get(name) ?? 0) ? [name] : []));
    return [{ bot: `${trade}/${agent}`, kind: fault.kind, isNamed: fault.expect.some((name) => reported.includes(name)), reported }];
  });
  return { clean, verdicts };
}

function figuresOf(half: string, results: readonly TradeResult[], flags: Flags): readonly Figure[] {
  const clean = results.flatMap((result) => result.clean);
  const verdicts = results.flatMap((result) => result.verdicts);
  const free = clusteredRate(clean);
  const passed = clusteredRate(clean.map((conversation) => ({ ...conversation, hit: conversation.passed })));
  const named = verdicts.filter(({ isNamed }) => isNamed).length;
  const kinds = new Set(verdicts.map(({ kind }) => kind)).size;
  const share = (rate: number, n: number) => `${Math.round(rate * n)} of ${n}`;
  const range = (interval: readonly number[]) => `[${interval.map((bound) => bound.toFixed(3)).join(', ')}]`;
  const rateOf = (part: readonly CleanConversation[]) => part.filter(({ hit }) => hit).length / part.length;
  return [
    {
      ...{ name: `${half}: clean conversations without a reported fault`, value: rateOf(clean), unit: 'rate', goal: '≥ 0.95' },
      note: `${share(rateOf(clean), clean.length)} ${range(free.interval)}, ${results.length} trades; ${falseAlarms(clean)}`,
    },
    {
      ...{
        name: `${half}: clean conversations passed`,
        value: clean.filter((conversation) => conversation.passed).length / clean.length,
        unit: 'rate',
      },
      note: `${clean.filter((conversation) => conversation.passed).length} of ${clean.length} ${range(passed.interval)}`,
    },
    {
      ...{
        name: `${half}: planted faults named`,
        value: verdicts.length === 0 ? null : named / verdicts.length,
        unit: 'rate',
        goal: '≥ 0.85',
      },
      note: `${named} of ${verdicts.length} ${range(clopperPearson(named, Math.max(1, verdicts.length), 0.95))}, ${kinds} kinds`,
    },
    ...verdicts
      .filter(({ isNamed }) => !isNamed || flags['verbose'] === true)
      .map(
        ({ bot, kind, isNamed, reported }): Figure => ({
          ...{
            name: `${half}: ${bot} (${kind})`,
            value: isNamed ? 1 : 0,
            unit: 'named',
            note: `reported: ${reported.join(', ') || 'nothing'}`,
          },
        }),
      ),
  ];
}

/** How often each detector was wrong about a clean bot. */
function falseAlarms(clean: readonly CleanConversation[]): string {
  const counts = Map.groupBy(
    clean.flatMap(({ faults }) => faults),
    (fault) => fault,
  );
  return [...counts].map(([fault, hits]) => `${fault} ${hits.length}`).join(', ') || 'no false alarms';
}
