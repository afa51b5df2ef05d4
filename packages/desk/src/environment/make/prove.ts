/**
 * @file Proves generated cases before they are played: their form, their gold calls, and hard rules, each of which is a veto.
 * A rejected case is returned with its reason, so a generator or a model can try again.
 */

import { isFault } from '@ludus-agents/kernel/internal/core/index';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { checkDesk } from '../check.ts';
import { type DeskCase, type DeskDocument, deskCaseShape } from '../document.ts';
import { goldDatabase } from '../outcome.ts';
import { changesIn, toolOf } from '../tools.ts';
import { isForbidden } from './blueprint.ts';

/** Returns the error of a case, or null. */
type CaseReviewer = (deskCase: DeskCase, desk: DeskDocument) => string | null;

export interface TurnedDown {
  readonly id: string;
  readonly stage: 'form' | 'execution' | 'veto' | 'committee';
  readonly why: string;
}

export interface ProvedCases {
  readonly kept: readonly DeskCase[];
  readonly down: readonly TurnedDown[];
}

/** The customer acts only on owned records. */
const ownRecords: CaseReviewer = (deskCase, desk) => {
  const { customers, database } = desk;
  if (customers === null || deskCase.customer === null) return null;
  const foreign = Object.keys(changesIn(database, goldDatabase(desk, deskCase))).find((key) => {
    const [table = '', id = ''] = [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)];
    const column = customers.owns[table];
    const row = database[table]?.[id];
    return column !== undefined && row !== undefined && row[column] !== deskCase.customer;
  });
  return foreign === undefined ? null : `${foreign} belongs to somebody else.`;
};

/** Every argument of the gold calls can be known: it is stated, told when asked, or in a record of the customer. */
const knowable: CaseReviewer = (deskCase, desk) => {
  const rows = Object.entries(desk.database).flatMap(([table, records]) => {
    const column = desk.customers?.owns[table];
    return Object.entries(records).filter(([, row]) => column === undefined || row[column] === deskCase.customer);
  });
  const words =
    `${deskCase.says.map(({ say }) => say).join('\n')}\n${Object.values(deskCase.knows).join('\n')}\n${JSON.stringify(rows)}`.toLowerCase();
  const hidden = deskCase.gold.flatMap(({ args }) => Object.values(args)).find((value) => !words.includes(String(value).toLowerCase()));
  return hidden === undefined ? null : `The agent is never told ${JSON.stringify(hidden)}.`;
};

/** No gold call violates the policy for its record, as far as rules without unparsed conditions say. */
const permits: CaseReviewer = ({ gold }, desk) => {
  const forbidden = gold.find((call) => {
    const tool = toolOf(desk, call);
    const [key] = /(?<=^\{)\w+(?=\}$)/.exec(tool?.does.id ?? '') ?? [];
    const row = desk.database[tool?.does.set ?? tool?.does.remove ?? '']?.[String(call.args[key ?? ''])];
    return tool !== undefined && call.by === undefined && row !== undefined && isForbidden(tool, desk.policy, row);
  });
  return forbidden === undefined ? null : `The policy forbids ${forbidden.tool} for this record.`;
};

/** Something is at stake: doing and saying nothing does not pass. */
const atStake: CaseReviewer = (deskCase, desk) => {
  const { passedByNothing } = checkDesk({ ...desk, tasks: [deskCase] });
  return passedByNothing.length === 0 ? null : 'It is passed by one who does nothing.';
};

/** A case that breaks one of these rules is always discarded, even if a committee approves it. */
const vetoes: readonly CaseReviewer[] = [ownRecords, knowable, permits, atStake];

export function proveCases(cases: readonly unknown[], desk: DeskDocument): ProvedCases {
  const deskCases: DeskCase[] = [];
  const down: TurnedDown[] = [];
  for (const [i, input] of cases.entries()) {
    const id = String((input as { id?: unknown } | null)?.id ?? i);
    let deskCase: DeskCase;
    try {
      deskCase = readAs(deskCaseShape, input, { where: `Case ${id}`, called: 'a case' });
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown;
      down.push({ id, stage: 'form', why: thrown.message });
      continue;
    }
    const problem = checkDesk({ ...desk, tasks: [deskCase] }).findings.find(
      (finding) => finding.case === deskCase.id && finding.level === 'problem',
    );
    if (problem !== undefined) {
      down.push({ id, stage: 'execution', why: problem.says });
      continue;
    }
    const veto = vetoes.flatMap((review) => review(deskCase, desk) ?? [])[0];
    if (veto !== undefined) {
      down.push({ id, stage: 'veto', why: veto });
      continue;
    }
    deskCases.push(deskCase);
  }
  return { kept: deskCases, down };
}
