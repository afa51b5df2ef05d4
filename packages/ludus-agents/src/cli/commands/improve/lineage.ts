/** @file `ludus improve lineage`: every candidate of an improvement with its parents, scores and verdict. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import type { Descendant, Lineage } from '@ludus-agents/learning/internal/improving/lineage';
import { changeBetween, touchedNames } from '@ludus-agents/learning/internal/prompts/components';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { lineage as readLineage } from '../../../library/improvements.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { changeWords } from '../../render/improve-progress.ts';
import { clip } from '../../render/width.ts';
import { columnsOf, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly engine?: string;
  readonly pack?: string;
  readonly json?: boolean;
}

export const lineage: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const path = options.pack === undefined ? null : resolve(terminal.cwd, options.pack);
    if (path !== null && existsSync(path))
      throw new Fault('input', `${options.pack} already exists. Choose another file, or delete it first.`, { code: 'E_ALREADY_EXISTS' });
    const { pack, ...family } = await readLineage(
      { run: args[0], pack: path !== null, store: options.store, readOnly: options.readOnly },
      terminal,
    );
    if (path !== null && pack !== undefined) {
      writeFileAtomicSync(path, `${JSON.stringify(pack, null, 2)}\n`);
      if (options.json === true) printJson(terminal, pack);
      else print(terminal, `${count(pack.entries.length, 'change')} in ${options.pack}.`);
      return exits.fine;
    }
    const visible = family.descendants.filter(({ engine }) => options.engine === undefined || engine === options.engine);
    if (options.json === true) printJson(terminal, dataOf(family, visible));
    else print(terminal, ...treeOf(family, visible, terminal));
    return exits.fine;
  },
};

function dataOf({ run, archives }: Lineage, descendants: readonly Descendant[]) {
  return {
    run: run.id,
    head: archives.head,
    candidates: descendants.map(({ candidate, engine, verdicts, select, clade }) => {
      const { id, parents, origin } = candidate;
      const parent = parents[0] === undefined ? null : (archives.engines.get(engine)?.get(parents[0]) ?? null);
      const change = parent === null ? null : changeBetween(parent.components, candidate.components);
      return {
        ...{ id, engine, parents, origin },
        changed: change === null ? [] : touchedNames(change),
        change,
        ...{ select, clade },
        verdicts: verdicts.map(({ parent: against, verdict }) => ({ against, ...verdict })),
      };
    }),
  };
}

function treeOf({ run, archives }: Lineage, descendants: readonly Descendant[], terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns = terminal.stdout.isTTY === true ? columnsOf(terminal.stdout) : 160;
  const lines: string[] = [];
  for (const engine of new Set(descendants.map((descendant) => descendant.engine))) {
    const ownEntry = new Map(
      descendants.filter((descendant) => descendant.engine === engine).map((descendant) => [descendant.candidate.id, descendant]),
    );
    lines.push(
      `${colours.bold(printable(run.id))} ${colours.faint('·')} ${engine} ${colours.faint('·')} ${count(ownEntry.size, 'candidate')}`,
    );
    const children = Map.groupBy(ownEntry.values(), ({ candidate }) => candidate.parents[0] ?? '');
    const climb = (descendant: Descendant, depth: number) => {
      const { id, parents } = descendant.candidate;
      const parent = ownEntry.get(parents[0] ?? '')?.candidate;
      const mark =
        archives.head?.id === id
          ? colours.green('●')
          : descendant.verdicts.some(({ verdict }) => verdict.accept)
            ? colours.green('✓')
            : '·';
      const { mean, tasks, episodes } = descendant.select;
      const score = mean === null ? '' : ` ${mean.toFixed(3)} over ${count(tasks, 'task')}, ${count(episodes, 'episode')};`;
      const text = descendant.verdicts.at(-1)?.verdict.words ?? '';
      const second =
        parents.length > 1
          ? ` with ${parents
              .slice(1)
              .map((other) => other.slice(0, 8))
              .join(', ')}`
          : '';
      const changes = printable(`${changeWords(descendant.candidate, parent)}${second}`);
      lines.push(
        clip(
          `${colours.faint('│ '.repeat(depth))}${mark} ${colours.cyan(id.slice(0, 8))}${score} ${changes} ${colours.faint(text)}`,
          columns,
        ),
      );
      for (const child of children.get(id) ?? []) climb(child, depth + 1);
    };
    for (const descendant of children.get('') ?? []) climb(descendant, 0);
    lines.push('');
  }
  return lines.slice(0, -1);
}
