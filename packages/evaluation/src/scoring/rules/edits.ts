/**
 * @file Whether things stay as they are while others are changed, turn after turn (the form of EdiVal, for any objects with attributes).
 *
 * The state is a table of cells. At each turn some cells are asked to change; what is expected is the state before with all edits so far.
 */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { parseJson } from '@ludus-agents/kernel/internal/core/parse-json';
import type { Case, ScoringRule } from '../scorer.ts';
import { noteOf } from './log.ts';

export type EditCells = Readonly<Record<string, Json>>;
export interface EditTurn {
  readonly asked: EditCells;
  /** The actual table. Missing cells are wrong. */
  readonly state: EditCells;
}

export interface EditRow {
  /** Cells asked for that are as asked. */
  readonly follow: number;
  /** Other cells that are as they were a turn before. */
  readonly keep: number;
  /** All cells that are as they should be by now. */
  readonly drift: number;
  /** Whether every edit so far holds: 1 or 0. */
  readonly all: number;
}

const same = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const share = (cells: readonly string[], right: (cell: string) => boolean) =>
  cells.length === 0 ? 1 : cells.filter(right).length / cells.length;

/** The four measures, turn by turn. */
export function editRows(first: EditCells, turns: readonly EditTurn[]): readonly EditRow[] {
  const cells = Object.keys(first);
  let expected: EditCells = first;
  let before: EditCells = first;
  const edited = new Set<string>();
  return turns.map(({ asked, state }) => {
    expected = { ...expected, ...asked };
    const wanted = expected;
    const was = before;
    before = state;
    for (const cell of Object.keys(asked)) edited.add(cell);
    return {
      follow: share(Object.keys(asked), (cell) => same(state[cell], wanted[cell])),
      keep: share(
        cells.filter((cell) => !Object.hasOwn(asked, cell)),
        (cell) => same(state[cell], was[cell]),
      ),
      drift: share(cells, (cell) => same(state[cell], wanted[cell])),
      all: [...edited].every((cell) => same(state[cell], wanted[cell])) ? 1 : 0,
    };
  });
}

const meanOf = (rows: readonly EditRow[], key: keyof EditRow) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;

/** Following and keeping together: their geometric mean over turns, so that copying everything is worth as little as changing everything. */
export const edits: ScoringRule = {
  name: 'edits',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0,
  find(input) {
    const session = inNote(input) ?? inAnswers(input);
    if (session === null || session.turns.length === 0) return null;
    const rows = editRows(session.first, session.turns);
    const parts = { follow: meanOf(rows, 'follow'), keep: meanOf(rows, 'keep'), drift: meanOf(rows, 'drift'), all: meanOf(rows, 'all') };
    return { value: Math.sqrt(parts.follow * parts.keep), parts: { ...parts, turns: rows.length } };
  },
};

interface Session {
  readonly first: EditCells;
  readonly turns: readonly EditTurn[];
}

/** The note of an environment: {"seat", "first", "turns": [{"asked", "state"}]}. */
function inNote({ log, seat }: Case): Session | null {
  const note = noteOf(log, 'edits');
  if (note === null || (typeof note.value['seat'] === 'string' && note.value['seat'] !== seat)) return null;
  return sessionFrom(note.value['first'], note.value['turns']);
}

function sessionFrom(first: Json | undefined, turns: Json | undefined): Session | null {
  if (!isObject(first) || !Array.isArray(turns)) return null;
  const read = turns.flatMap((turn: Json): readonly EditTurn[] => {
    const { asked, state } = (isObject(turn) ? turn : {}) as JsonObject;
    return isObject(asked) ? [{ asked, state: isObject(state) ? state : {} }] : [];
  });
  return { first, turns: read };
}

/** Talk from elsewhere: the reference has the first state and the edits, {"first", "edits": [{cell: value}]}, and each answer a JSON object. */
function inAnswers({ log, seat, reference }: Case): Session | null {
  const { first, edits: requestedEdits } = reference;
  if (!isObject(first) || !Array.isArray(requestedEdits)) return null;
  const answers = log.answers.get(seat) ?? [];
  const turns = requestedEdits.map((edit: Json, i) => ({ asked: edit, state: cellsIn(answers[i]?.text ?? '') }));
  return sessionFrom(first, turns);
}

function cellsIn(text: string): EditCells {
  const body = linear(/\{[\s\S]*\}/).exec(text)?.[0];
  if (body === undefined) return {};
  try {
    const json = parseJson(body);
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}
