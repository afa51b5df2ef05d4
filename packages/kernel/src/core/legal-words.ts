/** @file The words for exploitability with the legal mass that it is based on. */

/** The least legal mass for a figure: on average over information states, and in every one of them. */
export const leastLegal = { mean: 0.5, each: 0.01 } as const;

/** An exploitability value of a policy; `legal` is null if it was not measured. */
export interface ExploitWords {
  readonly exploitability: number | null;
  readonly legal?: number | null;
}

/** "0.0330 (100.0% legal)", or a sentence if too little is legal; null if nothing was measured. */
export function exploitabilityText({ exploitability, legal }: ExploitWords, digits = 4): string | null {
  if (exploitability !== null) return `${exploitability.toFixed(digits)}${legal == null ? '' : ` (${percentText(legal)} legal)`}`;
  return legal == null ? null : `no figure: too few legal answers (${percentText(legal)})`;
}

/** Why there is no value. */
export function tooIllegalText(legal: number): string {
  return `Exploitability is undefined: legal moves get ${percentText(legal)} of the probability on average. A figure needs ${100 * leastLegal.mean}% on average and ${100 * leastLegal.each}% in every information state.`;
}

function percentText(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
