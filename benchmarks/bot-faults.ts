/**
 * @file Which planted faults the shipped detectors find in small bots, in at most 200 conversations each, and what they say of a bot without any. With
 * --humans=FILE.jsonl: in how many conversations of people they find someone rude (all who are not "user").
 */

import '@ludus-agents/servers/internal/kinds';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { suiteOfDesk } from '@ludus-agents/desk/internal/desks';
import { sampleDesk } from '@ludus-agents/desk/internal/environment/sample';
import { rudenessIn } from '@ludus-agents/desk/internal/faults/manner';
import { faultsIn } from '@ludus-agents/desk/internal/found-faults';
import { evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import { planted } from './_faulty-bots.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

interface HumanTurn {
  readonly speaker: string;
  readonly text: string;
}

function rudeHumans(file: string): readonly Figure[] {
  const all = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly turns: readonly HumanTurn[] }).turns.filter(({ speaker }) => speaker !== 'user'));
  const marked = all.map((turns) => turns.flatMap(({ text }) => rudenessIn(text)?.quote ?? []));
  const rude = marked.filter((quotes) => quotes.length > 0);
  const note = `${rude.length} of ${all.length} conversations, ${all.flat().length} lines; ${[...new Set(rude.flat())].slice(0, 8).join(' | ') || 'none'}`;
  return [{ name: 'people called rude', value: rude.length / all.length, unit: 'rate', note }];
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  if (typeof flags['humans'] === 'string') return rudeHumans(flags['humans']);
  const file = join(import.meta.dirname, typeof flags['file'] === 'string' ? flags['file'] : '_faulty-bots.ts');
  const bots: Readonly<Record<string, { readonly fault: string }>> = flags['file'] === undefined ? planted : (await import(file)).planted;
  const names = ['clean', ...Object.keys(bots).slice(0, sizeOf(flags, 'bots', Number.POSITIVE_INFINITY, 1))];
  const store = memoryStore();
  const suite = suiteOfDesk(sampleDesk);
  const agents = names.map((name) => ({
    name,
    kind: `bot:${name === 'clean' ? join(import.meta.dirname, '_faulty-bots.ts') : file}#${name}`,
  }));
  const seeds = sizeOf(flags, 'seeds', suite.seeds, 1);
  const { report, scored } = await evaluateRun({ trust: Trust.commandLine, suite, agents, store, seeds });
  return faultsIn(scored, names).flatMap(({ agent, faults, conversations }): Figure[] => {
    const wanted = agent === 'clean' ? null : bots[agent]?.fault;
    const faultRate = faults.find(({ fault }) => fault === wanted);
    const others = faults
      .filter((otherFault) => otherFault.found && otherFault.fault !== wanted)
      .map(({ fault, hits, n }) => `${fault} ${hits}/${n}`);
    const mean = report.agents.find((standing) => standing.agent === agent)?.value ?? null;
    const note = `${faultRate === undefined ? '' : `${faultRate.hits}/${faultRate.n} [${faultRate.interval.map((x) => x.toFixed(3)).join(', ')}] in ${conversations} conversations; `}passed ${((mean ?? 0) * 100).toFixed(1)} %; also found: ${others.join(', ') || 'nothing'}${agent === 'clean' || faultRate?.found === true ? '' : ' MISSED'}`;
    return [
      {
        name: `${agent}${wanted === null ? '' : ` (${wanted})`}`,
        value: faultRate === undefined ? others.length : faultRate.rate,
        unit: faultRate === undefined ? 'faults' : 'rate',
        note,
        ...(flags['verbose'] === true && others.length > 0
          ? { goal: JSON.stringify(faults.filter((fault) => fault.found).map((fault) => fault.examples[0])) }
          : {}),
      },
    ];
  });
}
