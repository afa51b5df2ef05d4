/**
 * @file Describes a writer's choices by the results of earlier tasks that used them. A table cannot read a history of tasks, but it can
 * learn that "half" is better than "solved", which stays true while the solver improves.
 */

/** The moves of an earlier task, and the share of attempts that solved it; null if it was refused. */
export type PastMoves = { readonly moves: readonly string[]; readonly rate: number | null };

/** From solved, over untried, to refused. */
const choiceClasses = ['solved', 'half', 'next', 'new', 'failed', 'refused'] as const;
type ChoiceClass = (typeof choiceClasses)[number];

/** The number of latest outcomes behind a class. */
const latest = 4;

/** The choices by class, in the order of the classes, without empty classes. */
export function classifyChoices(
  choices: readonly string[],
  moves: readonly string[],
  past: readonly PastMoves[],
): readonly (readonly [ChoiceClass, readonly string[]])[] {
  const tried = choices.map((choice) => outcomeOf(choice, moves, past));
  const isNear = (i: number) => [tried[i - 1], tried[i + 1]].some((item) => item === 'solved' || item === 'half');
  const classes = tried.map((item, i) => ((item === 'failed' || item === 'new') && isNear(i) ? 'next' : item));
  return choiceClasses.flatMap((name) => {
    const members = choices.filter((_, i) => classes[i] === name);
    return members.length === 0 ? [] : [[name, members] as const];
  });
}

function outcomeOf(choice: string, moves: readonly string[], past: readonly PastMoves[]): ChoiceClass {
  const at = moves.length;
  const pastMoves = past.filter((otherPastMoves) => otherPastMoves.moves[at] === choice);
  // Uses tasks with the same earlier moves if there are any, else all.
  const same = pastMoves.filter((otherPastMoves) => moves.every((move, i) => otherPastMoves.moves[i] === move));
  const recent = (same.length > 0 ? same : pastMoves).slice(-latest);
  if (recent.length === 0) return 'new';
  const rates = recent.flatMap(({ rate }) => (rate === null ? [] : [rate]));
  if (rates.length === 0) return 'refused';
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return mean > 0.8 ? 'solved' : mean > 0.1 ? 'half' : 'failed';
}
