/**
 * @file Values of kept turns, for learning without playing: what followed them (Monte-Carlo), or what could have followed, put together from
 * several episodes (implicit Q-learning, arXiv 2110.06169, in text games by LMRL-Gym, arXiv 2311.18232).
 *
 * States are known by what was read, answers by what was written. The policy is drawn to answers by exp(β(Q − V)), which on a table ends at
 * the likelihood in the data times that factor.
 */

/** A turn of a kept episode. `next` is the turn of the same seat that followed, or null at the end. */
export interface KeptStep {
  readonly state: string;
  readonly answer: string;
  readonly reward: number;
  readonly next: KeptStep | null;
}

export interface StepValue {
  /** Of the answer. */
  readonly q: number;
  /** Of the state. */
  readonly v: number;
}

/** What followed: the mean return from a turn on, over all turns with the same state and answer. */
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

/** What could follow: Q is the reward and the value of the next state, V is an expectile of Q over the answers of the data. */
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

/** Where the upward distances, weighted by the expectile, and the downward ones by the rest, are in balance; 0.5 is the mean. */
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

/** How much a turn counts: exp(β(Q − V)), never more than so much. */
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
