/** @file A plan: a few steps that an agent writes for itself and that stay in view until it writes new ones. */

export type AgentPlan = { readonly steps: readonly string[]; readonly madeAt: number };

const mostSteps = 6;
const longestStep = 160;

/** Steps from a model's text: one per line or per semicolon, without numbers and bullets. */
export function planIn(text: string, madeAt: number): AgentPlan | undefined {
  const pieces = text.includes('\n') ? text.split('\n') : text.split(';');
  const steps = pieces
    .map((piece) => piece.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, '').trim())
    .filter((step) => step !== '')
    .map((step) => (step.length > longestStep ? `${step.slice(0, longestStep - 1)}…`.toWellFormed() : step));
  return steps.length === 0 ? undefined : { steps: steps.slice(0, mostSteps), madeAt };
}

/** The plan on one line, for a prompt. */
export function planWords({ steps }: AgentPlan): string {
  return steps.map((step, i) => `${i + 1}. ${step}`).join(' ');
}
