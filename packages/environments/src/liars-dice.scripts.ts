/** @file Scripted players of liar's dice: one that plays the odds of its own dice, and an equilibrium for small games. */

import { Fault, type JsonObject, type Script, type Turn, type View } from '@ludus-agents/kernel/internal/core/index';
import { equilibriumScript } from './solve/equilibrium.ts';
import type { Tree } from './solve/tree.ts';

/** The current round, from a view. */
interface Round {
  readonly seats: number;
  readonly faces: number;
  readonly wild: boolean;
  readonly mine: readonly number[];
  /** The number of dice on the table. */
  readonly total: number;
  readonly bids: readonly (readonly [quantity: number, face: number])[];
}

function roundIn(view: View): Round {
  let round: Round = { seats: 0, faces: 0, wild: false, mine: [], total: 0, bids: [] };
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    const { text } = item;
    const bid = / bids (\d+) of face (\d+)\.$/.exec(text);
    const rolled = /^Round \d+: you roll ([\d ]+)\. Dice on the table: ([^.]+)\./.exec(text);
    const rules = /^You are \w+ of (\d+) .* faces 1 to (\d+) /.exec(text);
    if (bid !== null) round = { ...round, bids: [...round.bids, [Number(bid[1]), Number(bid[2])]] };
    else if (rolled !== null) {
      const total = rolled[2].split(', ').reduce((sum, current) => sum + Number(current.split(' ')[1]), 0);
      round = { ...round, mine: rolled[1].split(' ').map(Number), total, bids: [] };
    } else if (rules !== null) round = { ...round, seats: Number(rules[1]), faces: Number(rules[2]), wild: text.includes(' is wild: ') };
  }
  return round;
}

/** Gives the answer that is most likely right according to its own dice alone. Never bluffs, and ignores other players' bids. */
export function odds({ view, ask }: Turn): { text: string } {
  const round = roundIn(view);
  const last = round.bids.at(-1);
  let best = { text: '[liar]', chance: last === undefined ? -1 : 1 - chanceOf(round, ...last) };
  for (const text of ask.choices ?? []) {
    const bid = /^\[bid (\d+) (\d+)\]$/.exec(text);
    if (bid === null) continue;
    const chance = chanceOf(round, Number(bid[1]), Number(bid[2]));
    if (chance > best.chance) best = { text, chance };
  }
  return { text: best.text };
}

/** Returns the probability that at least `quantity` dice show `face`, over the hidden dice. */
function chanceOf({ faces, wild, mine, total }: Round, quantity: number, face: number): number {
  const counts = (die: number) => die === face || (wild && die === faces);
  const missing = quantity - mine.filter(counts).length;
  const hidden = total - mine.length;
  const hit = (wild && face !== faces ? 2 : 1) / faces;
  // The probability of exactly k hits, starting at k = 0.
  let exactly = (1 - hit) ** hidden;
  let fewer = 0;
  for (let k = 0; k < missing; k++) {
    fewer += exactly;
    exactly *= ((hidden - k) / (k + 1)) * (hit / (1 - hit));
  }
  return 1 - fewer;
}

/**
 * Plays two seats with one die each, by an approximate equilibrium that CFR computes on first use in a few seconds. Declines other tables.
 */
export function equilibrium(tree: (task: JsonObject) => Tree): Script {
  const solved = new Map<string, Script>();
  return (turn) => {
    const { seats, faces, wild, total } = roundIn(turn.view);
    if (seats === 0) throw new Fault('input', 'This script must see its whole view. Play it without a window.');
    if (seats !== 2 || total !== 2)
      throw new Fault('input', 'The cfr script of liars-dice plays two seats with one die each. Use the script odds for larger games.');
    const key = `${faces} ${wild}`;
    let script = solved.get(key);
    if (script === undefined) {
      script = equilibriumScript({ tree: () => tree({ faces, wild }), iterations: 100, keyOf });
      solved.set(key, script);
    }
    return script(turn);
  };
}

function keyOf(view: View): string {
  const { mine, bids } = roundIn(view);
  return `${mine.join(' ')}: ${bids.map((bid) => bid.join(' ')).join(', ')}`;
}
