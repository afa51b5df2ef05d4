/** @file Groups failed scores by their sentence, so that what a table counts as missing has a reason. */

import type { Score } from '@ludus-agents/kernel/internal/core/index';

export type ScoreFailure = {
  readonly scorer: string;
  readonly reason: string;
  readonly count: number;
};

/** Failed scores with their sentences, the most frequent first. What does not apply has not failed. */
export function failuresIn(scores: Iterable<Pick<Score, 'name' | 'status' | 'reason'>>): readonly ScoreFailure[] {
  const matches = new Map<string, { scorer: string; reason: string; count: number }>();
  for (const { name, status, reason } of scores) {
    if (status === 'ok' || status === 'not-applicable') continue;
    const failure = { scorer: name, reason: reason ?? (status === 'error' ? 'the episode ended in an error' : status), count: 0 };
    const key = `${failure.scorer}\n${failure.reason}`;
    const existing = matches.get(key) ?? failure;
    existing.count++;
    matches.set(key, existing);
  }
  return [...matches.values()].sort((a, b) => b.count - a.count);
}

/** "form failed 4 times: The rule …" */
export function failureText({ scorer, reason, count }: ScoreFailure): string {
  return `${scorer} failed ${count === 1 ? 'once' : `${count} times`}: ${/[.!?…]$/.test(reason) ? reason : `${reason}.`}`;
}
