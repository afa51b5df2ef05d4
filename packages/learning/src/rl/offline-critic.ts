/**
 * @file Values of kept turns, for training without play: the observed return (Monte Carlo), or an estimate that combines several episodes
 * (implicit Q-learning, arXiv 2110.06169, in text games by LMRL-Gym, arXiv 2311.18232).
 *
 * States are identified by the input text, answers by the written text. Answers are weighted by exp(β(Q − V)); a table converges to the
 * likelihood in the data times that factor.
 */

/** A turn of a kept episode. `next` is the same seat's next turn, or null at the end. */
export interface KeptStep {
  readonly state: string;
  readonly answer: string;
  readonly reward: number;
  readonly next: KeptStep | null;
}

export interface StepValue {
  /** The value of the answer. */
  readonly q: number;
  /** The value of the state. */
  readonly v: number;
}

/** Monte Carlo: the mean return from a turn on, over all turns with the same state and answer. */
export function monteCarloValues(steps: readonly KeptStep[], discount: number): readonly StepValue[] {
  const knownEntries = new Map<KeptStep, number>();
  const toGo = (step: KeptStep): number => {
    const chain: KeptStep[] = [];
    for (let at: KeptStep | null = step; at !== null && !knownEntries.has(at); at = at.next) chain.push(at);
    for (const keptStep of chain.reverse())
      knownEntries.set(keptStep, keptStep.reward + discount * (keptStep.next === null ? 0 : (knownEntries.get(keptStep.next) as number)));
    return knownEntries.get(step) as number;
  };
  const q = meansBy(steps, answerKey, toGo);
  const v = meansBy(steps, ({ state }) => state, toGo);
  return steps.map((step) => ({ q: q.get(answerKey(step)) as number, v: v.get(step.state) as number }));
}

/** Implicit Q-learning: Q is the reward plus the value of the next state, V is an expectile of Q over the answers in the data. */
export function implicitValues(
  steps: readonly KeptStep[],
  { discount, expectile }: { readonly discount: number; readonly expectile: number },
): readonly StepValue[] {
  const byState = Map.groupBy(steps, ({ state }) => state);
  let v = new Map<string, number>([...byState.keys()].map((state) => [state, 0]));
  let q = new Map<string, number>();
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    const before = v;
    q = meansBy(steps, answerKey, ({ reward, next }) => reward + (next === null ? 0 : discount * (before.get(next.state) ?? 0)));
    v = new Map(
      [...byState].map(([state, keptSteps]) => [
        state,
        expectileOf(
          keptSteps.map((step) => q.get(answerKey(step)) as number),
          expectile,
        ),
      ]),
    );
    if ([...v].every(([state, value]) => Math.abs(value - (before.get(state) as number)) < 1e-9)) break;
  }
  return steps.map((step) => ({ q: q.get(answerKey(step)) as number, v: v.get(step.state) as number }));
}

const mostSweeps = 1000;

/** The value at which upward distances, weighted by the expectile, balance downward ones, weighted by the rest; 0.5 gives the mean. */
export function expectileOf(values: readonly number[], expectile: number): number {
  let at = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  for (let i = 0; i < mostSweeps; i++) {
    const weights = values.map((value) => (value > at ? expectile : 1 - expectile));
    const next = values.reduce((sum, value, j) => sum + value * weights[j], 0) / weights.reduce((sum, value) => sum + value, 0);
    if (Math.abs(next - at) < 1e-12) return next;
    at = next;
  }
  return at;
}

/** The weight of a turn: exp(β(Q − V)), at most `most`. */
export function advantageWeight({ q, v }: StepValue, beta: number, most = 100): number {
  return Math.min(most, Math.exp(beta * (q - v)));
}

function answerKey({ state, answer }: KeptStep): string {
  return `${state}\n> ${answer}`;
}

function meansBy(steps: readonly KeptStep[], key: (step: KeptStep) => string, value: (step: KeptStep) => number): Map<string, number> {
  return new Map(
    [...Map.groupBy(steps, key)].map(([name, keptSteps]) => [
      name,
      keptSteps.reduce((sum, step) => sum + value(step), 0) / keptSteps.length,
    ]),
  );
}
