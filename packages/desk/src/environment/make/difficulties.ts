/**
 * @file Plants one difficulty in a case, paired with the case without it: a chain (a record must be found before it can be changed), hidden
 * information (told only when asked for), a mid-dialogue switch (the customer changes the request), an ambiguous request (several
 * records match, and only the customer knows which one), and a customer who sees every step and either watches silently or speaks.
 */

import { equal, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { escapePattern, patternOf } from '../../patterns.ts';
import type { DeskCase, DeskDocument } from '../document.ts';
import { goldDatabase } from '../outcome.ts';
import { needsWrite } from '../probes.ts';

export const difficulties = ['chain', 'hidden', 'switch', 'ambiguous', 'watch'] as const;
export type Difficulty = (typeof difficulties)[number];

interface Meant {
  readonly id: string;
  readonly row: JsonObject;
  readonly table: string;
  /** Records of the same customer in the same table. */
  readonly others: readonly (readonly [string, JsonObject])[];
}

/** Each case with a difficulty, and its twin without: the same id with "-plain". */
export function difficultCases(desk: DeskDocument, kind: Difficulty): readonly DeskCase[] {
  const deskCases = desk.tasks.filter((task) => task.probe === 'task' && !task.refuse && needsWrite(desk, task));
  return deskCases.flatMap((deskCase) => {
    const hard = { chain, hidden: hideDetail, switch: switchPolicy, ambiguous, watch }[kind](deskCase, desk);
    if (hard === null) return [];
    const id = `${kind}-${deskCase.id}`.slice(0, 50);
    return [
      { ...hard, id, probe: kind },
      { ...deskCase, id: `${id}-plain`, probe: kind === 'ambiguous' ? 'clear' : `${kind} plain` },
    ];
  });
}

/** The same case, observed step by step by its customer. */
function watch(deskCase: DeskCase): DeskCase {
  return { ...deskCase, watches: true };
}

/** The customer's record that the first request names. */
function meantIn(deskCase: DeskCase, { customers, database }: DeskDocument): Meant | null {
  const say = deskCase.says[0]?.say ?? '';
  for (const [table, owner] of Object.entries(customers?.owns ?? {})) {
    const mine = Object.entries(database[table] ?? {}).filter(([, row]) => row[owner] === deskCase.customer);
    const matches = mine.find(([id]) => say.includes(id));
    if (matches !== undefined) return { id: matches[0], row: matches[1], table, others: mine.filter(([id]) => id !== matches[0]) };
  }
  return null;
}

const isPlain = (value: Json): value is string => typeof value === 'string' && value.length > 1 && value.length < 40;

/** Replaces the id of a record and the word for its kind before it: "the order W-1" becomes "my order". */
function replaceWords(deskCase: DeskCase, { id: from, table }: Meant, to: string): DeskCase['says'] {
  const kind = escapePattern(table.replace(/s$/, ''));
  return deskCase.says.map((step) => ({
    ...step,
    say: step.say
      .replace(
        patternOf(`(?:\\b(?:the|my|this|our) )?(?:\\b(?:${kind}|order|case|ticket|booking|number) |#)*\\s*${escapePattern(from)}`),
        ` ${to}`,
      )
      .replace(/\s+/g, ' ')
      .replace(/^ ?my\b/, 'My')
      .trim(),
  }));
}

/** Removes the record number: a column distinguishes the customer's records, as in "my order (item: bell)". */
function chain(deskCase: DeskCase, desk: DeskDocument): DeskCase | null {
  const meant = meantIn(deskCase, desk);
  if (meant === null) return null;
  const owner = desk.customers?.owns[meant.table];
  const telling = Object.entries(meant.row).find(
    ([key, value]) =>
      isPlain(value) && key !== 'status' && key !== owner && meant.others.every(([, row]) => !equal(row[key] ?? null, value)),
  );
  if (telling === undefined) return null;
  const knows = Object.fromEntries(Object.entries(deskCase.knows).filter(([, value]) => value !== meant.id));
  const recordKind = meant.table.replace(/s$/, '').replaceAll('_', ' ');
  const [first] = replaceWords(deskCase, meant, `my ${recordKind} (${telling[0].replaceAll('_', ' ')}: ${String(telling[1])})`);
  const [, ...rest] = replaceWords(deskCase, meant, `my ${recordKind}`);
  return first === undefined ? null : { ...deskCase, knows, says: [first, ...rest] };
}

/** An argument that the request names is told only when asked for. */
function hideDetail(deskCase: DeskCase): DeskCase | null {
  const first = deskCase.says[0];
  const argument = deskCase.gold
    .flatMap(({ args }) => Object.entries(args))
    .find(([, value]) => isPlain(value) && first?.say.includes(` to ${value}`));
  if (first === undefined || argument === undefined) return null;
  const [key, value] = argument as [string, string];
  const says = [{ ...first, say: first.say.replace(` to ${value}`, '') }, ...deskCase.says.slice(1)];
  return { ...deskCase, says, knows: { ...deskCase.knows, [`new ${key}|${key}|which ${key}`]: value } };
}

/** The customer first makes another allowed request, and switches to this one before anything is done. */
function switchPolicy(deskCase: DeskCase, desk: DeskDocument): DeskCase | null {
  const other = desk.tasks.find(
    (task) =>
      task !== deskCase &&
      task.customer === deskCase.customer &&
      !task.refuse &&
      needsWrite(desk, task) &&
      !equal(goldDatabase(desk, task), goldDatabase(desk, deskCase)),
  );
  const [wanted, first] = [other?.says[0]?.say, deskCase.says[0]];
  if (wanted === undefined || first === undefined) return null;
  const turn = { say: `Wait, do not do that. Instead: ${first.say}`, kind: 'correct' as const, tell: [] };
  return {
    ...deskCase,
    knows: { ...other?.knows, ...deskCase.knows },
    says: [{ say: wanted, kind: 'request', tell: [] }, turn, ...deskCase.says.slice(1)],
  };
}

/** Several records of the customer match the request, and only the customer knows which one is meant. */
function ambiguous(deskCase: DeskCase, desk: DeskDocument): DeskCase | null {
  const meant = meantIn(deskCase, desk);
  const status = meant?.row['status'];
  if (meant === null || !meant.others.some(([, row]) => equal(row['status'] ?? null, status ?? null))) return null;
  const recordKind = meant.table.replace(/s$/, '');
  const isStated = Object.entries(deskCase.knows).some(([, value]) => value === meant.id);
  const knows = isStated ? deskCase.knows : { ...deskCase.knows, [`${recordKind} number|which ${recordKind}|${recordKind}`]: meant.id };
  const [first, ...rest] = replaceWords(deskCase, meant, `my ${recordKind}`);
  return first === undefined ? null : { ...deskCase, knows, says: [first, ...rest] };
}
