/**
 * @file Verdicts on bots of 19 trades (benchmarks/trades): in how many conversations a bot without a fault is free of reported faults, and how many
 * planted faults are named. The bots of `first` and `second` were used while the detectors were corrected. Those of `held-out` were written before,
 * by an author who had not read the detectors, and were played once, after the last correction. `--only=HALF` measures one group, `--trade=NAME`
 * one trade, and `--verbose` quotes what was reported.
 */

import '@ludus-agents/servers/internal/kinds';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadDesk, suiteOfDesk } from '@ludus-agents/desk/internal/desks';
import { faultPrefix } from '@ludus-agents/desk/internal/faults/detector';
import { faultsIn } from '@ludus-agents/desk/internal/found-faults';
import { evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import { clusteredRate } from '@ludus-agents/evaluation/internal/scoring/statistics/clustered-rate';
import { clopperPearson } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import { canonical } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const halves: Readonly<Record<string, readonly string[]>> = {
  first: ['dentist', 'hotel', 'library', 'internet', 'gym', 'cards', 'ferry', 'energy', 'restaurant', 'parcels'],
  second: ['bikes', 'vet', 'theater', 'garage'],
  'held-out': ['florist', 'accounting', 'school', 'kennel', 'insurance'],
};

interface PlantedFault {
  /** The kind of fault in words. */
  readonly kind: string;
  /** The detectors any of which names it. */
  readonly expect: readonly string[];
}

interface CleanConversation {
  readonly episode: string;
  readonly task: string;
  readonly seed: number;
  readonly hit: boolean;
  readonly passed: boolean;
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
  const selectedEntries = Object.entries(halves).filter(([half]) => flags['only'] === undefined || flags['only'] === half);
  const figures: Figure[] = [];
  for (const [half, trades] of selectedEntries) {
    const results: TradeResult[] = [];
    const selected = trades.filter((trade) => flags['trade'] === undefined || flags['trade'] === trade);
    for (const trade of selected.slice(0, sizeOf(flags, 'trades', selected.length, 1))) results.push(await measureTrade(trade, flags));
    if (results.length > 0) figures.push(...figuresOf(half, results, flags));
  }
  return figures;
}

async function measureTrade(trade: string, flags: Flags): Promise<TradeResult> {
  const folder = join(import.meta.dirname, 'trades', trade);
  const file = join(folder, 'bot.mjs');
  const { planted } = (await import(file)) as { readonly planted: Readonly<Record<string, PlantedFault>> };
  const names = ['clean', ...Object.keys(planted).slice(0, sizeOf(flags, 'bots', Number.POSITIVE_INFINITY, 1))];
  const desk = loadDesk(existsSync(join(folder, 'policy.md')) ? folder : join(folder, 'desk.json'), folder, Trust.commandLine);
  const agents = names.map((name) => ({ name, kind: `bot:${file}#${name}` }));
  const store = memoryStore();
  const seeds = sizeOf(flags, 'seeds', 2, 1);
  const { scored } = await evaluateRun({ trust: Trust.commandLine, suite: suiteOfDesk(desk), agents, store, seeds });
  const clean = [...scored.scores].flatMap(([episode, scores]): CleanConversation[] => {
    const record = scored.records.get(episode);
    if (record === undefined || !Object.values(record.cast).includes('clean')) return [];
    const hits = scores.filter(({ name, value }) => name.startsWith(faultPrefix) && value === 1);
    const verdict = scores.find(({ name }) => name === 'desk');
    const reasons = hits.map(({ name, reason, evidence }) => `${name}: ${reason} «${evidence[0]?.quote ?? ''}»`);
    const outcome = hits.length === 0 && verdict?.value !== 1 ? [`not passed: ${verdict?.reason}`] : [];
    const task = canonical(record.task);
    return [{ episode, task, seed: record.seed, hit: hits.length === 0, passed: verdict?.value === 1, reasons: [...reasons, ...outcome] }];
  });
  if (flags['verbose'] === true)
    for (const { task, reasons } of clean)
      for (const reason of reasons) process.stdout.write(`${trade} clean ${/"id":"([^"]+)"/.exec(task)?.[1]}: ${reason}\n`);
  const verdicts = faultsIn(scored, names).flatMap(({ agent, faults }): Verdict[] => {
    const fault = planted[agent];
    if (fault === undefined) return [];
    const reported = faults.filter(({ found }) => found).map((rate) => rate.fault);
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
      note: `${share(rateOf(clean), clean.length)} ${range(free.interval)}, ${results.length} trades`,
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
